import { route } from '../../base/route';
import { sweepParam } from '../../controllers/sweep-request';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'sweep',
  title: 'Sweep',
  slot: 'overlay',
  component: loadable(() => import('./Sweep')),
  commands: [
    {
      id: 'sweep.open',
      title: 'Sweep a parameter',
      section: 'Compare',
      menu: 'compare',
      keywords: ['range', 'vary', 'curve', 'heat map', 'experiment', 'study'],
      unavailable: 'open a machine or a lab first',
      when: () => ['lab', 'machine', 'build'].includes(route.getState().view),
      run: () => sweepParam(''),
    },
  ],
} satisfies PanelDefinition;
