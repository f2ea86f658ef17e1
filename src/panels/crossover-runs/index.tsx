import { lazy } from 'react';
import { isCrossoverLab } from '../../model/lab-kind';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'crossover-runs',
  title: 'Two runs, same clock',
  tab: 'Runs',
  view: 'lab',
  slot: 'dock',
  key: '5',
  height: 182,
  phone: 'tab',
  shown: isCrossoverLab,
  component: lazy(() => import('./Runs')),
} satisfies PanelDefinition;
