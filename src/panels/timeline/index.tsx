import { showsAllLanes, showsOneRun } from '../../model/lab/kind';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default [
  {
    id: 'overview',
    title: 'Whole run',
    view: ['machine', 'lab', 'build'],
    slot: 'dock',
    order: 2,
    height: 58,
    mode: 'always',
    shown: showsOneRun,
    component: loadable(() => import('./Overview')),
  },
  {
    id: 'lanes',
    title: 'Timeline',
    view: ['machine', 'lab', 'build'],
    slot: 'dock',
    order: 3,
    height: 150,
    grow: true,
    tab: 'Time',
    phone: 'tab',
    shown: showsAllLanes,
    ofRun: true,
    component: loadable(() => import('./Lanes')),
  },
  {
    id: 'events',
    title: 'Events',
    view: 'machine',
    slot: 'centre',
    key: '3',
    mode: 'work',
    tab: 'Events',
    phone: 'more',
    ofRun: true,
    component: loadable(() => import('./Events')),
  },
] satisfies readonly PanelDefinition[];
