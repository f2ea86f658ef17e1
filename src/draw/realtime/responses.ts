/**
 * Response times of jobs and packets as a histogram with their deadline; the late side is tinted. With a
 * comparison run, the open run's bars go up and the other's go down from the same line.
 */
import { integer, text, time } from '../../base/format';
import type { Response } from '../../model/realtime/realtime-log';
import { type Axis, linearAxis, timeTicks } from '../axis';
import { sealShapes } from '../glyph';
import { line, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

export interface ResponseSheet {
  readonly width: number;
  readonly height: number;
  /** The deadline; null if there is none. */
  readonly deadline: number | null;
  /** The deadline before it was dragged. */
  readonly was?: number | null;
  /** End of the time axis. */
  readonly reach: number;
  /** Responses after this time are faint: the playhead has not reached them. */
  readonly playheadPs: number;
  /** Responses of the comparison run. */
  readonly comparison?: readonly Response[] | null;
  /** The open question asks about them: there is a seal in place of the bars. */
  readonly isSealed?: boolean;
}

interface Bin {
  readonly from: number;
  readonly to: number;
  count: number;
  reached: number;
  missed: number;
}

const LEFT = 34;
const RIGHT = 14;
const TOP = 20;
const BOTTOM = 20;
const STEP = 7;
/** Between the deadline's line, which has a grip, and its label. */
const LABEL = 9;

/** As many equal bins as fit, from zero to the longest. */
function binsOf(
  responses: readonly Response[],
  most: number,
  number: number,
  playheadPs: number,
): Bin[] {
  const width = most / number;
  const bins = Array.from({ length: number }, (_, i) => ({
    from: i * width,
    to: (i + 1) * width,
    count: 0,
    reached: 0,
    missed: 0,
  }));
  for (const { from, to, missed } of responses) {
    const bin = bins[Math.min(number - 1, Math.floor((to - from) / width))];
    if (!bin) continue;
    bin.count++;
    if (to <= playheadPs) bin.reached++;
    if (missed) bin.missed++;
  }
  return bins;
}

const longestOf = (responses: readonly Response[]): number =>
  responses.reduce((most, { from, to }) => Math.max(most, to - from), 0);

/** A little beyond the longest response and the deadline. */
export const responseRange = (responses: readonly Response[], deadline: number | null): number =>
  Math.max(longestOf(responses), deadline ?? 0) * 1.04 || 1;

export const responseAxis = ({ width, reach }: Pick<ResponseSheet, 'width' | 'reach'>): Axis =>
  linearAxis(0, reach, LEFT, width - RIGHT);

/** From the top to the foot of the deadline's line. */
export const deadlineEnds = ({ height }: Pick<ResponseSheet, 'height'>) => ({
  top: TOP - 10,
  base: height - BOTTOM,
});

/** The responses judged by another deadline. */
export const judgedBy = (responses: readonly Response[], deadline: number): Response[] =>
  responses.map((one) => ({ ...one, missed: one.to - one.from > deadline }));

function deadlineShapes({ deadline, was }: ResponseSheet, x: Axis, base: number): Shape[] {
  if (deadline === null) return [];
  const at = x.at(deadline);
  const caption = `deadline ${text(time(deadline, 3))}`;
  const isRight = at + LABEL + widthOf(caption, 11.5) <= x.at(x.high);
  const label = words(
    at + (isRight ? LABEL : -LABEL),
    TOP - 4,
    caption,
    `t11 tbad ${isRight ? '' : 'end'}`,
  );
  const ghost = was == null || was === deadline ? [] : [x.at(was)];
  return [
    ...ghost.flatMap((x0) => [
      line(x0, TOP, x0, base, 'ghost'),
      words(x0 + 4, TOP + 9, text(time(was ?? 0, 3)), 't10 i2 halo'),
    ]),
    line(at, TOP - 10, at, base, 'defect'),
    label,
  ];
}

/** The bars of one run, from `foot` towards `top`, which corresponds to `tallest`. */
function barShapes(
  bins: readonly Bin[],
  { deadline, ...sheet }: ResponseSheet,
  { foot, top, tallest, cls }: { foot: number; top: number; tallest: number; cls: string },
): Shape[] {
  const x = responseAxis(sheet);
  // Height is the square root of the count, so that one late response beside hundreds is visible.
  const y = linearAxis(0, Math.sqrt(tallest), foot, top);
  const shapes: Shape[] = [];
  for (const amount of [tallest, Math.round(tallest / 4)].filter((value) => value > 0)) {
    const at = y.at(Math.sqrt(amount));
    shapes.push(
      line(LEFT, at, sheet.width - RIGHT, at, 'hair'),
      words(LEFT - 5, at + 3.5, integer(amount), 't10 i3 end'),
    );
  }
  for (const { from, to, count, reached } of bins) {
    if (count === 0) continue;
    const isLate = deadline !== null && from >= deadline;
    const [left, wide] = [x.at(from) + 0.5, x.at(to) - x.at(from) - 1];
    const bar = (height: number, opacity?: number) => {
      const end = y.at(Math.sqrt(height));
      const [upper, lower] = [Math.min(foot, end), Math.max(foot, end)];
      return rect(left, upper, wide, lower - upper, isLate ? 'badf' : cls, opacity);
    };
    shapes.push(bar(count, 0.3));
    if (reached > 0) shapes.push(bar(reached));
  }
  return shapes;
}

/** Axis and deadline, with a seal where the bars will be. */
function sealedShapes(sheet: ResponseSheet): Shape[] {
  const { width, height } = sheet;
  const [right, base] = [width - RIGHT, height - BOTTOM];
  const x = responseAxis(sheet);
  return [
    ...sealShapes({ x: LEFT, y: TOP, width: right - LEFT, height: base - TOP }, 'your guess?'),
    ...(sheet.deadline === null ? [] : axisShapes(x, base, right)),
    ...deadlineShapes(sheet, x, base),
  ];
}

const axisShapes = (x: Axis, base: number, right: number): Shape[] => [
  line(LEFT, base, right, base, 'thin'),
  ...timeTicks(x, Math.max(2, Math.floor((right - LEFT) / 70)), 'last').flatMap(({ at, label }) => [
    line(at, base, at, base + 3, 'thin'),
    words(at, base + 14, label, 't10 i3 mid'),
  ]),
];

export function responseShapes(responses: readonly Response[], sheet: ResponseSheet): Shape[] {
  if (sheet.isSealed) return sealedShapes(sheet);
  const { width, height, deadline, playheadPs, reach, comparison = null } = sheet;
  const [right, base] = [width - RIGHT, height - BOTTOM];
  const x = responseAxis(sheet);
  const number = Math.max(4, Math.floor((right - LEFT) / STEP));
  const [bins, others] = [responses, comparison ?? []].map((all) =>
    binsOf(all, reach, number, playheadPs),
  ) as [Bin[], Bin[]];
  const tallest = Math.max(1, ...[...bins, ...others].map(({ count }) => count));
  const foot = comparison ? (TOP + base) / 2 : base;
  const shapes: Shape[] = [];
  if (deadline !== null)
    shapes.push(
      rect(x.at(deadline), TOP - 6, right - x.at(deadline), base - TOP + 6, 'badf', 0.09),
    );
  shapes.push(...barShapes(bins, sheet, { foot, top: TOP, tallest, cls: 'ink2f' }));
  if (comparison)
    shapes.push(
      ...barShapes(others, sheet, { foot, top: base, tallest, cls: 'accf' }),
      line(LEFT, foot, right, foot, 'thin'),
      words(LEFT + 5, foot - 6, 'A', 't11 halo b'),
      words(LEFT + 5, foot + 14, 'B', 't11 halo b'),
    );
  shapes.push(words(LEFT, TOP - 9, 'root scale', 't10 i3'));
  return [...shapes, ...axisShapes(x, base, right), ...deadlineShapes(sheet, x, base)];
}

/** The histogram in sentences. */
export function responseSentences(
  responses: readonly Response[],
  deadline: number | null,
  what: string,
): string[] {
  if (responses.length === 0) return [`No ${what} has finished yet.`];
  const lengths = responses.map(({ from, to }) => to - from).toSorted((a, b) => a - b);
  const at = (share: number) =>
    lengths[Math.min(lengths.length - 1, Math.floor(share * lengths.length))] ?? 0;
  const span = (ps: number) => text(time(ps, 3));
  const missed = responses.filter((one) => one.missed).length;
  return [
    `${integer(responses.length)} ${what} have finished; the shortest took ${span(at(0))}, the median took ${span(at(0.5))}, the longest ${span(at(1))}.`,
    deadline === null
      ? 'Nothing has a deadline.'
      : `${missed === 0 ? 'None' : integer(missed)} took longer than the ${span(deadline)} allowed.`,
  ];
}
