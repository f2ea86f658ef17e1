import { derive } from '../../base/store';
import { hasTasks } from '../../model/real-time/roles';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'machine',
  title: 'Machine',
  view: 'machine',
  slot: 'centre',
  key: '2',
  height: 398,
  // Where threads and packets tell the story, the panels below it need the room.
  startHeight: derive([hasTasks], () => (hasTasks.getState() ? 326 : 398)),
  component: loadable(() => import('./Machine')),
} satisfies PanelDefinition;
