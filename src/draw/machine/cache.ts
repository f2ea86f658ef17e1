/**
 * A cache in a machine drawing: few lines as letters, many as a map of small cells. Each cell covers as many
 * lines as needed to show all, in the most important state among them.
 */
import { address } from '../../base/format';
import type { CacheRole, CoherentMachine } from '../../model/coherence/coherence-roles';
import { cacheBytes } from '../coherence/map';
import type { Moment } from '../moment';
import { path, rect, type Shape, words } from '../shape';
import { LINE_STATES, type LineState, stateCell } from '../state-cell';
import type { Look, PlacedPart } from './types';

/** Pitch of cells across and down, and their size. */
const [ACROSS, DOWN, CELL] = [5, 5.4, 4];
/** Up to this many lines are shown one by one. */
const FEW = 8;

/** States from the least to the most important. */
const STRENGTH: readonly LineState[] = ['invalid', 'shared', 'clean', 'dirty', 'flight', 'stale'];
const strengthOf = LINE_STATES.map((state) => STRENGTH.indexOf(state));

interface Grid {
  readonly columns: number;
  readonly cells: number;
  /** Lines for each cell. */
  readonly each: number;
}

function gridOf({ box }: PlacedPart, lines: number): Grid {
  const columns = Math.max(1, Math.floor((box.width + 1) / ACROSS));
  const rows = Math.max(1, Math.floor((box.height + 1.4) / DOWN));
  let each = 1;
  while (lines / each > columns * rows) each *= 2;
  return { columns, cells: Math.ceil(lines / each), each };
}

const placeOf = ({ box }: PlacedPart, { columns }: Grid, cell: number) => ({
  x: box.x + (cell % columns) * ACROSS,
  y: box.y + Math.floor(cell / columns) * DOWN,
});

/** The most important state of each cell's lines. */
function strongest(bytes: Uint8Array, { cells, each }: Grid): Uint8Array {
  const found = new Uint8Array(cells);
  for (let line = 0; line < bytes.length; line++) {
    const cell = Math.floor(line / each);
    const code = bytes[line] ?? 0;
    if ((strengthOf[code] ?? 0) > (strengthOf[found[cell] ?? 0] ?? 0)) found[cell] = code;
  }
  return found;
}

/** One path per state, so that a map of hundreds of cells is six shapes. */
function mapShapes(part: PlacedPart, grid: Grid, states: Uint8Array): Shape[] {
  const steps = LINE_STATES.map(() => '');
  states.forEach((code, cell) => {
    const { x, y } = placeOf(part, grid, cell);
    steps[code] += `M${x.toFixed(1)} ${y.toFixed(1)}h${CELL}v${CELL}h-${CELL}z`;
  });
  return LINE_STATES.map((state, code) => path(steps[code] ?? '', `mini-${state}`));
}

/** A frame around the cell of a highlighted line, if the cache holds it. */
function frame(part: PlacedPart, grid: Grid, line: number, cls: string): Shape {
  if (line < 0) return path('', cls);
  const { x, y } = placeOf(part, grid, Math.floor(line / grid.each));
  return rect(x - 1.5, y - 1.5, CELL + 3, CELL + 3, cls);
}

function letters(
  part: PlacedPart,
  tags: Float64Array,
  bytes: Uint8Array,
  { lineBytes, played }: { readonly lineBytes: number; readonly played: number },
) {
  const { x, y, width } = part.box;
  const pitch = Math.min(96, width / Math.max(1, bytes.length));
  return [...bytes].flatMap((code, line): Shape[] => {
    const left = x + line * pitch;
    const held = code !== 0 && pitch > 60;
    const where = held ? address(((tags[line] ?? 1) - 1) * lineBytes) : '';
    return [
      ...stateCell(left, y + 2, 18, 20, LINE_STATES[code] ?? 'invalid'),
      line === played ? rect(left - 1, y + 1, 20, 22, 'mini-played') : path('', 'mini-played'),
      words(left + 23, y + 16, where, 'm10 i2'),
    ];
  });
}

/** Place of the line that changes now, be it in the cache or on its way there; -1 where it is another's. */
function playedLine(cache: CacheRole, now: Moment, tags: Float64Array, { played }: Look): number {
  if (!played || played.part !== cache.part) return -1;
  const misses = now.view(cache.part, 'misses');
  const coming = misses?.column('addr')?.indexOf(played.address) ?? -1;
  if (coming >= 0 && misses?.column('stage')?.[coming])
    return misses.column('line')?.[coming] ?? -1;
  return tags.indexOf(Math.floor(played.address / cache.lineBytes) + 1);
}

/** The lines of one cache at a moment. */
export function cacheShapes(
  roles: CoherentMachine,
  cache: CacheRole,
  part: PlacedPart,
  now: Moment,
  look: Look,
): Shape[] {
  const lines = now.view(cache.part, 'lines');
  const tags = lines?.column('tag');
  if (!lines || !tags) return [];
  const bytes = new Uint8Array(lines.rows);
  cacheBytes(roles, cache, now, bytes);
  const played = playedLine(cache, now, tags, look);
  if (lines.rows <= FEW) return letters(part, tags, bytes, { lineBytes: cache.lineBytes, played });
  const grid = gridOf(part, lines.rows);
  const held = (where: number | null) =>
    where === null ? -1 : tags.indexOf(Math.floor(where / cache.lineBytes) + 1);
  return [
    ...mapShapes(part, grid, strongest(bytes, grid)),
    frame(part, grid, held(look.pointed.address), 'mini-pointed'),
    frame(part, grid, held(look.selected.address), 'mini-selected'),
    frame(part, grid, played, 'mini-played'),
  ];
}
