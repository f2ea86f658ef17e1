/** The meaning of the letters and patterns of line states, in a free corner of the machine drawing. */

import { type Shape, words } from '../shape';
import { LINE_STATES, STATE_NAMES, stateCell } from '../state-cell';
import type { MachineLayout } from './types';

const [COLUMNS, PITCH, ROW] = [3, 95, 19];

export function legendShapes({ legend }: MachineLayout): Shape[] {
  if (!legend) return [];
  return LINE_STATES.flatMap((state, place) => {
    const x = legend.x + (place % COLUMNS) * PITCH;
    const y = legend.y + Math.floor(place / COLUMNS) * ROW;
    return [
      ...stateCell(x, y, 15, 15, state),
      words(x + 20, y + 11.5, STATE_NAMES[state], 't11 i2'),
    ];
  });
}
