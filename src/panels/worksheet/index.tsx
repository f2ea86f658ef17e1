import { route } from '../../base/route';
import { openLesson } from '../../model/lesson/open-lesson';
import { navigateInSession } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'worksheet',
  title: 'Worksheet',
  view: 'worksheet',
  slot: 'full',
  component: loadable(() => import('./Worksheet')),
  commands: [
    {
      id: 'go.worksheet',
      title: 'Worksheet and summary card',
      section: 'Lesson',
      hint: 'this lesson on paper',
      keywords: ['print', 'pdf', 'paper', 'handout', 'solutions', 'notes', 'objectives', 'qr'],
      menu: 'export',
      when: () => openLesson.getState() !== null && route.getState().view !== 'worksheet',
      run: () => navigateInSession('worksheet'),
    },
  ],
} satisfies PanelDefinition;
