import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'prove',
  title: 'Prove it, break it',
  view: 'prove',
  slot: 'full',
  component: loadable(() => import('./Prove')),
} satisfies PanelDefinition;
