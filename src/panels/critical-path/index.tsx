import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'critical-path',
  title: 'Critical path',
  view: 'machine',
  slot: 'centre',
  key: '3',
  order: 3.9,
  mode: 'work',
  tab: 'Path',
  phone: 'more',
  component: loadable(() => import('./CriticalPath')),
} satisfies PanelDefinition;
