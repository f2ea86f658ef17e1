import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'recording',
  title: 'Your recording',
  slot: 'overlay',
  component: loadable(() => import('./Recording')),
} satisfies PanelDefinition;
