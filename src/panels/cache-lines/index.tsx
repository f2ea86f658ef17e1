import { derive } from '../../base/store';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** The machine has caches with line states. */
const shown = derive([session], () => {
  const { machine } = session.getState();
  return machine !== null && coherentMachine(machine).caches.length > 0;
});

export default {
  id: 'cache-lines',
  title: 'Cache lines',
  view: 'machine',
  slot: 'centre',
  key: '3',
  tab: 'Lines',
  shown,
  component: loadable(() => import('./CacheLines')),
} satisfies PanelDefinition;
