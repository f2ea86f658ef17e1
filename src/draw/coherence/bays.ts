/**
 * Where the picture that follows the bus puts its parts: names and the transition at the left, bays side by side, the
 * flag of the transaction above and the pages below.
 *
 *                      | flag |
 *            33    36    39        0    3    6
 *     Cache 0  P P P P . . .       . . . . . .
 *     Memory   . . . . . . .       X X X X X X
 *             |_ page 0x100 _|    |_ page 0x108 _|
 */
import { clamp } from '../../base/geometry';
import { PAGE_LINES } from '../../model/coherence/coherence-roles';
import { path, type Shape } from '../shape';
import { widthOf } from '../text-width';

const NAMES_LEFT = 20;
const NAME_SIZE = 11.5;
/** The name in play is bold, and so much wider. */
const BOLD = 1.08;
/** Two cells with an arrow between them. */
const TRANSITION = 38;
const TOP = 31;
const BELOW = 20;
/** Memory stands a little apart from those who hold copies. */
const APART = 3;
const BETWEEN = 8;
const RIGHT = 8;
const LEAST_ACROSS = 14;
const MOST_ACROSS = 18;
const LEAST_DOWN = 13;
/** Names of 10 px and letters of cells just fit. */
const TIGHT_DOWN = 9.2;
/** The text at a bay's foot is put among the numbers if there is no room below. */
const TIGHT_TOP = 27;
const MOST_DOWN = 19;
const LEAST_COLUMNS = 3;
const MOST_COLUMNS = { one: 32, several: 11 };
/** Sizes of the sheet for which the drawing is made; a larger one is drawn larger. */
const USUAL_WIDTH = 460;
/** Beside other panels; where drawings are larger in general, for a hall. */
const [MOST_SCALE, MOST_IN_HALL] = [1.6, 2.4];

export const mostScale = (scale: number): number => (scale > 1 ? MOST_IN_HALL : MOST_SCALE);

export interface BaysGrid {
  readonly width: number;
  readonly height: number;
  /** Drawn so much larger than its units. */
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  readonly across: number;
  readonly down: number;
  readonly rows: number;
  readonly columns: number;
  readonly count: number;
  /** Left edge of the transition in the gutter. */
  readonly transition: number;
  /** Too low for the text below the bays. */
  readonly tight: boolean;
}

interface BaysSheet {
  readonly width: number;
  readonly height: number;
  readonly names: readonly string[];
  readonly bays: number;
  /** Of drawings in general: a projector is read from far away. */
  readonly scale: number;
}

export function baysGrid({ width, height, names, bays, scale }: BaysSheet): BaysGrid {
  const rows = names.length;
  const usualHeight = TOP + rows * LEAST_DOWN + APART + BELOW;
  const larger = clamp(
    Math.min(width / USUAL_WIDTH, height / usualHeight),
    scale,
    mostScale(scale),
  );
  const [w, h] = [width / larger, height / larger];
  const nameWidth = Math.max(...names.map((name) => widthOf(name, NAME_SIZE)), 30);
  const transition = NAMES_LEFT + nameWidth * BOLD + 4;
  const left = transition + TRANSITION;
  const room = (w - left - RIGHT - (bays - 1) * BETWEEN) / Math.max(1, bays);
  const most = bays === 1 ? MOST_COLUMNS.one : MOST_COLUMNS.several;
  const columns = clamp(Math.floor(room / LEAST_ACROSS), LEAST_COLUMNS, most);
  const across = clamp(room / columns, LEAST_ACROSS - 3, MOST_ACROSS);
  const tight = h < TOP + rows * LEAST_DOWN + APART + BELOW;
  const [top, below, least] = tight ? [TIGHT_TOP, 1, TIGHT_DOWN] : [TOP, BELOW, LEAST_DOWN];
  const down = clamp((h - top - APART - below) / Math.max(1, rows), least, MOST_DOWN);
  return {
    ...{ width: w, height: top + rows * down + APART + below, scale: larger },
    ...{ left, top, across, down, rows, columns, count: bays, transition, tight },
  };
}

export const bayWidth = ({ columns, across }: BaysGrid): number => columns * across;

export const bayLeft = (grid: BaysGrid, bay: number): number =>
  grid.left + bay * (bayWidth(grid) + BETWEEN);

/** Top of a row; memory is the last one. */
export const bayRowTop = ({ top, down, rows }: BaysGrid, row: number): number =>
  top + row * down + (row === rows - 1 ? APART : 0);

export const bayBottom = (grid: BaysGrid): number => bayRowTop(grid, grid.rows - 1) + grid.down;

/** Row, bay and column under a point; null between and beside the cells. */
export function bayCellAt(grid: BaysGrid, x: number, y: number) {
  const pitch = bayWidth(grid) + BETWEEN;
  const bay = Math.floor((x - grid.left) / pitch);
  const column = Math.floor((x - grid.left - bay * pitch) / grid.across);
  const row = Array.from({ length: grid.rows }, (_, at) => at).find((at) => {
    const top = bayRowTop(grid, at);
    return y >= top && y < top + grid.down;
  });
  const isInside = bay >= 0 && bay < grid.count && column >= 0 && column < grid.columns;
  return row === undefined || !isInside ? null : { row, bay, column };
}

/** First line of a bay that was dragged by some columns; it stays on its page. */
export function draggedFirst(first: number, by: number, columns: number): number {
  const page = first - (first % PAGE_LINES);
  return clamp(first + by, page, page + PAGE_LINES - columns);
}

const FLAG_TOP = 1;
const FLAG_HEIGHT = 15;
const TIP = 4;
const MONO = 6.05;

export interface FlagShape {
  readonly outline: Shape;
  readonly x: number;
  readonly width: number;
  /** Middle of its text. */
  readonly y: number;
}

/** The flag over a column: an outline that points at it, as far left or right as the sheet allows. */
export function flagShape(grid: BaysGrid, middle: number, text: string, hue: string): FlagShape {
  const width = 22 + text.length * MONO;
  const x = clamp(middle - width / 2, grid.left - 12, grid.width - width - 3);
  const low = FLAG_TOP + FLAG_HEIGHT - TIP;
  const tip = clamp(middle, x + TIP + 1, x + width - TIP - 1);
  const d = `M${x} ${FLAG_TOP}h${width}V${low}H${tip + TIP}L${tip} ${low + TIP}L${tip - TIP} ${low}H${x}z`;
  return { outline: path(d, `raisedf o-${hue} packet`), x, width, y: (FLAG_TOP + low) / 2 };
}
