import { isCrossoverLab } from '../../controllers/machine-features';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default [
  {
    id: 'crossover-why',
    title: 'Why',
    tab: 'Why',
    view: 'lab',
    slot: 'right',
    key: '4',
    height: 168,
    shown: isCrossoverLab,
    component: loadable(() => import('./Why')),
  },
  {
    id: 'crossover-caption',
    title: 'Why, in one sentence',
    view: 'lab',
    slot: 'dock',
    mode: 'lecture',
    phone: 'hidden',
    shown: isCrossoverLab,
    component: loadable(() => import('./Caption')),
  },
] satisfies readonly PanelDefinition[];
