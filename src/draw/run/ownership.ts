/**
 * Lines that change owners, over time: a band for each line, with a lane for each cache that may hold it. A
 * bar is the state in which it is held there; an arrow leads back to the processors where they recalled it.
 *
 *   0x40000080   CPU         ▐D▌            ▐D▌
 *                I/O cache       ▐P▌───↑        ▐P▌
 */
import { address, count, integer, text, time } from '../../base/format';
import { clamp } from '../../base/geometry';
import type { Hold, HoldEnd } from '../../model/coherence/line-ownership';
import { type Axis, linearAxis, type Tick } from '../axis';
import { path, rect, line as rule, type Shape, words } from '../shape';
import { STATE_NAMES } from '../state-cell';
import { type Window, windowTicks } from './timeline-axis';

/** A cache that may hold a line; the I/O cache is the last. */
export interface Holder {
  readonly part: number;
  readonly title: string;
}

interface PlacedHold {
  readonly hold: Hold;
  readonly x: number;
  readonly end: number;
  readonly y: number;
}

export interface OwnershipModel {
  readonly axis: Axis;
  readonly ticks: readonly Tick[];
  /** By line, then by time. */
  readonly placed: readonly PlacedHold[];
  readonly bands: readonly { readonly address: number; readonly y: number }[];
  readonly holders: readonly Holder[];
  readonly bar: number;
  readonly height: number;
}

interface OwnershipInput {
  readonly holds: readonly Hold[];
  readonly holders: readonly Holder[];
  readonly window: Window;
  readonly left: number;
  readonly width: number;
  readonly room: number;
}

const [TOP, GAP, APART] = [18, 8, 3];
const [LOWEST, HIGHEST] = [12, 18];
const MOST_LINES = 16;
/** Least width of a bar that can be hovered, and of one that has room for a letter. */
const [LEAST, LETTERED] = [4, 12];
const LETTERS = { shared: 'S', clean: 'P', dirty: 'D' } as const;

/** The lines that change owners most often in the window, as many as fit, by address. */
function shownLines(holds: readonly Hold[], window: Window, most: number): number[] {
  const changes = new Map<number, number>();
  for (const { address: line, from } of holds)
    changes.set(
      line,
      (changes.get(line) ?? 0) + (from >= window.from && from <= window.to ? 1 : 0),
    );
  return [...changes]
    .sort(([a, often], [b, other]) => other - often || a - b)
    .slice(0, most)
    .map(([line]) => line)
    .sort((a, b) => a - b);
}

export function ownershipModel(input: OwnershipInput): OwnershipModel {
  const { holds, holders, window, left, width, room } = input;
  const axis = linearAxis(window.from, window.to, left, width);
  const near = holds.filter(
    ({ from, to }) => from <= window.to && (to ?? Number.POSITIVE_INFINITY) >= window.from,
  );
  const least = holders.length * LOWEST + GAP;
  const fitting = clamp(Math.floor((room - TOP) / least), 2, MOST_LINES);
  const lines = shownLines(near, window, fitting);
  const free = (room - TOP) / Math.max(1, lines.length) - GAP;
  const lane = clamp(Math.floor(free / holders.length), LOWEST, HIGHEST);
  const deep = lane * holders.length + GAP;
  const placed = near.flatMap((hold): PlacedHold[] => {
    const band = lines.indexOf(hold.address);
    const row = holders.findIndex(({ part }) => part === hold.holder);
    if (band < 0 || row < 0) return [];
    const x = Math.max(axis.at(hold.from), left);
    const end = Math.min(axis.at(hold.to ?? window.to), width);
    return [{ hold, x, end: Math.max(end, x + LEAST), y: TOP + band * deep + row * lane }];
  });
  placed.sort((a, b) => a.hold.address - b.hold.address || a.hold.from - b.hold.from);
  const bands = lines.map((line, i) => ({ address: line, y: TOP + i * deep }));
  const height = TOP + lines.length * deep;
  return {
    ...{ axis, ticks: windowTicks(axis, 8), placed, bands, holders },
    ...{ bar: lane - APART, height },
  };
}

/** The end of a hold as known at a time. */
const endAt = ({ to, end }: Hold, timePs: number): HoldEnd | null =>
  to !== null && to <= timePs ? end : null;

function holdShapes(model: OwnershipModel, at: PlacedHold, untilPs: number): Shape[] {
  const { axis, bar } = model;
  const { hold, x, end, y } = at;
  const stop = Math.max(x + 1, Math.min(end, axis.at(Math.min(untilPs, axis.high))));
  const shapes: Shape[] = [rect(x, y, stop - x, bar, `st st-${hold.state}`)];
  if (stop - x >= LETTERED)
    shapes.push(
      words(x + 5, y + bar / 2 + 3.5, LETTERS[hold.state], `st-l st-l-${hold.state} t10`),
    );
  if (endAt(hold, untilPs) === 'recalled')
    shapes.push(path(`M${stop + 3} ${y + bar - 1}V${y - 2}m-3 3l3 -4l3 4`, 'bad-line recall'));
  return shapes;
}

/** Everything up to a time; later parts are left out. */
export function ownershipShapes(model: OwnershipModel, untilPs: number): Shape[] {
  const { ticks, bands, placed, holders, height, bar, axis } = model;
  const lane = bar + APART;
  return [
    ...ticks.flatMap(({ at, label }) => [
      rule(at, TOP - 6, at, height - GAP, 'hair'),
      words(at + 3, TOP - 8, label, 't10 i3'),
    ]),
    ...bands.flatMap((band) => [
      words(10, band.y + 9, address(band.address), 'm10 i2'),
      ...holders.flatMap(({ title }, i) => [
        words(84, band.y + i * lane + bar / 2 + 4, title, 't10 i3'),
        rule(
          axis.at(axis.low),
          band.y + i * lane + bar,
          axis.at(axis.high),
          band.y + i * lane + bar,
          'hair',
        ),
      ]),
    ]),
    ...placed
      .filter(({ hold }) => hold.from <= untilPs)
      .flatMap((at) => holdShapes(model, at, untilPs)),
  ];
}

/** The hold at a point; null if there is none. */
export function holdAt({ placed, bar }: OwnershipModel, x: number, y: number): number | null {
  const found = placed.findIndex(
    (at) => x >= at.x - 1 && x <= at.end + 2 && y >= at.y && y < at.y + bar + APART,
  );
  return found < 0 ? null : found;
}

const span = (ps: number): string => text(time(ps, 3));

const ROOM = 'then it is evicted for another line';

const ENDS: Readonly<Record<HoldEnd, string>> = {
  taken: 'then a device’s read takes it',
  written: 'then a device overwrites it',
  replaced: ROOM,
  recalled: 'then a processor recalls it',
  evicted: ROOM,
  overwritten: 'then a device writes beyond it',
};

/** The hold as known at a time, as a sentence. */
export function holdSentence(hold: Hold, timePs: number, holder: string): string {
  const { state, from, to } = hold;
  const what = `Line ${address(hold.address)}, ${STATE_NAMES[state]} in ${holder} from ${span(from)}`;
  if (to === null || to > timePs) return `${what}, still held.`;
  const end = endAt(hold, timePs);
  return `${what}, for ${span(to - from)}${end ? `, ${ENDS[end]}` : ', then in another state'}.`;
}

export interface OwnershipTotals {
  /** Lines that the I/O cache acquired. */
  readonly kept: number;
  /** Lines that caches lost to reads and writes of devices. */
  readonly taken: number;
  readonly written: number;
  readonly recalled: number;
  /** Lines of the I/O cache that were evicted. */
  readonly evicted: number;
}

/** Up to a time. */
export function ownershipTotals(
  holds: readonly Hold[],
  adapter: number,
  timePs: number,
): OwnershipTotals {
  const seen = holds.filter(({ from }) => from <= timePs);
  const ends = seen.map((hold) => endAt(hold, timePs));
  const of = (end: HoldEnd) => ends.filter((one) => one === end).length;
  return {
    kept: seen.filter(({ holder }) => holder === adapter).length,
    taken: of('taken'),
    written: of('written'),
    recalled: of('recalled'),
    evicted: of('evicted'),
  };
}

/** "Devices took 4 096 lines from processors; 214 were recalled from the I/O cache, 3 866 made room there." */
export function ownershipSentence({
  kept,
  taken,
  written,
  recalled,
  evicted,
}: OwnershipTotals): string {
  const writes = written > 0 ? ` and overwrote ${integer(written)}` : '';
  return `Devices took ${count(taken, 'line')} from processors${writes}; the I/O cache kept ${integer(kept)}: ${integer(recalled)} recalled, ${integer(evicted)} evicted.`;
}

/** A line that changes owners: its holder at a time, and how often it went each way until then. */
export interface OwnershipConflict {
  readonly line: number;
  readonly holders: readonly string[];
  readonly taken: number;
  readonly recalled: number;
}

/** The lines taken from processors or recalled, the most frequent first. */
export function contests(
  holds: readonly Hold[],
  holders: readonly Holder[],
  timePs: number,
): OwnershipConflict[] {
  const lines = new Map<number, { holders: string[]; taken: number; recalled: number }>();
  for (const hold of holds) {
    if (hold.from > timePs) continue;
    const line = lines.get(hold.address) ?? { holders: [], taken: 0, recalled: 0 };
    const end = endAt(hold, timePs);
    lines.set(hold.address, line);
    if (end === 'taken') line.taken++;
    if (end === 'recalled') line.recalled++;
    const title = holders.find(({ part }) => part === hold.holder)?.title;
    if (title && (hold.to === null || hold.to > timePs))
      line.holders.push(`${title}, ${STATE_NAMES[hold.state]}`);
  }
  return [...lines]
    .map(([line, counts]) => ({ line, ...counts }))
    .filter(({ taken, recalled }) => taken + recalled > 0)
    .sort((a, b) => b.taken + b.recalled - a.taken - a.recalled || a.line - b.line);
}
