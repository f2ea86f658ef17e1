import { derive } from '../../base/store';
import { orderedPart } from '../../model/coherence/coherence-roles';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** The machine has a bridge with a queue under PCI's ordering rules. */
const shown = derive([session], () => {
  const { machine } = session.getState();
  return machine !== null && orderedPart(machine) !== null;
});

export default {
  id: 'ordering',
  title: 'Ordering',
  tab: 'Order',
  phone: 'more',
  view: 'machine',
  slot: 'centre',
  key: '4',
  order: 2.3,
  shown,
  component: loadable(() => import('./Ordering')),
} satisfies PanelDefinition;
