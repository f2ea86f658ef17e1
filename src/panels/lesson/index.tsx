import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default [
  {
    id: 'lesson',
    title: 'Lesson',
    view: ['machine', 'lab'],
    slot: 'left',
    key: '1',
    phone: 'top',
    component: loadable(() => import('./Lesson')),
  },
  {
    id: 'caption',
    title: 'What happens now',
    view: 'machine',
    slot: 'dock',
    order: 0,
    mode: 'lecture',
    component: loadable(() => import('./Caption')),
  },
] satisfies readonly PanelDefinition[];
