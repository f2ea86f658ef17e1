/** The position of a new part on the sheet of a machine whose parts all have positions. */
import type { PartType } from '../../engine/manifest';
import { SHEET } from './layout';

type Place = readonly [x: number, y: number, width: number, height: number];

/** Pitch of the grid, and the least distance of parts from each other and from the edge. */
export const SNAP = 8;
const APART = 16;

const sizeOf = ({ actor }: PartType): readonly [number, number] =>
  actor === 'bus' ? [SHEET.width - 48, 36] : [184, 62];

const overlaps = (a: Place, b: Place): boolean =>
  a[0] < b[0] + b[2] + APART &&
  b[0] < a[0] + a[2] + APART &&
  a[1] < b[1] + b[3] + APART &&
  b[1] < a[1] + a[3] + APART;

/** Processors and software go above the part they are wired to, memory beside it, everything else below. */
type Side = 'above' | 'beside' | 'below';
const SIDES: Partial<Record<PartType['actor'], Side>> = {
  cpu: 'above',
  os: 'above',
  mem: 'beside',
};
const WRONG_SIDE = 400;

/** Distance of a position from a part; vertical distance counts twice, so that wires are short. */
function away([x, y, width, height]: Place, [px, py, wide, tall]: Place, side: Side): number {
  const [across, down] = [x + width / 2, y + height / 2];
  const aside = Math.max(px - across, across - px - wide, 0);
  const fits = { above: y + height <= py, beside: true, below: y >= py + tall }[side];
  return aside + 2 * Math.abs(down - py - tall / 2) + (fits ? 0 : WRONG_SIDE);
}

/**
 * The free position nearest to the part it will be wired to, else the first from the top; null if the page
 * places the parts.
 */
export function freePlace(
  parts: readonly { readonly at: Place | null }[],
  type: PartType,
  peer: Place | null = null,
): Place | null {
  const taken = parts.flatMap(({ at }) => (at ? [at] : []));
  if (parts.length === 0 || taken.length < parts.length) return null;
  const [width, height] = sizeOf(type);
  const low = Math.max(...taken.map(([, y, , tall]) => y + tall));
  const below = Math.ceil((low + APART) / SNAP) * SNAP;
  const side = SIDES[type.actor] ?? 'below';
  let best: Place | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (let y = SNAP; y <= below; y += SNAP)
    for (let x = 24; x + width <= SHEET.width - 20; x += SNAP) {
      const place = [x, y, width, height] as const;
      const far = peer ? away(place, peer, side) : y;
      if (far >= least || taken.some((other) => overlaps(place, other))) continue;
      [best, least] = [place, far];
    }
  return best;
}

/** The position of a new part whose middle is at a point of the sheet, on the grid. */
export function placeAt(type: PartType, x: number, y: number): Place {
  const [width, height] = sizeOf(type);
  return moved([0, 0, width, height], x - width / 2, y - height / 2);
}

/** A position moved by steps of the grid, within the sheet. */
export const moved = ([x, y, width, height]: Place, dx: number, dy: number): Place => [
  Math.max(0, Math.round((x + dx) / SNAP) * SNAP),
  Math.max(0, Math.round((y + dy) / SNAP) * SNAP),
  width,
  height,
];
