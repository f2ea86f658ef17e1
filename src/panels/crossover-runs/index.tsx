import { isCrossoverLab } from '../../controllers/machine-features';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'crossover-runs',
  title: 'Two runs, same clock',
  tab: 'Runs',
  view: 'lab',
  slot: 'dock',
  key: '5',
  height: 182,
  phone: 'tab',
  shown: isCrossoverLab,
  component: loadable(() => import('./Runs')),
} satisfies PanelDefinition;
