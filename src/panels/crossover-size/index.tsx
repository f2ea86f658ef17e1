import { lazy } from 'react';
import { isCrossoverLab } from '../../model/lab-kind';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'crossover-size',
  title: 'At one size',
  tab: 'At size',
  view: 'lab',
  slot: 'right',
  key: '3',
  shown: isCrossoverLab,
  component: lazy(() => import('./AtSize')),
} satisfies PanelDefinition;
