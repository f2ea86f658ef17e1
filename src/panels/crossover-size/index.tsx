import { isCrossoverLab } from '../../controllers/machine-features';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'crossover-size',
  title: 'At one point',
  tab: 'At point',
  view: 'lab',
  slot: 'right',
  key: '3',
  shown: isCrossoverLab,
  component: loadable(() => import('./AtSize')),
} satisfies PanelDefinition;
