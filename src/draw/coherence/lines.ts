/** The page view as shapes: rows of cells, line numbers above, braces below. */
import { clamp } from '../../base/geometry';
import { PAGE_LINES } from '../../model/coherence/coherence-roles';
import { fitting, glyph } from '../glyph';
import { path, rect, type Shape, words } from '../shape';
import { emptyCell, stateCell } from '../state-cell';
import { widthOf } from '../text-width';
import type { PageLines } from './page';

const NAMES_WIDTH = 24;
const TOP = 24;
const BELOW = 26;
/** Memory is set apart from the holders of copies. */
const GAP = 4;
const MOST_DOWN = 24;
const LEAST_DOWN = 15;
/** Row pitch of a sheet too low for braces: as close as the letters allow. */
const TIGHT_DOWN = 11.5;
/** Least distance between the labels of two braces. */
const WORDS = 16;

/** Geometry of the cells of a sheet. */
export interface LinesGrid {
  readonly width: number;
  /** Height of the sheet, or more if its rows need more. */
  readonly height: number;
  readonly left: number;
  readonly top: number;
  /** Pitch of the cells. */
  readonly across: number;
  readonly down: number;
  readonly rows: number;
  /** Columns that fit. */
  readonly columns: number;
  /** Number of bands; a tall sheet shows several parts of the page one below the other. */
  readonly bands: number;
  readonly bandHeight: number;
  /** Too low for the braces below. */
  readonly tight: boolean;
}

export interface LinesSheet {
  readonly width: number;
  readonly height: number;
  readonly names: readonly string[];
}

/**
 * Cells as large as the height allows, within limits of legibility. The remaining height is used for further
 * bands.
 */
export function linesGrid({ width, height, names }: LinesSheet): LinesGrid {
  const rows = names.length;
  const tight = height < TOP + rows * LEAST_DOWN + GAP + BELOW;
  const below = tight ? 0 : BELOW;
  const least = tight ? TIGHT_DOWN : LEAST_DOWN;
  const left = NAMES_WIDTH + Math.max(28, ...names.map((name) => widthOf(name, 11.5))) + 12;
  const down = clamp((height - TOP - below - GAP) / Math.max(1, rows), least, MOST_DOWN);
  const across = clamp(down * 0.83, 14, 24);
  const columns = clamp(Math.floor((width - left - 10) / across), 1, PAGE_LINES);
  const bandHeight = TOP + rows * down + GAP + below;
  const bands = clamp(Math.floor((height + 2) / bandHeight), 1, Math.ceil(PAGE_LINES / columns));
  const drawn = Math.max(height, Math.floor(bandHeight));
  return {
    width,
    height: drawn,
    left,
    top: TOP,
    across,
    down,
    rows,
    columns,
    bands,
    bandHeight,
    tight,
  };
}

/** Number of visible lines. */
export const linesShown = ({ bands, columns }: LinesGrid): number =>
  Math.min(PAGE_LINES, bands * columns);

/** One band as if it were the whole page. */
function bandOf(grid: LinesGrid, lines: PageLines, band: number): PageLines {
  const from = band * grid.columns;
  const to = from + grid.columns;
  return {
    page: lines.page,
    first: lines.first + from,
    rows: lines.rows.map((row) => ({ ...row, cells: row.cells.slice(from, to) })),
    runs: lines.runs
      .filter((run) => run.from < to && run.to >= from)
      .map(({ texts, ...run }) => ({
        texts,
        from: Math.max(run.from, from) - from,
        to: Math.min(run.to, to - 1) - from,
      })),
  };
}

const rowTop = ({ top, down, rows }: LinesGrid, row: number): number =>
  top + row * down + (row === rows - 1 ? GAP : 0);

const columnLeft = ({ left, across }: LinesGrid, column: number): number => left + column * across;

/** Row and column at a point, counted over all bands; null between and beside the cells. */
export function cellAt(
  grid: LinesGrid,
  x: number,
  y: number,
): { row: number; column: number } | null {
  const band = clamp(Math.floor(y / grid.bandHeight), 0, grid.bands - 1);
  const column = Math.floor((x - grid.left) / grid.across);
  const row = Array.from({ length: grid.rows }, (_, at) => at).find((at) => {
    const top = band * grid.bandHeight + rowTop(grid, at);
    return y >= top && y < top + grid.down;
  });
  if (row === undefined || column < 0 || column >= grid.columns) return null;
  return { row: band * grid.rows + row, column };
}

/** Row of the page and index among the visible lines, for a cell counted over all bands. */
export function placeIn(grid: LinesGrid, row: number, column: number) {
  const band = Math.floor(row / grid.rows);
  return { row: row % grid.rows, line: band * grid.columns + column };
}

function namesShapes(grid: LinesGrid, lines: PageLines): Shape[] {
  return lines.rows.flatMap(({ title, actor }, row) => {
    const middle = rowTop(grid, row) + (grid.down - 2) / 2;
    return [glyph(actor, 15, middle, 3.4), words(NAMES_WIDTH, middle + 4, title, 't11 i2')];
  });
}

interface Marks {
  /** Highlighted and selected lines of the page. */
  readonly marked: readonly number[];
  readonly selected: number | null;
  /** Cells that changed with the last step: row * columns + column. */
  readonly changed?: ReadonlySet<number>;
}

function columnMarks(grid: LinesGrid, lines: PageLines, { marked, selected }: Marks): Shape[] {
  const height = rowTop(grid, grid.rows - 1) - grid.top + grid.down + 18;
  return [...new Set(selected === null ? marked : [...marked, selected])].flatMap((at) => {
    const column = at - lines.first;
    if (column < 0 || column >= (lines.rows[0]?.cells.length ?? 0)) return [];
    const x = columnLeft(grid, column) - 2;
    return [rect(x, grid.top - 19, grid.across + 2, height, 'same')];
  });
}

/** Every third line is numbered, and the selected one, for which its neighbours are left out. */
function numbers(grid: LinesGrid, lines: PageLines, selected: number | null): Shape[] {
  const shown = lines.rows[0]?.cells ?? [];
  return shown.flatMap((_, column) => {
    const at = lines.first + column;
    const isSelected = at === selected;
    const near = selected !== null && !isSelected && Math.abs(at - selected) < 2;
    if (!isSelected && (at % 3 !== 0 || near)) return [];
    const x = columnLeft(grid, at - lines.first) + grid.across / 2 - 1;
    return [words(x, grid.top - 6, String(at), `m10 mid ${isSelected ? 'b6' : 'i3'}`)];
  });
}

function braces(grid: LinesGrid, { runs }: PageLines): Shape[] {
  const y = rowTop(grid, grid.rows - 1) + grid.down + 4;
  let taken = grid.left;
  return runs.flatMap(({ from, to, texts }, index) => {
    const [x1, x2] = [columnLeft(grid, from), columnLeft(grid, to + 1) - 2];
    const next = runs[index + 1];
    // A label may be wider than its brace, up to the label of the next one.
    const kept = next ? widthOf(next.texts.at(-1) ?? '', 10.5) + WORDS : 4;
    const end = next ? Math.max(x2, columnLeft(grid, next.to + 1) - kept) : grid.width - kept;
    const label = fitting(texts, end - taken, 10.5);
    const brace = path(`M${x1} ${y - 4}v4H${x2}v-4`, 'brace');
    if (label === undefined) return [brace];
    const half = widthOf(label, 10.5) / 2;
    const middle = clamp((x1 + x2) / 2, taken + half, end - half);
    taken = middle + half + WORDS;
    return [brace, words(middle, y + 13, label, 't10 mid i2')];
  });
}

function bandShapes(grid: LinesGrid, lines: PageLines, marks: Marks): Shape[] {
  const [width, height] = [grid.across - 2, grid.down - 2];
  const cells = lines.rows.flatMap((row, at) =>
    row.cells.flatMap(({ state }, column): Shape[] => {
      const [x, y] = [columnLeft(grid, column), rowTop(grid, at)];
      return state === null
        ? emptyCell(x, y, width, height)
        : stateCell(x, y, width, height, state);
    }),
  );
  return [
    ...columnMarks(grid, lines, marks),
    ...cells,
    words(NAMES_WIDTH, grid.top - 6, 'line', 't10 i3'),
    ...numbers(grid, lines, marks.selected),
    ...(grid.tight ? [] : braces(grid, lines)),
    ...namesShapes(grid, lines),
  ];
}

/** The grid of one band: the same, further down. */
const bandGrid = (grid: LinesGrid, band: number): LinesGrid => ({
  ...grid,
  top: grid.top + band * grid.bandHeight,
});

/** A corner mark on a cell that changed with the last step. */
function freshShape(grid: LinesGrid, row: number, line: number): Shape {
  const band = Math.floor(line / grid.columns);
  const x = columnLeft(grid, line % grid.columns);
  const y = rowTop(bandGrid(grid, band), row);
  return path(`M${x} ${y}h5l-5 5z`, 'st-new');
}

/** The visible part of the page, if it is not all of it. */
function position(grid: LinesGrid, { first }: PageLines): Shape[] {
  const shown = linesShown(grid);
  if (shown >= PAGE_LINES) return [];
  const width = grid.columns * grid.across - 2;
  const pitch = width / PAGE_LINES;
  return [
    rect(grid.left, 1, width, 3, 'sunkf'),
    rect(grid.left + first * pitch, 1, shown * pitch, 3, 'l3f'),
  ];
}

/** Everything that changes with the moment or the selection. */
export function linesShapes(grid: LinesGrid, lines: PageLines, marks: Marks): Shape[] {
  const shown = lines.rows[0]?.cells.length ?? 1;
  const fresh = [...(marks.changed ?? [])].map((at) =>
    freshShape(grid, Math.floor(at / shown), at % shown),
  );
  const bands = Array.from({ length: grid.bands }, (_, band) =>
    bandShapes(bandGrid(grid, band), bandOf(grid, lines, band), marks),
  );
  return [...position(grid, lines), ...bands.flat(), ...fresh];
}

/** The frame around the keyboard cursor's cell, counted over all bands. */
export function cursorShape(grid: LinesGrid, row: number, column: number): Shape {
  const band = bandGrid(grid, Math.floor(row / grid.rows));
  const [x, y] = [columnLeft(grid, column) - 1.5, rowTop(band, row % grid.rows) - 1.5];
  return rect(x, y, grid.across + 1, grid.down + 1, 'cursor-box');
}

/** Cells whose state differs between two moments of the same window. */
export function changedCells(before: PageLines | null, now: PageLines): ReadonlySet<number> {
  const changed = new Set<number>();
  if (!before || before.page !== now.page || before.first !== now.first) return changed;
  now.rows.forEach((row, at) => {
    row.cells.forEach((cell, column) => {
      const was = before.rows[at]?.cells[column];
      if (was && was.state !== cell.state) changed.add(at * row.cells.length + column);
    });
  });
  return changed;
}

/** The first line of a window that contains a line, moved only if it is out of view. */
export function windowFor(first: number, shown: number, line: number | null): number {
  const most = Math.max(0, PAGE_LINES - shown);
  if (line === null || (line >= first && line < first + shown)) return clamp(first, 0, most);
  return clamp(line - Math.floor(shown / 2), 0, most);
}
