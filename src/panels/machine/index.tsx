import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'machine',
  title: 'Machine',
  view: 'machine',
  slot: 'centre',
  key: '2',
  height: 398,
  component: loadable(() => import('./Machine')),
} satisfies PanelDefinition;
