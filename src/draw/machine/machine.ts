/**
 * The machine drawing. The static part (boxes, names, wires) is drawn once per layout. The changing part is a
 * function of one moment, so any moment can be drawn again exactly.
 */
import { NOWHERE } from '../../model/coherence/selected-lines';
import { signOf } from '../glyph';
import type { Moment } from '../moment';
import { path, polyline, rect, type Shape } from '../shape';
import { busNow, railShapes } from './bus';
import { transactionOn } from './bus-transaction';
import { contentsNow } from './contents';
import { boxShapes } from './parts';
import { responseLine, responseShapes } from './responses';
import type { Look, MachineLayout, PlacedPart, RoutedWire } from './types';

export function wireShapes(layout: MachineLayout): Shape[] {
  return [
    ...responseLine(layout),
    ...layout.wires.map(({ corners, thick }) =>
      path(polyline(corners, false), thick ? 'stub' : 'wire'),
    ),
  ];
}

export const partShapes = (part: PlacedPart, selected: boolean): Shape[] =>
  part.rail ? railShapes(part) : boxShapes(part, selected);

/** A thick wire filled with a hue, segment by segment. */
function filledWire({ corners }: RoutedWire, hue: string): Shape[] {
  const shapes: Shape[] = [];
  for (let i = 0; i + 3 < corners.length; i += 2) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners.slice(i, i + 4);
    const [left, top] = [Math.min(x1, x2) - 2, Math.min(y1, y2) - 2];
    const [width, height] = [Math.abs(x2 - x1) + 4, Math.abs(y2 - y1) + 4];
    const [dx, dy] = [width > 4 ? 2 : 0, height > 4 ? 2 : 0];
    shapes.push(rect(left + dx, top + dy, width - 2 * dx, height - 2 * dy, `a-${hue}`));
  }
  return shapes;
}

/** Stubs between a bus and the two parts using it have the hue of the requester. */
function usedWires(layout: MachineLayout, now: Moment): Shape[] {
  return layout.parts
    .filter((part) => part.rail)
    .flatMap((bus) => {
      const what = transactionOn(layout, bus, now);
      if (!what) return [];
      const owner = what.stretch.origin ?? what.stretch.by;
      const requester = layout.parts.find((part) => part.index === owner);
      const users = [what.stretch.by, what.target];
      const { hue } = signOf(requester?.actor ?? 'bus');
      return layout.wires
        .filter(({ ends: [a, b], thick }) => {
          const other = a.part === bus.index ? b.part : b.part === bus.index ? a.part : null;
          return thick && other !== null && users.includes(other);
        })
        .flatMap((wire) => filledWire(wire, hue));
    });
}

const UNSEEN: Look = { selected: NOWHERE, pointed: NOWHERE, conflictRow: null };

/** Everything that changes, in painting order. `still`: packets do not move (reduced motion). */
export function machineNow(
  layout: MachineLayout,
  now: Moment,
  still = false,
  look: Look = UNSEEN,
): Shape[] {
  return [
    ...usedWires(layout, now),
    ...layout.parts.flatMap((part) =>
      part.rail
        ? [...busNow(layout, part, now, { still, look }), ...responseShapes(layout, part, now)]
        : contentsNow(layout, part, now, look),
    ),
  ];
}
