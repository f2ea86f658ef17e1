import { isCrossoverLab } from '../../controllers/machine-features';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'crossover-chart',
  title: 'Curves and their crossings',
  tab: 'Chart',
  view: 'lab',
  slot: 'centre',
  key: '2',
  shown: isCrossoverLab,
  component: loadable(() => import('./Chart')),
} satisfies PanelDefinition;
