import { derive } from '../../base/store';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** The machine has an adapter with a TLB. */
const shown = derive([session], () => {
  const { machine } = session.getState();
  return machine !== null && coherentMachine(machine).tlb !== null;
});

export default {
  id: 'io-tlb',
  title: 'I/O TLB by chain',
  view: 'machine',
  slot: 'centre',
  key: '4',
  tab: 'TLB',
  shown,
  component: loadable(() => import('./IoTlb')),
} satisfies PanelDefinition;
