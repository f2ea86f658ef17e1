/** The map of the I/O TLB, and beside it the detail of one row: latest look-ups and evictions. */
import { integer } from '../../base/format';
import { clamp } from '../../base/geometry';
import { fitting, glyph } from '../glyph';
import { path, polyline, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import {
  type Claimant,
  isContended,
  missText,
  type RowConflict,
  rowSentence,
  type TlbRow,
  type TlbRowDetail,
} from './tlb-map';

export interface TlbGrid {
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
  /** Pitch of the cells. */
  readonly pitch: number;
  readonly amount: number;
}

const LEFT = 34;
const TOP = 14;
const DETAIL_GAP = 16;
/** Least width of the detail beside the map. */
const DETAIL_WIDTH = 196;

interface TlbSheet {
  readonly width: number;
  readonly height: number;
  /** The detail is below, so the map has the full width. */
  readonly stacked: boolean;
}

/** As square as a power of two allows: 256 rows are 16 by 16. */
export function tlbGrid(amount: number, { width, height, stacked }: TlbSheet): TlbGrid {
  const columns = 2 ** Math.ceil(Math.log2(Math.max(1, amount)) / 2);
  const rows = Math.ceil(amount / columns);
  const beside = width - LEFT - DETAIL_GAP - DETAIL_WIDTH - 12;
  const room = !stacked && beside > 100 ? beside : width - LEFT - 12;
  const pitch = clamp(Math.min((height - TOP - 8) / rows, room / columns), 2, 26);
  return { left: LEFT, top: TOP, columns, rows, pitch, amount };
}

/** Left edge of the detail, or null if it does not fit beside the map. */
export function detailLeft(grid: TlbGrid, width: number): number | null {
  const x = grid.left + grid.columns * grid.pitch + DETAIL_GAP;
  return width - x >= DETAIL_WIDTH ? x : null;
}

export function chainAt(grid: TlbGrid, x: number, y: number): number | null {
  const column = Math.floor((x - grid.left) / grid.pitch);
  const row = Math.floor((y - grid.top) / grid.pitch);
  const chain = row * grid.columns + column;
  const inside = column >= 0 && column < grid.columns && row >= 0 && chain < grid.amount;
  return inside ? chain : null;
}

const corner = (grid: TlbGrid, chain: number) => ({
  x: grid.left + (chain % grid.columns) * grid.pitch,
  y: grid.top + Math.floor(chain / grid.columns) * grid.pitch,
});

const hueOf = (claimant: Claimant | undefined): string => {
  const actor = claimant?.actor ?? 'other';
  return actor === 'disk' || actor === 'lan' ? actor : actor === 'card' ? 'disk' : 'adapter';
};

/** A row with a conflict: divided between its two claimants, in a red frame. */
function conflictShapes(grid: TlbGrid, { chain, claimants }: RowConflict): Shape[] {
  const { x, y } = corner(grid, chain);
  const size = grid.pitch - 1.4;
  const [right, low] = [x + size, y + size];
  return [
    path(polyline([x, low, right, y, x, y]), `a-${hueOf(claimants[0])}`),
    path(polyline([x, low, right, y, right, low]), `a-${hueOf(claimants[1])}`),
    rect(x - 2, y - 2, size + 4, size + 4, 'tl-hot'),
  ];
}

interface TlbMarks {
  readonly rowConflicts: readonly RowConflict[];
  /** The row shown in detail. */
  readonly chosen: number | null;
  readonly marked: readonly number[];
}

export function tlbShapes(grid: TlbGrid, rows: readonly TlbRow[], marks: TlbMarks): Shape[] {
  const size = grid.pitch - 1.4;
  const cells = rows.map(({ chain, tone }) => {
    const { x, y } = corner(grid, chain);
    return rect(x, y, size, size, `tl-${tone}`);
  });
  const every = Math.max(1, Math.round(grid.rows / 4));
  const labels = Array.from({ length: Math.ceil(grid.rows / every) }, (_, step) => {
    const row = step * every;
    const y = grid.top + (row + 0.5) * grid.pitch + 2.5;
    return words(grid.left - 6, y, integer(row * grid.columns), 'm10 i3 end');
  });
  const boxes = marks.marked.map((chain) => {
    const { x, y } = corner(grid, chain);
    return rect(x - 2.5, y - 2.5, size + 5, size + 5, 'same-box');
  });
  const chosen = marks.chosen === null ? [] : [chosenShape(grid, marks.chosen)];
  return [
    ...labels,
    ...cells,
    ...boxes,
    ...marks.rowConflicts.flatMap((rowConflict) => conflictShapes(grid, rowConflict)),
    ...chosen,
  ];
}

function chosenShape(grid: TlbGrid, chain: number): Shape {
  const { x, y } = corner(grid, chain);
  return rect(x - 2, y - 2, grid.pitch + 2.6, grid.pitch + 2.6, 'cursor-box');
}

/** A leader line from the row on the map to its detail. */
export function leader(grid: TlbGrid, chain: number, to: number, hasConflict: boolean): Shape {
  const { x, y } = corner(grid, chain);
  const [middle, above] = [x + grid.pitch / 2, grid.top - 6];
  const d = `M${middle} ${y - 3}V${above}H${to - 8}V16H${to - 4}`;
  return path(d, hasConflict ? 'bad-line' : 'brace');
}

const STEP = 9.2;
/** Look-ups that fit side by side. */
export const lookUpsFitting = (width: number): number =>
  clamp(Math.floor((width - 10) / STEP), 6, 24);

/** The latest look-ups from left to right, a level for each claimant; a red tick marks a miss. */
function zigzag(detail: TlbRowDetail, x: number, y: number): { shapes: Shape[]; height: number } {
  const { last, claimants } = detail;
  const levels = Math.max(1, claimants.length);
  const at = (index: number, level: number) => ({
    px: x + 4 + index * STEP,
    py: y + 4 + level * 11,
  });
  const points = last.flatMap(({ level }, index) => {
    const { px, py } = at(index, level);
    return [px, py];
  });
  const ticks = y + levels * 11 + 1;
  const shapes = [
    path(points.length > 2 ? polyline(points, false) : '', 'zigzag'),
    ...last.map(({ level }, index) => {
      const { px, py } = at(index, level);
      return glyph(claimants[level]?.actor ?? 'other', px, py, 3);
    }),
    ...last.map(({ missed }, index) => {
      const px = x + 4 + index * STEP;
      return path(missed ? `M${px} ${ticks}v4` : '', 'bad-line');
    }),
  ];
  return { shapes, height: levels * 11 + 8 };
}

const [LEAST_CELL, MOST_CELL] = [22, 40];
const ROW = 16;

/** Evicting claimants down, evicted ones across; the largest numbers are the conflict. */
function evictionTable(
  detail: TlbRowDetail,
  x: number,
  y: number,
  width: number,
): { shapes: Shape[]; height: number } {
  const { claimants, evictions } = detail;
  const names = claimants.map(({ title, block }) => `${title} ${integer(block)}`);
  const left = x + 18 + Math.max(34, ...names.map((name) => widthOf(name, 11.5)));
  const share = (x + width - left) / claimants.length - 4;
  const size = clamp(Math.floor(share), LEAST_CELL, MOST_CELL);
  const hot = Math.max(2, ...evictions.flat()) / 2;
  const shapes: Shape[] = [words(x, y + 7, 'evicted', 't10 i3')];
  claimants.forEach((claimant, column) => {
    shapes.push(glyph(claimant.actor, left + (column + 0.5) * (size + 4) - 2, y + 4, 3.2));
  });
  claimants.forEach((claimant, row) => {
    const top = y + 11 + row * ROW;
    shapes.push(glyph(claimant.actor, x + 4, top + 7, 3.2));
    shapes.push(words(x + 13, top + 11, names[row] ?? '', 't11'));
    evictions[row]?.forEach((times, column) => {
      const isHot = times > hot && isContended(detail);
      const cell = left + column * (size + 4);
      shapes.push(rect(cell, top, size, 14, isHot ? 'ev-hot' : 'slot'));
      const tone = isHot ? 'm10 mid b6' : 'm10 mid i3';
      shapes.push(words(cell + size / 2, top + 11, integer(times), tone));
    });
  });
  return { shapes, height: 11 + claimants.length * ROW + 2 };
}

/** Wraps a sentence to a width; SVG text does not flow. */
function wrapped(sentence: string, width: number, size: number): string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && widthOf(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

interface DetailPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The detail of a row; what does not fit is left out from the end. */
export function detailShapes(detail: TlbRowDetail, place: DetailPlace): Shape[] {
  const { x, width } = place;
  const low = place.y + place.height;
  const title = `Row ${integer(detail.chain)}`;
  const tone = isContended(detail) ? 't11 tbad b5' : 't11 i2';
  const shapes: Shape[] = [
    words(x, place.y + 10, title, 's12'),
    words(x + widthOf(title, 12) + 18, place.y + 10, missText(detail), tone),
  ];
  let y = place.y + 18;
  const caption = fitting(
    [`last ${detail.last.length} look-ups, red: missed`, `last ${detail.last.length} look-ups`],
    width,
    10.5,
  );
  if (detail.last.length > 0) {
    shapes.push(words(x, y + 8, caption ?? '', 't10 i3'));
    const zig = zigzag(detail, x, y + 13);
    shapes.push(...zig.shapes);
    y += 13 + zig.height;
  }
  if (detail.claimants.length > 1) {
    const table = evictionTable(detail, x, y + 2, width);
    if (y + table.height <= low) {
      shapes.push(...table.shapes);
      y += 2 + table.height;
    }
  }
  const lines = wrapped(rowSentence(detail), width, 11.5);
  if (y + lines.length * 14 <= low + 8)
    shapes.push(...lines.map((text, row) => words(x, y + 11 + row * 14, text, 't11 i2')));
  return shapes;
}
