import { lazy } from 'react';
import { hasPools } from '../../model/pool-map';
import type { PanelDefinition } from '../../widgets/panels';

const Bitmap = lazy(() => import('./Bitmap'));
const Search = lazy(() => import('./Search'));

const pools = { slot: 'centre', shown: hasPools } as const;
const bitmap = { ...pools, title: 'Bitmap, one row per pool', tab: 'Pools', component: Bitmap };
const search = { ...pools, title: 'The search, word by word', tab: 'Search', component: Search };

export default [
  { ...bitmap, id: 'pool-bitmap', view: 'lab', key: '2', height: 378 },
  { ...search, id: 'pool-search', view: 'lab', key: '3', mode: 'work' },
  { ...bitmap, id: 'pool-map', view: 'machine', key: '7', order: 2.1, mode: 'work' },
  { ...search, id: 'pool-lens', view: 'machine', key: '8', order: 2.2, mode: 'work' },
  {
    id: 'pool-results',
    title: 'Results',
    view: 'lab',
    slot: 'right',
    key: '4',
    tab: 'Results',
    shown: hasPools,
    component: lazy(() => import('./Results')),
  },
  {
    id: 'pool-waits',
    title: 'Why did this CPU wait?',
    view: 'lab',
    slot: 'right',
    key: '5',
    height: 226,
    tab: 'Waits',
    shown: hasPools,
    component: lazy(() => import('./Waits')),
  },
] satisfies readonly PanelDefinition[];
