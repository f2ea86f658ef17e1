import { derive } from '../../base/store';
import { lineOwners } from '../../model/coherence/line-ownership';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** The machine has an I/O cache that takes lines from processors. */
const shown = derive([session], () => {
  const { machine } = session.getState();
  return machine !== null && lineOwners(machine) !== null;
});

export default {
  id: 'ownership',
  title: 'Line ownership',
  tab: 'Owners',
  phone: 'more',
  view: 'machine',
  slot: 'centre',
  key: '4',
  order: 2.1,
  shown,
  component: loadable(() => import('./Ownership')),
} satisfies PanelDefinition;
