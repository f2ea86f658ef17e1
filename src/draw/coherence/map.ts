/**
 * All lines of a cache as an image: one byte per line, a colour per byte. Lines are in the order of the
 * cache, one page per row if there is room.
 */
import { clamp } from '../../base/geometry';
import { RUNWAY_HALF, RUNWAY_LINE } from '../../engine/gen/constants';
import {
  type CacheRole,
  type CoherentMachine,
  PAGE_BYTES,
} from '../../model/coherence/coherence-roles';
import type { Moment } from '../moment';
import { LINE_STATES, type LineState, stateOf } from '../state-cell';

const CODE: Readonly<Record<LineState, number>> = Object.fromEntries(
  LINE_STATES.map((state, code) => [state, code]),
) as Record<LineState, number>;
const HALVES = RUNWAY_LINE / RUNWAY_HALF;

/** RGBA in the byte order of an image. */
export type Palette = Uint32Array;

/** "#c4440a" or "rgb(196 68 10)" as a pixel, red in the lowest byte. */
export function pixel(color: string): number {
  const hex = /^#([0-9a-f]{6})$/i.exec(color)?.[1];
  const [red = 0, green = 0, blue = 0] = hex
    ? [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)].map((part) => Number.parseInt(part, 16))
    : (color.match(/\d+(\.\d+)?/g) ?? []).map(Number);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Colour tokens of the small cells, in the order of the codes. */
export const MAP_TOKENS = [
  '--line-1',
  '--st-shared-line',
  '--st-clean',
  '--st-dirty',
  '--st-stale',
  '--st-flight-line',
] as const;

/** Columns and rows of a cache's map. */
export interface CacheShape {
  readonly columns: number;
  readonly rows: number;
}

/** Writes the state of every line of a cache to `bytes`; returns the number of lines in each state. */
export function cacheBytes(
  coherent: CoherentMachine,
  cache: CacheRole,
  now: Moment,
  bytes: Uint8Array,
): number[] {
  const counts = LINE_STATES.map(() => 0);
  const lines = now.view(cache.part, 'lines');
  const [tags, states] = [lines?.column('tag'), lines?.column('state')];
  const data = now.view(cache.part, 'data')?.column('write');
  const { memory, machine } = coherent;
  const newest = memory ? now.view(memory.part, 'cells')?.column('newest') : undefined;
  const members = machine.parts[cache.part]?.type.enums.line ?? [];
  const codes = members.map(({ name }) => CODE[stateOf(name)]);
  const from = memory?.from ?? 0;
  for (let i = 0; i < bytes.length; i++) {
    let code = codes[states?.[i] ?? 0] ?? 0;
    if (code !== CODE.invalid && code !== CODE.flight && data && newest) {
      const half =
        Math.floor((((tags?.[i] ?? 0) - 1) * cache.lineBytes - from) / RUNWAY_LINE) * HALVES;
      // Outside tracked memory both are undefined, and so equal.
      for (let h = 0; h < HALVES; h++) {
        const known = newest[half + h];
        if (known !== undefined && known !== data[i * HALVES + h]) code = CODE.stale;
      }
    }
    bytes[i] = code;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  markUnderWay(cache, now, bytes, counts);
  return counts;
}

/** Marks the lines reserved for data in flight. */
function markUnderWay(cache: CacheRole, now: Moment, bytes: Uint8Array, counts: number[]): void {
  const misses = now.view(cache.part, 'misses');
  for (let i = 0; i < (misses?.rows ?? 0); i++) {
    const line = misses?.column('line')?.[i] ?? -1;
    const old = bytes[line];
    if ((misses?.column('stage')?.[i] ?? 0) === 0 || old === undefined) continue;
    counts[old] = (counts[old] ?? 1) - 1;
    bytes[line] = CODE.flight;
    counts[CODE.flight] = (counts[CODE.flight] ?? 0) + 1;
  }
}

/** Converts bytes to an image of the same number of pixels. */
export function colour(bytes: Uint8Array, palette: Palette, image: Uint32Array): void {
  for (let i = 0; i < bytes.length; i++) image[i] = palette[bytes[i] ?? 0] ?? 0;
}

export interface PlacedMap {
  readonly x: number;
  readonly y: number;
  /** Size of a cell. */
  readonly cell: number;
  readonly width: number;
  readonly height: number;
}

export interface Maps {
  readonly shape: CacheShape;
  readonly places: readonly PlacedMap[];
}

const TITLE = 17;
const MARGIN = 12;
const GAP = 14;
const BELOW = 5;
const MOST_CELL = 12;
/** Columns in pages: one page per row, unless its cells would be too small for the screen. */
const ALIGNED = [1];
const ANY = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

interface Sheet {
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

/** Size of a cell with `across` maps side by side; a whole number of device pixels if at least one. */
function cellSize({ columns, rows }: CacheShape, amount: number, across: number, sheet: Sheet) {
  const down = Math.ceil(amount / across);
  const room = Math.min(
    (sheet.width - 2 * MARGIN - (across - 1) * GAP) / across / columns,
    (sheet.height - BELOW - down * TITLE - (down - 1) * BELOW) / down / rows,
  );
  const whole = Math.floor(room * sheet.ratio) / sheet.ratio;
  return clamp(whole > 0 ? whole : room, 0.05, MOST_CELL);
}

/** Positions of the maps of several equal caches, with cells as large as possible. */
export function placeMaps(cache: CacheRole, lines: number, amount: number, sheet: Sheet): Maps {
  const page = Math.max(1, (PAGE_BYTES / cache.lineBytes) * cache.ways);
  const largest = (widths: readonly number[]) =>
    widths
      .flatMap((pages) =>
        Array.from({ length: amount }, (_, index) => {
          const columns = clamp(Math.round(page * pages), 1, lines);
          const shape = { columns, rows: Math.ceil(lines / columns) };
          return { shape, across: index + 1, cell: cellSize(shape, amount, index + 1, sheet) };
        }),
      )
      .reduce((a, b) => (b.cell >= a.cell ? b : a));
  const aligned = largest(ALIGNED);
  const best = aligned.cell * sheet.ratio >= 1 ? aligned : largest(ANY);
  const { shape, across, cell } = best;
  const [width, height] = [shape.columns * cell, shape.rows * cell];
  const places = Array.from({ length: amount }, (_, index) => ({
    x: MARGIN + (index % across) * (width + GAP),
    y: TITLE + Math.floor(index / across) * (height + TITLE + BELOW),
    cell,
    width,
    height,
  }));
  return { shape, places };
}
