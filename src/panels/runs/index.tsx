import { derive } from '../../base/store';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'runs',
  title: 'All runs',
  view: 'machine',
  slot: 'centre',
  key: '4',
  tab: 'Runs',
  phone: 'more',
  shown: derive([session], () => (session.getState().data?.experiment ?? null) !== null),
  component: loadable(() => import('./Runs')),
} satisfies PanelDefinition;
