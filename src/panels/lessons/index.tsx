import { navigate } from '../../base/route';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'lessons',
  title: 'Map of lessons',
  view: 'lessons',
  slot: 'full',
  component: loadable(() => import('./Lessons')),
  commands: [
    {
      id: 'go.lessons',
      title: 'Map of lessons',
      section: 'Go to',
      hint: 'how lessons build on each other',
      keywords: ['path', 'order', 'prerequisites', 'needs', 'course'],
      run: () => navigate({ view: 'lessons' }),
    },
  ],
} satisfies PanelDefinition;
