import { derive } from '../../base/store';
import {
  fitsBitmap,
  hasPools,
  hasPoolsAlone,
  hasPoolsBesideBus,
} from '../../controllers/machine-features';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

const Bitmap = loadable(() => import('./Bitmap'));
const Search = loadable(() => import('./Search'));
const LockTable = loadable(() => import('./LockTable'));
const RoomTable = loadable(() => import('./RoomTable'));

const pools = { slot: 'centre', shown: hasPools } as const;
const bitmap = { ...pools, title: 'Bitmap, one row per pool', tab: 'Pools', component: Bitmap };
const search = { ...pools, title: 'Bitmap search, word by word', tab: 'Search', component: Search };
const locks = { ...pools, title: 'Lock statistics', tab: 'Locks', component: LockTable } as const;
const room = { ...pools, title: 'Room for requests', tab: 'Room', component: RoomTable } as const;
/** A small map needs little height; the panels below get the room. */
const startHeight = derive([fitsBitmap], () => (fitsBitmap.getState() ? 176 : 300));

/** In a machine with a bus the drawing comes before these panels. */
const ofMachine = <D extends object>(definition: D, id: string, order: number) => [
  { ...definition, id, view: 'machine' as const, order, shown: hasPoolsAlone },
  {
    ...definition,
    id: `${id}-below`,
    view: 'machine' as const,
    order: order + 1,
    shown: hasPoolsBesideBus,
  },
];

export default [
  { ...bitmap, id: 'pool-bitmap', view: 'lab', key: '2', height: 330 },
  { ...search, id: 'pool-search', view: 'lab', key: '3' },
  { ...locks, id: 'pool-locks', view: 'lab', key: '3', order: 3.1 },
  { ...room, id: 'pool-room', view: 'lab', key: '3', order: 3.2 },
  ...ofMachine({ ...bitmap, key: '7', startHeight }, 'pool-map', 1.8),
  ...ofMachine({ ...search, key: '8' }, 'pool-lens', 1.9),
  ...ofMachine({ ...locks, key: '8' }, 'pool-lock-table', 1.91),
  ...ofMachine({ ...room, key: '8' }, 'pool-room-table', 1.92),
  {
    id: 'pool-results',
    title: 'Results',
    view: 'lab',
    slot: 'right',
    key: '4',
    tab: 'Results',
    shown: hasPools,
    component: loadable(() => import('./Results')),
  },
  {
    id: 'pool-doctor',
    title: 'Advice',
    view: 'lab',
    slot: 'left',
    key: '6',
    order: 6.1,
    shown: hasPools,
    component: loadable(() => import('./Advice')),
  },
  {
    id: 'pool-lanes',
    title: 'Lock lanes',
    view: 'lab',
    slot: 'dock',
    order: 3,
    height: 180,
    grow: true,
    mode: 'always',
    tab: 'Time',
    phone: 'tab',
    shown: hasPools,
    component: loadable(() => import('./LockLanes')),
  },
  {
    id: 'pool-waits',
    title: 'Why did this CPU wait?',
    view: 'lab',
    slot: 'right',
    key: '5',
    height: 214,
    tab: 'Waits',
    shown: hasPools,
    component: loadable(() => import('./Waits')),
  },
] satisfies readonly PanelDefinition[];
