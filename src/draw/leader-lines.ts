/**
 * Leader lines from the words of a sentence to what they name in a drawing above it: straight pieces in the gaps between
 * parts. A line crosses a part or a word only if there is no other way.
 *
 *     +------+   +------+
 *     | cell |   |      |
 *     +--o---+   +------+
 *        +-----+
 *              |
 *         the words
 */
import type { Rect } from '../base/geometry';

type Corners = readonly number[];

export interface Surroundings {
  readonly parts: readonly Rect[];
  readonly words: readonly Rect[];
  /** Buses reach from side to side: lines have to cross them. */
  readonly buses: readonly Rect[];
  /** The drawing. */
  readonly sheet: Rect;
}

/** Prices of a crossing, in pixels of a detour. */
const CROSSED = { part: 700, words: 4000, bus: 40, line: 150 };
/** Distance from a part, and from another line. */
const CLEAR = 7;
const APART = 9;

/** Whether an upright or level piece crosses a rectangle. */
function crosses(corners: Corners, at: number, { x, y, width, height }: Rect): boolean {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners.slice(at, at + 4);
  return (
    Math.max(x1, x2) > x &&
    Math.min(x1, x2) < x + width &&
    Math.max(y1, y2) > y &&
    Math.min(y1, y2) < y + height
  );
}

function crossings(corners: Corners, rects: readonly Rect[]): number {
  let sum = 0;
  for (let at = 0; at + 3 < corners.length; at += 2)
    for (const rect of rects) if (crosses(corners, at, rect)) sum++;
  return sum;
}

function lengthOf(corners: Corners): number {
  let sum = 0;
  for (let at = 0; at + 3 < corners.length; at += 2)
    sum +=
      Math.abs((corners[at + 2] ?? 0) - (corners[at] ?? 0)) +
      Math.abs((corners[at + 3] ?? 0) - (corners[at + 1] ?? 0));
  return sum;
}

/** A line as thin rectangles that others keep off. */
function bandsOf(corners: Corners): Rect[] {
  const bands: Rect[] = [];
  for (let at = 0; at + 3 < corners.length; at += 2) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners.slice(at, at + 4);
    bands.push({
      x: Math.min(x1, x2) - APART / 2,
      y: Math.min(y1, y2) - APART / 2,
      width: Math.abs(x2 - x1) + APART,
      height: Math.abs(y2 - y1) + APART,
    });
  }
  return bands;
}

const holds = (outer: Rect, { x, y, width, height }: Rect): boolean =>
  outer.x <= x + 1 &&
  outer.y <= y + 1 &&
  outer.x + outer.width >= x + width - 1 &&
  outer.y + outer.height >= y + height - 1;

/** Every way that is considered: up from the words, along a gap, up or down to the target. */
function ways(from: Rect, to: Rect, { parts, sheet }: Surroundings, level: number): Corners[] {
  const x0 = from.x + from.width / 2;
  const channel = from.y - 6 - level * APART;
  const [left, right] = [to.x, to.x + to.width];
  const [top, low] = [to.y, to.y + to.height];
  const [middle, centre] = [left + to.width / 2, top + to.height / 2];
  // Beside a part within another there is no gap.
  const whole = parts.filter((part) => !parts.some((one) => one !== part && holds(one, part)));
  const gaps = [
    x0,
    middle,
    sheet.x + CLEAR,
    sheet.x + sheet.width - CLEAR,
    ...whole.flatMap((part) => [part.x - CLEAR, part.x + part.width + CLEAR]),
  ];
  const start = [x0, from.y, x0, channel];
  return gaps.flatMap((x) => [
    [...start, x, channel, x, centre, x < middle ? left : right, centre],
    ...[4, 8, 12, 18].flatMap((below) => [
      [...start, x, channel, x, low + below, middle, low + below, middle, low],
      [...start, x, channel, x, top - below, middle, top - below, middle, top],
    ]),
  ]);
}

/** The lines, each as x, y, x, y ..., from the words to the edge of the target. */
export function leaderLines(
  pairs: readonly { readonly from: Rect; readonly to: Rect }[],
  around: Surroundings,
): Corners[] {
  const taken: Rect[] = [];
  return pairs.map(({ from, to }, level) => {
    const outside = (rects: readonly Rect[]) => rects.filter((rect) => !holds(rect, to));
    const [parts, buses] = [outside(around.parts), outside(around.buses)];
    const words = around.words.filter((rect) => !holds(to, rect));
    const cost = (corners: Corners) =>
      lengthOf(corners) +
      CROSSED.part * crossings(corners, parts) +
      CROSSED.words * crossings(corners, words) +
      CROSSED.bus * crossings(corners, buses) +
      CROSSED.line * crossings(corners, taken);
    let [best, least]: [Corners, number] = [[], Infinity];
    for (const corners of ways(from, to, around, level)) {
      const price = cost(corners);
      if (price < least) [best, least] = [corners, price];
    }
    taken.push(...bandsOf(best));
    return best;
  });
}
