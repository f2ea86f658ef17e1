import { derive } from '../../base/store';
import { busesOf } from '../../model/coherence/bus-phases';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** The machine has a PCI or PCI-X bus. */
const shown = derive([session], () => {
  const { machine } = session.getState();
  return machine !== null && busesOf(machine).length > 0;
});

export default {
  id: 'bus-analyser',
  title: 'Bus analyser',
  tab: 'Bus',
  view: 'machine',
  slot: 'centre',
  key: '4',
  order: 2.2,
  shown,
  component: loadable(() => import('./BusAnalyser')),
} satisfies PanelDefinition;
