import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'parameters',
  title: 'Parameters',
  tab: 'Costs',
  view: 'lab',
  slot: 'left',
  key: '1',
  component: loadable(() => import('./Parameters')),
} satisfies PanelDefinition;
