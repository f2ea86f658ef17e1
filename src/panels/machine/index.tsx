import { derive } from '../../base/store';
import { hasPackets } from '../../controllers/machine-features';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** Room for the header, and for what happens now. */
const AROUND = 130;
/** Parts without places of their own stand in one row, if they are so few. */
const [FEW, ROW] = [3, 80];
const MOST_SCALE = 1.3;

/** How far down the parts of the open machine reach. */
function lowest(): number {
  const parts = session.getState().machine?.parts ?? [];
  const ends = parts.flatMap(({ at }) => (at ? [at[1] + at[3]] : []));
  if (parts.length === 0 || (ends.length < parts.length && parts.length > FEW)) return Infinity;
  return Math.max(ROW, ...ends);
}

/** Where threads and packets tell the story, and where the machine is small, the panels below it get the room. */
const startHeight = derive([hasPackets, session], () =>
  Math.round(Math.min(hasPackets.getState() ? 326 : 398, AROUND + lowest() * MOST_SCALE)),
);

export default {
  id: 'machine',
  title: 'Machine',
  view: 'machine',
  slot: 'centre',
  key: '2',
  height: 398,
  startHeight,
  ofRun: true,
  component: loadable(() => import('./Machine')),
} satisfies PanelDefinition;
