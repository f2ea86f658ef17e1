/** Where a new part stands on the sheet of a machine whose parts all have their places. */
import type { PartType } from '../../engine/manifest';
import { SHEET } from './layout';

type Place = readonly [x: number, y: number, width: number, height: number];

/** Parts stand on a grid of this pitch, at this distance from each other and from the edge. */
export const SNAP = 8;
const APART = 16;

const sizeOf = ({ actor }: PartType): readonly [number, number] =>
  actor === 'bus' ? [SHEET.width - 48, 36] : [184, 62];

const overlaps = (a: Place, b: Place): boolean =>
  a[0] < b[0] + b[2] + APART &&
  b[0] < a[0] + a[2] + APART &&
  a[1] < b[1] + b[3] + APART &&
  b[1] < a[1] + a[3] + APART;

/** The first free place from the top; null where parts are placed by the page. */
export function freePlace(
  parts: readonly { readonly at: Place | null }[],
  type: PartType,
): Place | null {
  const taken = parts.flatMap(({ at }) => (at ? [at] : []));
  if (parts.length === 0 || taken.length < parts.length) return null;
  const [width, height] = sizeOf(type);
  const low = Math.max(...taken.map(([, y, , tall]) => y + tall));
  for (let y = SNAP; y <= low; y += SNAP)
    for (let x = 24; x + width <= SHEET.width - 20; x += SNAP) {
      const place = [x, y, width, height] as const;
      if (!taken.some((other) => overlaps(place, other))) return place;
    }
  return [24, Math.ceil((low + APART) / SNAP) * SNAP, width, height];
}

/** A place moved by steps of the grid, within the sheet. */
export const moved = ([x, y, width, height]: Place, dx: number, dy: number): Place => [
  Math.max(0, Math.round((x + dx) / SNAP) * SNAP),
  Math.max(0, Math.round((y + dy) / SNAP) * SNAP),
  width,
  height,
];
