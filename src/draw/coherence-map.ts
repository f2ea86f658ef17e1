/**
 * All lines of a cache as an image: a byte for each line, a colour for each byte. Lines stand in the order
 * of the cache, a page's worth to a row, so that what is contiguous in a page is contiguous in the picture.
 */
import { clamp } from '../base/geometry';
import { type CacheRole, type CoherentMachine, LINE_BYTES, PAGE_BYTES } from '../model/coherent';
import type { Moment } from './machine-types';
import { LINE_STATES, type LineState, stateOf } from './state-cell';

const CODE: Readonly<Record<LineState, number>> = Object.fromEntries(
  LINE_STATES.map((state, code) => [state, code]),
) as Record<LineState, number>;
const HALVES = 2;

/** Red, green, blue and opacity in the order of an image's bytes. */
export type Palette = Uint32Array;

/** "#c4440a" or "rgb(196 68 10)" as a number that an image holds, red lowest. */
export function pixel(color: string): number {
  const hex = /^#([0-9a-f]{6})$/i.exec(color)?.[1];
  const [red = 0, green = 0, blue = 0] = hex
    ? [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)].map((part) => Number.parseInt(part, 16))
    : (color.match(/\d+(\.\d+)?/g) ?? []).map(Number);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Tokens of the small cells, in the order of the codes. */
export const MAP_TOKENS = [
  '--line-1',
  '--st-shared-line',
  '--st-clean',
  '--st-dirty',
  '--st-stale',
  '--st-flight-line',
] as const;

export interface CacheShape {
  readonly lines: number;
  /** Lines side by side: those of a page, or all of a small cache. */
  readonly columns: number;
  readonly rows: number;
}

export function cacheShape(cache: CacheRole, lines: number): CacheShape {
  const page = Math.max(1, (PAGE_BYTES / cache.lineBytes) * cache.ways);
  const columns = clamp(lines, 1, page);
  return { lines, columns, rows: Math.ceil(lines / columns) };
}

/** The state of every line of a cache into `bytes`, and how many lines are in each. */
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
        Math.floor((((tags?.[i] ?? 0) - 1) * cache.lineBytes - from) / LINE_BYTES) * HALVES;
      // Outside followed memory both are undefined, which is no difference to speak of.
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

/** Lines that are reserved for data under way. */
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

/** Bytes into an image of the same number of points. */
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

const TITLE = 18;
const MARGIN = 12;
const GAP = 14;

/**
 * Where the maps of several equal caches stand: as many beside each other as lets their cells be largest.
 * A cell is a whole number of device pixels wherever there is room for one.
 */
export function placeMaps(
  shape: CacheShape,
  amount: number,
  sheet: { readonly width: number; readonly height: number; readonly ratio: number },
): PlacedMap[] {
  const candidates = Array.from({ length: amount }, (_, index) => {
    const across = index + 1;
    const down = Math.ceil(amount / across);
    const cell = Math.min(
      (sheet.width - 2 * MARGIN - (across - 1) * GAP) / across / shape.columns,
      (sheet.height - MARGIN - down * TITLE - (down - 1) * 6) / down / shape.rows,
    );
    return { across, cell };
  });
  const best = candidates.reduce((a, b) => (b.cell > a.cell ? b : a), { across: 1, cell: 0 });
  const whole = Math.floor(best.cell * sheet.ratio) / sheet.ratio;
  const cell = clamp(whole > 0 ? whole : best.cell, 0.05, 12);
  const [width, height] = [shape.columns * cell, shape.rows * cell];
  return Array.from({ length: amount }, (_, index) => ({
    x: MARGIN + (index % best.across) * (width + GAP),
    y: TITLE + Math.floor(index / best.across) * (height + TITLE + 6),
    cell,
    width,
    height,
  }));
}
