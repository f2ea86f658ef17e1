import { route } from '../../base/route';
import { shell } from '../../base/shell-state';
import { createStore, derive } from '../../base/store';
import { goToItem, playlistAt } from '../../model/lesson/playlists';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';
import { AUTHOR, author, openAuthor } from './author-state';

/** On a projector the drawing has the full width until the lesson is requested. */
const onProjector = createStore({ open: false });

export default [
  {
    id: 'lesson',
    title: 'Lesson',
    view: ['machine', 'lab'],
    slot: 'left',
    key: '1',
    phone: 'top',
    mode: 'always',
    shown: derive(
      [shell, onProjector],
      () => !shell.getState().lecture || onProjector.getState().open,
    ),
    commands: [
      {
        id: 'playlist.next',
        title: 'Next lesson of the playlist',
        section: 'Lesson',
        keywords: ['lecture', 'list', 'item'],
        when: () => playlistAt(route.getState()) !== null,
        run: () => void goToItem(1),
      },
      {
        id: 'playlist.previous',
        title: 'Previous lesson of the playlist',
        section: 'Lesson',
        keywords: ['lecture', 'list', 'item'],
        when: () => playlistAt(route.getState()) !== null,
        run: () => void goToItem(-1),
      },
      {
        id: 'lesson.hall',
        title: 'Lesson on the projector',
        section: 'Page',
        keys: ['R'],
        brief: 'lesson',
        keywords: ['step', 'text', 'lecture'],
        when: () => shell.getState().lecture && ['machine', 'lab'].includes(route.getState().view),
        run: () => onProjector.setState(({ open }) => ({ open: !open })),
      },
    ],
    component: loadable(() => import('./Lesson')),
  },
  {
    id: AUTHOR,
    title: 'Lesson text',
    view: ['machine', 'lab'],
    slot: 'right',
    key: '5',
    order: 4.9,
    width: 400,
    tab: 'Text',
    phone: 'more',
    shown: derive([author], () => author.getState().open),
    commands: [
      {
        id: 'lesson.write',
        title: 'Write the lesson',
        section: 'Lesson',
        hint: 'its text beside the machine, checked as you type',
        keywords: ['author', 'edit', 'editor', 'markdown', 'text', 'teach', 'check'],
        unavailable: 'open a machine or a lab first',
        when: () =>
          ['machine', 'lab'].includes(route.getState().view) &&
          session.getState().status === 'open',
        run: openAuthor,
      },
    ],
    component: loadable(() => import('./Author')),
  },
  {
    id: 'lesson-scenario',
    title: 'Which scenario?',
    slot: 'overlay',
    component: loadable(() => import('./ChooseScenario')),
  },
  {
    id: 'caption',
    title: 'What happens now',
    view: 'machine',
    slot: 'dock',
    order: 0,
    phone: 'top',
    mode: 'lecture',
    component: loadable(() => import('./Caption')),
  },
] satisfies readonly PanelDefinition[];
