import { derive } from '../../base/store';
import { fetchingPart } from '../../model/coherence/prefetch';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** The machine has a bridge that prefetches lines for devices' reads. */
const shown = derive([session], () => {
  const { machine } = session.getState();
  return machine !== null && fetchingPart(machine) !== null;
});

export default {
  id: 'prefetch',
  title: 'Prefetch',
  tab: 'Prefetch',
  phone: 'more',
  view: 'machine',
  slot: 'centre',
  key: '4',
  order: 2.4,
  shown,
  component: loadable(() => import('./Prefetch')),
} satisfies PanelDefinition;
