import { fetched } from '../../base/retry-import';
import { route } from '../../base/route';
import { shell } from '../../base/shell-state';
import { createStore, derive } from '../../base/store';
import { showsAllLanes, showsOneRun } from '../../controllers/machine-features';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** The ruler, and the height of a lane beyond which more is not useful. */
const [RULER, LANE] = [26, 22];

/** On a projector the drawing has the height until the lanes are requested. */
const onProjector = createStore({ open: false });

/** Most lanes in a lecture: the drawing needs the height more, and the quieter lanes are left out. */
const MOST_PROJECTED = 5;

/** Height needed by the lanes of the open machine. */
const room = derive([session, shell], () => {
  const { machine, data } = session.getState();
  const laneCount = data?.view.lanes.length;
  const tracks = machine?.parts.reduce((sum, { type }) => sum + type.tracks.length, 0) ?? 0;
  const most = shell.getState().lecture ? MOST_PROJECTED : Number.POSITIVE_INFINITY;
  return RULER + Math.min(laneCount || tracks, most) * LANE;
});

async function saveLanes(): Promise<void> {
  const lanes = await fetched(() => import('./save-lanes'));
  await lanes.saveLanes();
}

export default [
  {
    id: 'overview',
    title: 'Complete run',
    view: ['machine', 'lab', 'build'],
    slot: 'dock',
    order: 2,
    height: 58,
    mode: 'always',
    shown: showsOneRun,
    component: loadable(() => import('./Overview')),
  },
  {
    id: 'lanes',
    title: 'Timeline',
    view: ['machine', 'lab', 'build'],
    slot: 'dock',
    order: 3,
    height: 150,
    startHeight: room,
    grow: true,
    tab: 'Time',
    phone: 'tab',
    mode: 'always',
    shown: derive(
      [shell, showsAllLanes, onProjector],
      () => showsAllLanes.getState() && (!shell.getState().lecture || onProjector.getState().open),
    ),
    commands: [
      {
        id: 'lanes.svg',
        title: 'Save the lanes as SVG',
        section: 'Panels',
        hint: 'as they are drawn now, for a slide',
        keywords: ['timeline', 'picture', 'image', 'slide', 'figure', 'save', 'moment'],
        menu: 'export',
        when: () => route.getState().view === 'machine' && session.getState().machine !== null,
        run: () => void saveLanes(),
      },
      {
        id: 'lanes.projector',
        title: 'Timeline on the projector',
        section: 'Page',
        keys: ['G'],
        brief: 'timeline',
        keywords: ['lanes', 'lecture'],
        when: () => shell.getState().lecture && route.getState().view === 'machine',
        run: () => onProjector.setState(({ open }) => ({ open: !open })),
      },
    ],
    component: loadable(() => import('./Lanes')),
  },
  {
    id: 'events',
    title: 'Events',
    view: 'machine',
    slot: 'centre',
    key: '3',
    mode: 'work',
    tab: 'Events',
    phone: 'more',
    component: loadable(() => import('./Events')),
  },
] satisfies readonly PanelDefinition[];
