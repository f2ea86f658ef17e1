/**
 * A few hundred entries of the map, bit by bit: 64 per row, as the search reads them, or half or a quarter of
 * a word if the sheet or the table is small.
 *
 *     6 400  ▪▪··▪▪▪▪▪▪··▪▪·▸·▪▪▪··   ▸ start of the search
 *     6 464  ▫▫▫▫▫▫▫▫····             ▫ being allocated; examined entries are underlined
 */
import { integer } from '../../base/format';
import { clamp } from '../../base/geometry';
import { ownerOf, type PoolMap } from '../../model/pools/pool-bitmap';
import { path, rect, type Shape, words } from '../shape';
import { examined } from './search';
import type { Colouring } from './strips';
import { AGE_TITLES, ageClass, inUse, isLongLived } from './usage';

/** Entries that a search reads at a time. */
export const WORD = 64;

export interface LensInput {
  readonly map: PoolMap;
  /** Processor whose entries count as its own. */
  readonly owner: number | null;
  readonly colouring: Colouring;
  /** Processor whose entries are highlighted. */
  readonly chosen: number | null;
  /** The home pool of each processor. */
  readonly homes: readonly (number | undefined)[];
  /** First entry shown, a multiple of 64. */
  readonly first: number;
  readonly rows: number;
  /** Entries per row. */
  readonly across: number;
  readonly width: number;
  readonly scale: number;
  /** Steps of the search shown so far; later ones are not underlined. */
  readonly examinedSteps: number;
  readonly marked: number | null;
}

type CellKind =
  | 'free'
  | 'held'
  | 'own'
  | 'neighbour'
  | 'foreign'
  | 'new'
  | 'lost'
  | 'chosen'
  | `age-${number}`;

/** In a fixed order, so that the paths of a row stay the same elements from frame to frame. */
const CELL_KINDS: readonly CellKind[] = [
  ...(['free', 'held', 'own', 'neighbour', 'foreign', 'new', 'lost', 'chosen'] as const),
  ...AGE_TITLES.map((_, age) => `age-${age}` as const),
];

function cellKind({ map, owner, homes, colouring, chosen }: LensInput, entry: number): CellKind {
  const { search } = map;
  if (
    search &&
    search.found !== null &&
    entry >= search.found &&
    entry < search.found + search.pages
  )
    return 'new';
  const pool = map.pools.find(({ start, end }) => entry >= start && entry < end);
  if (!inUse(map.bits, entry)) return pool && entry < pool.usable ? 'free' : 'lost';
  const by = ownerOf(map.cells?.[entry] ?? 0);
  if (by !== null && by === chosen) return 'chosen';
  if (colouring === 'age') {
    const age = ageClass(map, entry);
    return age === null ? 'held' : `age-${age}`;
  }
  if (by === null || isLongLived(map, entry)) return 'held';
  if (by === owner) return 'own';
  return homes[by] === pool?.number ? 'neighbour' : 'foreign';
}

export interface LensModel {
  readonly shapes: readonly Shape[];
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly cell: number;
  readonly step: number;
  readonly first: number;
  readonly rows: number;
  readonly across: number;
}

const LEFT = 56;
const TOP = 10;
const RIGHT = 8;
const MOST_CELL = 14;
/** A table of up to this many entries may have a quarter of a word per row. */
const SMALL = 256;

function cellSize(width: number, across: number): { cell: number; step: number } {
  const cell = Math.min(MOST_CELL, (width - LEFT - RIGHT) / across);
  return { cell, step: clamp(cell * 2.1, 12, 22) };
}

/** Entries per row: a word, unless its bits would be too small to tell apart. */
export function acrossFitting(width: number, entries: number): number {
  const choices = entries <= SMALL ? [WORD, WORD / 2, WORD / 4] : [WORD, WORD / 2];
  return choices.find((across) => cellSize(width, across).cell >= 7.5) ?? choices.at(-1) ?? WORD;
}

/** Fewest and most rows of a lens. */
const LEAST_ROWS = 3;
const MAX_LENS_ROWS = 32;

/** Rows that fit the height of a sheet. */
export const rowsFitting = (width: number, height: number, across: number): number =>
  clamp(Math.floor((height - TOP - 4) / cellSize(width, across).step), LEAST_ROWS, MAX_LENS_ROWS);

export function lensModel(input: LensInput): LensModel {
  const { map, first, rows, across } = input;
  const { cell, step } = cellSize(input.width / input.scale, across);
  const size = { cell, step, left: LEFT };
  const shapes: Shape[] = [];
  for (let row = 0; row < rows; row++) {
    const entry = first + row * across;
    if (entry >= map.entries) break;
    shapes.push(words(LEFT - 7, TOP + row * step + step / 2 + 3, integer(entry), 't10 i3 end'));
    shapes.push(...rowShapes(input, size, entry, TOP + row * step));
  }
  shapes.push(...boundaryShapes(input, size), ...searchShapes(input, size));
  const width = LEFT + across * cell + RIGHT;
  return { shapes, width, height: TOP + rows * step + 4, ...size, first, rows, across };
}

interface CellSize {
  readonly cell: number;
  readonly step: number;
  readonly left: number;
}

/** Cells of one kind in a row are one path, so that a frame updates few elements. */
function rowShapes(
  input: LensInput,
  { cell, step, left }: CellSize,
  entry: number,
  y: number,
): Shape[] {
  const paths = new Map<CellKind, string>();
  const gap = cell > 5 ? 1.4 : 0.6;
  const [width, height] = [cell - gap, step - 4.5];
  for (let i = 0; i < input.across && entry + i < input.map.entries; i++) {
    const kind = cellKind(input, entry + i);
    const d = `M${(left + i * cell).toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
    paths.set(kind, (paths.get(kind) ?? '') + d);
  }
  const shapes: Shape[] = CELL_KINDS.map((kind) => path(paths.get(kind) ?? '', `pool-${kind}`));
  const marked = input.marked === null ? -1 : input.marked - entry;
  if (marked >= 0 && marked < input.across)
    shapes.push(rect(left + marked * cell - 1, y - 1, width + 2, height + 2, 'pool-marked'));
  return shapes;
}

/** A line where a pool begins within a row. */
function boundaryShapes(
  { map, first, rows, across }: LensInput,
  { cell, step, left }: CellSize,
): Shape[] {
  const lines = map.pools.flatMap(({ start }) => {
    const [row, column] = [Math.floor((start - first) / across), (start - first) % across];
    if (row < 0 || row >= rows || column === 0) return [];
    return [`M${(left + column * cell - 0.7).toFixed(1)} ${TOP + row * step - 2}v${step - 1}`];
  });
  return lines.length > 0 ? [path(lines.join(''), 'pool-boundary')] : [];
}

/** The cursor at the start of the search, and a line under the examined entries. */
function searchShapes(
  { map, first, rows, across, examinedSteps }: LensInput,
  { cell, step, left }: CellSize,
): Shape[] {
  const { search } = map;
  if (!search) return [];
  const last = first + rows * across;
  const under: string[] = [];
  for (const { from, to } of examined(search, examinedSteps))
    for (let entry = Math.max(from, first); entry < Math.min(to, last); ) {
      const row = Math.floor((entry - first) / across);
      const end = Math.min(to, first + (row + 1) * across, last);
      const x = left + ((entry - first) % across) * cell;
      const y = TOP + row * step + step - 3.2;
      under.push(`M${x.toFixed(1)} ${y.toFixed(1)}h${((end - entry) * cell - 1).toFixed(1)}`);
      entry = end;
    }
  const shapes = [path(under.join(''), 'pool-examined')];
  if (search.start >= first && search.start < last) {
    const x = left + ((search.start - first) % across) * cell - 0.8;
    const y = TOP + Math.floor((search.start - first) / across) * step - 3;
    shapes.push(path(`M${x} ${y}v${step - 1}`, 'pool-cursor'));
    shapes.push(path(`M${x} ${y - 5}h6l-6 6z`, 'inkf'));
  }
  return shapes;
}

/** The entry at a point of the drawing; null beside the cells. */
export function lensEntryAt(model: LensModel, x: number, y: number): number | null {
  const column = Math.floor((x - model.left) / model.cell);
  const row = Math.floor((y - TOP) / model.step);
  if (column < 0 || column >= model.across || row < 0 || row >= model.rows) return null;
  return model.first + row * model.across + column;
}

/** Position of the lens that shows the whole of a search, or as much as fits. */
export function lensFor(map: PoolMap, rows: number, across: number): number {
  const { search, pools } = map;
  const pool = pools.find(({ number }) => number === search?.pool) ?? pools[0];
  const lowest = Math.floor((pool?.start ?? 0) / across);
  if (!search) return lowest * across;
  const end = (search.found ?? search.start) + search.pages;
  const from = search.found !== null && search.found < search.start ? search.found : search.start;
  const before = end - from > (rows - 2) * across ? (search.found ?? from) : from;
  const highest = Math.max(0, Math.ceil(map.entries / across) - rows);
  return clamp(Math.floor(before / across) - 2, Math.min(lowest, highest), highest) * across;
}
