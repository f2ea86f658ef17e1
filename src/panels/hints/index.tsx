import { hasHints } from '../../controllers/machine-features';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'hints',
  title: 'DMA hints',
  tab: 'Hints',
  view: 'machine',
  slot: 'centre',
  key: '3',
  order: 2.5,
  shown: hasHints,
  component: loadable(() => import('./Hints')),
} satisfies PanelDefinition;
