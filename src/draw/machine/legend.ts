/** The meaning of the letters and patterns of line states, in a free corner of the machine drawing, or in a line below it. */

import { type Shape, words } from '../shape';
import { LINE_STATES, STATE_NAMES, stateCell } from '../state-cell';
import type { MachineLayout } from './types';

const [PITCH, ROW] = [95, 19];

export function legendShapes({ legend }: MachineLayout): Shape[] {
  if (!legend) return [];
  const columns = Math.min(LINE_STATES.length, Math.floor(legend.width / PITCH));
  return LINE_STATES.flatMap((state, place) => {
    const x = legend.x + (place % columns) * PITCH;
    const y = legend.y + Math.floor(place / columns) * ROW;
    return [
      ...stateCell(x, y, 15, 15, state),
      words(x + 20, y + 11.5, STATE_NAMES[state], 't11 i2'),
    ];
  });
}
