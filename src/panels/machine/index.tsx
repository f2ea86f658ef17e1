import { fetched } from '../../base/retry-import';
import { route } from '../../base/route';
import { showOverlay } from '../../base/shell-state';
import { derive } from '../../base/store';
import { hasHints, hasPackets } from '../../controllers/machine-features';
import { session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

/** Height of the header and the present event. */
const AROUND = 130;
/** Up to this many parts without positions are in one row. */
const [FEW, ROW] = [3, 80];
const MOST_SCALE = 1.3;

/** Lower edge of the open machine's parts. */
function lowest(): number {
  const parts = session.getState().machine?.parts ?? [];
  const ends = parts.flatMap(({ at }) => (at ? [at[1] + at[3]] : []));
  if (parts.length === 0 || (ends.length < parts.length && parts.length > FEW)) return Infinity;
  return Math.max(ROW, ...ends);
}

/** Start heights: in general, above the hints of a bridge, and above threads and packets. */
const [USUAL, ABOVE_HINTS, ABOVE_PACKETS] = [398, 368, 326];

/** Higher drawings would be scaled below what can be read in the height above hints. */
const MOST_ABOVE_HINTS = 360;

/** The panels below get more room for what needs it, and for small machines. */
const startHeight = derive([hasPackets, hasHints, session], () => {
  const low = lowest();
  const aboveHints = hasHints.getState() && low <= MOST_ABOVE_HINTS;
  const most = hasPackets.getState() ? ABOVE_PACKETS : aboveHints ? ABOVE_HINTS : USUAL;
  return Math.round(Math.min(most, AROUND + low * MOST_SCALE));
});

async function saveDrawing(): Promise<void> {
  const { saveSvg } = await fetched(() => import('../../widgets/svg-file'));
  const drawing = document.querySelector<SVGSVGElement>('[data-machine] svg.drawing');
  if (drawing) await saveSvg(drawing, session.getState().title);
}

const isHere = () => route.getState().view === 'machine' && session.getState().machine !== null;

const machine: PanelDefinition = {
  id: 'machine',
  title: 'Machine',
  view: 'machine',
  slot: 'centre',
  key: '2',
  height: 398,
  startHeight,
  component: loadable(() => import('./Machine')),
  commands: [
    {
      id: 'machine.svg',
      title: 'Save the machine as SVG',
      section: 'Panels',
      hint: 'as it is drawn now, for a slide',
      keywords: ['picture', 'image', 'slide', 'figure', 'save', 'moment'],
      menu: 'export',
      when: isHere,
      run: () => void saveDrawing(),
    },
    {
      id: 'machine.gif',
      title: 'Save the machine as a film',
      section: 'Panels',
      hint: 'animated GIF, for a slide',
      keywords: ['animated', 'gif', 'video', 'picture', 'slide', 'save', 'moment'],
      menu: 'export',
      when: isHere,
      run: () => showOverlay('film'),
    },
  ],
};

const film: PanelDefinition = {
  id: 'film',
  title: 'Save the machine as a film',
  slot: 'overlay',
  component: loadable(() => import('./FilmSheet')),
};

export default [machine, film];
