import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'parameters',
  title: 'Parameters',
  tab: 'Costs',
  view: 'lab',
  slot: 'left',
  key: '6',
  height: 270,
  component: loadable(() => import('./Parameters')),
} satisfies PanelDefinition;
