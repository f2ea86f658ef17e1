import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'crossover-size',
  title: 'At one size',
  tab: 'At size',
  view: 'lab',
  slot: 'right',
  key: '3',
  component: lazy(() => import('./AtSize')),
} satisfies PanelDefinition;
