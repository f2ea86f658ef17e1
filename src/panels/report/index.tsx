import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'report',
  title: 'Reproduction report',
  view: 'report',
  slot: 'full',
  component: loadable(() => import('./Report')),
} satisfies PanelDefinition;
