import { lazy } from 'react';
import { isCrossoverLab } from '../../model/lab-kind';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'crossover-chart',
  title: 'Throughput by transfer size',
  tab: 'Chart',
  view: 'lab',
  slot: 'centre',
  key: '2',
  shown: isCrossoverLab,
  component: lazy(() => import('./Chart')),
} satisfies PanelDefinition;
