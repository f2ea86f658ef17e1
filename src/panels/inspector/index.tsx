import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'inspector',
  title: 'Inspector',
  view: 'machine',
  slot: 'right',
  key: '5',
  tab: 'Parts',
  phone: 'more',
  component: loadable(() => import('./Inspector')),
} satisfies PanelDefinition;
