import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'gallery',
  title: 'Gallery',
  view: 'gallery',
  slot: 'full',
  component: loadable(() => import('./Gallery')),
} satisfies PanelDefinition;
