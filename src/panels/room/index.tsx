import { route } from '../../base/route';
import { shell, showOverlay } from '../../base/shell-state';
import { shownQuestion } from '../../model/lesson/answer-mask';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

const hasLesson = () => ['machine', 'lab'].includes(route.getState().view);

export default {
  id: 'room',
  title: 'Ask the room',
  slot: 'overlay',
  component: loadable(() => import('./Room')),
  commands: [
    {
      id: 'room.ask',
      title: 'Ask the room',
      section: 'Page',
      keys: ['Q'],
      brief: 'ask the room',
      keywords: ['question', 'vote', 'audience', 'lecture', 'count'],
      when: () => shell.getState().lecture && hasLesson() && shownQuestion() !== null,
      run: () => showOverlay('room'),
    },
  ],
} satisfies PanelDefinition;
