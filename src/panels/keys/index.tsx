import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'keys',
  title: 'Keys',
  slot: 'overlay',
  component: loadable(() => import('./Keys')),
} satisfies PanelDefinition;
