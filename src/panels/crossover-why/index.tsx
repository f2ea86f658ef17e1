import { lazy } from 'react';
import type { PanelDefinition } from '../../widgets/panels';

export default [
  {
    id: 'crossover-why',
    title: 'Why',
    tab: 'Why',
    view: 'lab',
    slot: 'right',
    key: '4',
    height: 168,
    component: lazy(() => import('./Why')),
  },
  {
    id: 'crossover-caption',
    title: 'Why, in one sentence',
    view: 'lab',
    slot: 'dock',
    mode: 'lecture',
    phone: 'hidden',
    component: lazy(() => import('./Caption')),
  },
] satisfies readonly PanelDefinition[];
