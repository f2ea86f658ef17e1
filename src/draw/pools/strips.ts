/**
 * The whole map on one sheet: a strip for each pool, the same range of each.
 *
 *     pool  used by    entry 0                                 16 383   in use  longest free  lock taken
 *     0     CPU 0      ▒▒░░▓▓▒▒░░  ░▒▒▓███▸   ░░▒▒░░  ▒▒                9.9 %           466   4 310 000
 *
 * A strip is an image with one byte per column: the kind of its entries, and how many are in use. Zoomed in
 * far enough, a column is one entry. If there are few pools, a long one continues in the next line.
 */
import { text, time } from '../../base/format';
import { clamp } from '../../base/geometry';
import { ownerOf, type Pool, type PoolMap } from '../../model/pools/pool-bitmap';
import type { TrailNow } from '../../model/pools/pool-trail';
import {
  AGE_TITLES,
  ageClass,
  ageOf,
  homePools,
  inUse,
  isLongLived,
  type PoolUse,
  used,
} from './usage';

/** Range shown of each pool, as shares 0 to 1. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export const WHOLE: TimeRange = { from: 0, to: 1 };

/** Meaning of the colours: who mapped the entries, or how long ago. */
export type Colouring = 'owner' | 'age';

/**
 * Kind of the used entries in a column. By owner, the most frequent: mapped long ago (or by an unknown CPU),
 * recently by a processor whose home pool this is, or recently by a processor of another pool. By age, the
 * class of the youngest, from `age` on. Any entry of a highlighted processor counts.
 */
export const KIND = { held: 0, own: 1, foreign: 2, chosen: 3, age: 4 } as const;
export const KINDS = KIND.age + AGE_TITLES.length;
/** Shades of each kind; 0 is free. */
export const SHADES = 16;

export interface Strip {
  readonly use: PoolUse;
  /** The pool's first line, with its name and numbers. */
  readonly head: boolean;
  /** There is room for its name and numbers. */
  readonly named: boolean;
  readonly y: number;
  readonly right: number;
  /** First entry shown, and the end (exclusive). */
  readonly from: number;
  readonly to: number;
  /** Position of the cursor on the sheet; null outside the range. */
  readonly cursor: number | null;
}

export interface StripsModel {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly step: number;
  readonly height: number;
  readonly columns: number;
  readonly strips: readonly Strip[];
  /** One byte for each column of each strip: kind times SHADES plus shade. */
  readonly tones: Uint8Array;
  /**
   * By age and with a record of the run: one byte per column for what it handed out there last, 0 for nothing, else the
   * shade, plus SHADES if the request spilled from another pool, or twice that if it was for the highlighted processor.
   * Null otherwise.
   */
  readonly trail: Uint8Array | null;
  /** Table columns at the right that fit, by their right edges. */
  readonly table: readonly { readonly id: TableColumn['id']; readonly x: number }[];
  /** Position of the processors' names; null without room. */
  readonly names: number | null;
  /** Width of a single entry if each has a distinguishable column; else null. */
  readonly bit: number | null;
}

export interface StripsInput {
  readonly map: PoolMap;
  readonly uses: readonly PoolUse[];
  readonly width: number;
  readonly height: number;
  /** Device pixels per unit of the sheet. */
  readonly ratio: number;
  readonly scale: number;
  readonly stretch: TimeRange;
  readonly colouring: Colouring;
  /** What the run handed out and when, if it is recorded. */
  readonly trail?: TrailNow | null;
  /** Processor whose entries are highlighted. */
  readonly chosen: number | null;
}

/** In shorter lines single entries count: they are drawn as they are now. */
const TRAIL_LEAST = 512;

/** Whether the trail of a run is drawn in this range of the pools; else the entries in use are. */
export const hasTrail = ({ pools }: PoolMap, { from, to }: TimeRange): boolean =>
  Math.max(...pools.map(({ start, end }) => end - start)) * (to - from) > TRAIL_LEAST;

/** Width of a column of whole pools: a range of 16 384 entries then has about 63 in each. */
const COLUMN = 2.7;
const TOP = 22;
const MOST_STEP = 52;
/** Least height of a line, and of a line with text; on a low sheet some lines have no text. */
const [LEAST_STEP, WORDS] = [6, 9];
const GAP = 4;
/** Below this width processors are not named, and the table has only its first column. */
const NARROW = 560;

interface TableColumn {
  readonly id: 'used' | 'free' | 'locks';
  readonly width: number;
}

const TABLE: readonly TableColumn[] = [
  { id: 'used', width: 52 },
  { id: 'free', width: 66 },
  { id: 'locks', width: 66 },
];

/** Most lines of the drawing, and fewest entries of a line: of the whole, and zoomed in. */
const LINES = 16;
const SHORTEST = 1024;
/** A single small pool has lines in which single entries can be told apart. */
const SHORTEST_ALONE = 64;

interface Line {
  readonly use: PoolUse;
  readonly head: boolean;
  readonly from: number;
  readonly to: number;
  /** Entries that would fill the width of the sheet. */
  readonly length: number;
}

/** A range of a pool in lines of this length. */
const split = (use: PoolUse, { from, to }: TimeRange, length: number): Line[] =>
  Array.from({ length: Math.max(1, Math.ceil((to - from) / length)) }, (_, i) => {
    const start = from + i * length;
    return { use, head: i === 0, from: start, to: Math.min(to, start + length), length };
  });

/** The pools as lines: at the same scale for the whole, each pool at its own when zoomed in. */
function linesOf({ map, uses, stretch }: StripsInput): Line[] {
  if (stretch === WHOLE) {
    const longest = Math.max(1, ...uses.map(({ pool }) => pool.end - pool.start));
    const least = uses.length === 1 ? SHORTEST_ALONE : SHORTEST;
    const length = Math.min(longest, Math.max(least, Math.ceil(map.entries / LINES)));
    return uses.flatMap((use) => split(use, { from: use.pool.start, to: use.pool.end }, length));
  }
  const most = Math.max(1, Math.floor(LINES / uses.length));
  return uses.flatMap((use) => {
    const range = stretchOf(use.pool, stretch);
    const length = Math.max(CLOSEST, Math.ceil((range.to - range.from) / most));
    return split(use, range, Math.min(length, range.to - range.from));
  });
}

export function stripsModel(input: StripsInput): StripsModel {
  const { map, uses, scale, colouring, chosen } = input;
  const narrow = input.width / scale < NARROW;
  // To a hall the strips speak: they take the room of the quieter numbers.
  const shown = narrow || scale > 1 ? TABLE.slice(0, 1) : TABLE;
  const left = (narrow ? 40 : 166) * scale;
  const tableWidth = shown.reduce((sum, { width }) => sum + width, 0) * scale;
  const right = Math.max(left + 40, input.width - tableWidth - 12 * scale);
  const top = TOP * scale;
  const lines = linesOf(input);
  const length = Math.max(1, ...lines.map((line) => line.length));
  const room = (input.height - top - 6) / Math.max(1, lines.length);
  const step = Math.min(MOST_STEP * scale, Math.max(LEAST_STEP, room));
  const every = Math.ceil((WORDS * scale) / step);
  const fine = Math.round((right - left) * input.ratio);
  const coarse = Math.max(SHORTEST_ALONE, Math.round((right - left) / COLUMN));
  const columns = Math.max(1, Math.min(length, input.stretch === WHOLE ? coarse : fine));
  const tones = new Uint8Array(columns * lines.length);
  const past = colouring === 'age' && length > TRAIL_LEAST ? (input.trail ?? null) : null;
  const trail = past && new Uint8Array(columns * lines.length);
  const homes = homePools(uses);
  const strips = lines.map(({ use, head, from, to, length: full }, row): Strip => {
    const share = (to - from) / full;
    const end = left + share * (right - left);
    const across = Math.max(1, Math.round(columns * share));
    const into = tones.subarray(row * columns, row * columns + across);
    const isHome = (cpu: number) => homes[cpu] === use.pool.number;
    paintTones({ map, from, to, isHome, colouring, chosen, isHeldOnly: past !== null }, into);
    if (past && trail)
      paintTrail(past, { from, to, chosen }, trail.subarray(row * columns, row * columns + across));
    const { cursor } = use.pool;
    const isHere = cursor >= from && (cursor < to || (cursor === to && to === use.pool.end));
    const x = left + ((cursor - from) / (to - from)) * (end - left);
    const named = row % every === 0;
    const cursorX = isHere ? x : null;
    return { use, head, named, y: top + row * step, right: end, from, to, cursor: cursorX };
  });
  let x = right;
  const table = shown.map(({ id, width }) => {
    x += width * scale;
    return { id, x };
  });
  const height = Math.max(5, step - GAP);
  const names = narrow ? null : 44 * scale;
  const bit = columns === length && (right - left) / length > 4 ? (right - left) / length : null;
  return { left, right, top, step, height, columns, strips, tones, trail, table, names, bit };
}

/** Fresh for so long, then fading by this, never below the last: in milliseconds of the run, and shares of a tone. */
const [FRESH_MS, FADE_MS, FAINTEST] = [1.5, 12.5, 0.06];

/** Tone of what was handed out so long ago, 0 to 1. */
function trailTone(ageMs: number): number {
  if (ageMs <= FRESH_MS) return 1;
  return Math.max(FAINTEST, 0.92 * Math.exp((FRESH_MS - ageMs) / FADE_MS));
}

/** The tone of a column is that of its latest handout. */
function paintTrail(
  { lastMs, spilled, cpus, unit, nowMs }: TrailNow,
  { from, to, chosen }: Pick<Columns, 'from' | 'to' | 'chosen'>,
  into: Uint8Array,
): void {
  const perColumn = (to - from) / into.length;
  for (let column = 0; column < into.length; column++) {
    const first = Math.floor((from + column * perColumn) / unit);
    const last = Math.max(first + 1, Math.floor((from + (column + 1) * perColumn) / unit));
    let latest = -1;
    for (let at = first; at < last; at++)
      if ((lastMs[at] as number) > (latest < 0 ? -1 : (lastMs[latest] as number))) latest = at;
    if (latest < 0) continue;
    const tone = trailTone(nowMs - (lastMs[latest] as number));
    const shade = Math.max(1, Math.round(tone * (SHADES - 1)));
    const isChosen = chosen !== null && cpus[latest] === chosen + 1;
    into[column] = shade + SHADES * (isChosen ? 2 : (spilled[latest] as number));
  }
}

function stretchOf({ start, end }: Pool, { from, to }: TimeRange) {
  const size = end - start;
  const first = start + Math.min(size - 1, Math.floor(from * size));
  const last = Math.max(first + 1, Math.min(end, start + Math.ceil(to * size)));
  return { from: first, to: last };
}

interface Columns extends Pick<StripsInput, 'map' | 'colouring' | 'chosen'> {
  /** Only entries that the run did not hand out: the others are in the trail. */
  readonly isHeldOnly: boolean;
  readonly from: number;
  readonly to: number;
  isHome(cpu: number): boolean;
}

function paintTones(line: Columns, into: Uint8Array): void {
  const { map, from, to } = line;
  const perColumn = (to - from) / into.length;
  for (let column = 0; column < into.length; column++) {
    const first = from + Math.floor(column * perColumn);
    const last = Math.max(first + 1, from + Math.floor((column + 1) * perColumn));
    const count = used(map.bits, first, last) - (line.isHeldOnly ? ownedIn(map, first, last) : 0);
    if (count <= 0) continue;
    const shade = Math.max(1, Math.round((count / (last - first)) * (SHADES - 1)));
    into[column] = kindOf(line, first, last, count) * SHADES + shade;
  }
}

/** Entries in use in [from, to) that a CPU mapped in this run. */
function ownedIn({ bits, cells }: PoolMap, from: number, to: number): number {
  let sum = 0;
  for (let entry = from; cells && entry < to; entry++)
    if (ownerOf(cells[entry] as number) !== null && inUse(bits, entry)) sum++;
  return sum;
}

function kindOf(line: Columns, from: number, to: number, count: number): number {
  const { cells } = line.map;
  if (!cells) return KIND.held;
  if (line.chosen !== null)
    for (let entry = from; entry < to; entry++)
      if (ownerOf(cells[entry] as number) === line.chosen) return KIND.chosen;
  if (line.isHeldOnly) return KIND.held;
  return line.colouring === 'age' ? ageKind(line, from, to) : ownerKind(line, from, to, count);
}

function ageKind({ map }: Columns, from: number, to: number): number {
  let youngest: number | null = null;
  for (let entry = from; entry < to; entry++) {
    const age = ageClass(map, entry);
    if (age !== null && age < (youngest ?? AGE_TITLES.length)) youngest = age;
  }
  return youngest === null ? KIND.held : KIND.age + youngest;
}

function ownerKind({ map, isHome }: Columns, from: number, to: number, count: number): number {
  let [own, foreign] = [0, 0];
  for (let entry = from; entry < to; entry++) {
    const owner = ownerOf(map.cells?.[entry] as number);
    if (owner === null || isLongLived(map, entry)) continue;
    if (isHome(owner)) own++;
    else foreign++;
  }
  if (foreign * 2 > count) return KIND.foreign;
  return (own + foreign) * 2 > count ? KIND.own : KIND.held;
}

/** The entry at a point of the sheet; null beside the strips. */
export function entryAt(
  model: StripsModel,
  x: number,
  y: number,
): { pool: Pool; entry: number } | null {
  const strip = model.strips[Math.floor((y - model.top) / model.step)];
  if (!strip || x < model.left || x > strip.right) return null;
  const share = (x - model.left) / (strip.right - model.left);
  const entry = strip.from + Math.floor(share * (strip.to - strip.from));
  return { pool: strip.use.pool, entry: clamp(entry, strip.from, strip.to - 1) };
}

/** Position of an entry on the sheet; null if it is not shown. */
export function placeOf(model: StripsModel, entry: number): { x: number; y: number } | null {
  const strip = model.strips.find(({ from, to }) => entry >= from && entry < to);
  if (!strip) return null;
  const share = (entry - strip.from) / (strip.to - strip.from);
  return { x: model.left + share * (strip.right - model.left), y: strip.y };
}

/** Fewest entries of a pool side by side. */
const CLOSEST = 64;

/** The range zoomed around a share of the strips; at most the whole strip. */
export function zoomedRange(
  stretch: TimeRange,
  at: number,
  factor: number,
  size: number,
): TimeRange {
  const length = clamp((stretch.to - stretch.from) * factor, Math.min(1, CLOSEST / size), 1);
  const share = (at - stretch.from) / (stretch.to - stretch.from);
  return movedTo(at - share * length, length);
}

export const movedRange = ({ from, to }: TimeRange, by: number): TimeRange =>
  movedTo(from + by * (to - from), to - from);

function movedTo(from: number, length: number): TimeRange {
  const start = clamp(from, 0, 1 - length);
  return { from: start, to: start + length };
}

/** Whether the entry is in use, by which processor and since when, for the tooltip. */
export function entryText(map: PoolMap, entry: number): string {
  if (!inUse(map.bits, entry)) return 'free';
  const owner = ownerOf(map.cells?.[entry] ?? 0);
  if (owner === null) return 'in use';
  const age = ageOf(map, entry);
  return `mapped by CPU ${owner}${age === null ? '' : ` ${text(time(age, 3))} ago`}`;
}
