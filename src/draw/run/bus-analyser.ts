/**
 * The columns of the bus analyser: one per clock, with long phases and long idle times folded.
 *
 *   | A T W W D 0 1 2 3 [12 more] 16 | idle | A T retry |   58 clocks idle   | A ...
 */
import type { AnalysedBus, BusTransaction, PhaseKind } from '../../model/coherence/bus-phases';

/** One clock, or several that are folded. */
export interface ClockColumn {
  readonly x: number;
  readonly width: number;
  /** Index of the transaction shown; null while the bus is idle. */
  readonly transaction: number | null;
  /** Clock number within the transaction or the idle time. */
  readonly clock: number;
  readonly clocks: number;
  readonly kind: PhaseKind | 'idle';
  /** Index of the clock within its phase. */
  readonly index: number;
  /** Start time in picoseconds. */
  readonly fromPs: number;
  readonly toPs: number;
}

export interface AnalyserModel {
  readonly bus: AnalysedBus;
  readonly transactions: readonly BusTransaction[];
  readonly columns: readonly ClockColumn[];
  readonly left: number;
  readonly width: number;
}

const CLOCK = 14;
const FOLD = 40;
const IDLE_FOLD = 64;
/** Longer phases are folded, showing this many clocks at either end. */
const MOST = { wait: 8, data: 18, other: 8, idle: 4 } as const;
const ENDS = { wait: [3, 2], data: [9, 3], other: [3, 2] } as const;

type Piece = Omit<ClockColumn, 'x' | 'transaction'>;

function piecesOf({ clockPs }: AnalysedBus, of: BusTransaction): Piece[] {
  const pieces: Piece[] = [];
  const push = (kind: PhaseKind, clock: number, index: number, clocks: number) =>
    pieces.push({
      width: clocks > 1 ? FOLD : CLOCK,
      clock,
      clocks,
      kind,
      index,
      fromPs: of.from + clock * clockPs,
      toPs: of.from + (clock + clocks) * clockPs,
    });
  let clock = 0;
  for (const { kind, clocks } of of.phases) {
    const rule = kind === 'wait' || kind === 'data' ? kind : 'other';
    const [head, tail] = ENDS[rule];
    const folded = clocks > MOST[rule] ? clocks - head - tail : 0;
    for (let i = 0; i < clocks; i++) {
      if (folded > 0 && i === head) {
        push(kind, clock + i, i, folded);
        i += folded - 1;
      } else push(kind, clock + i, i, 1);
    }
    clock += clocks;
  }
  return pieces;
}

function idlePieces({ clockPs }: AnalysedBus, fromPs: number, toPs: number): Piece[] {
  const clocks = Math.round((toPs - fromPs) / clockPs);
  const idle = { kind: 'idle', index: 0 } as const;
  if (clocks > MOST.idle) return [{ ...idle, width: IDLE_FOLD, clock: 0, clocks, fromPs, toPs }];
  return Array.from({ length: clocks }, (_, clock) => ({
    ...idle,
    width: CLOCK,
    clock,
    clocks: 1,
    fromPs: fromPs + clock * clockPs,
    toPs: fromPs + (clock + 1) * clockPs,
  }));
}

/** A transaction with the idle time before it. */
interface Group {
  readonly idle: readonly Piece[];
  readonly own: readonly Piece[];
}

const lengthOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { width }) => sum + width, 0);

interface AnalyserInput {
  readonly bus: AnalysedBus;
  readonly around: readonly BusTransaction[];
  readonly playheadPs: number;
  readonly left: number;
  readonly width: number;
}

/** The transaction at a time: the one in progress, or the last before it. */
export function currentAt(around: readonly BusTransaction[], timePs: number): number {
  const after = around.findIndex(({ from }) => from > timePs);
  return Math.max(0, (after < 0 ? around.length : after) - 1);
}

/** The transaction at the playhead, and as many before it as leave room for what follows. */
export function analyserModel(input: AnalyserInput): AnalyserModel {
  const { bus, around, playheadPs, left, width } = input;
  const groups = around.map((one, i): Group => {
    const before = around[i - 1];
    return { idle: before ? idlePieces(bus, before.to, one.from) : [], own: piecesOf(bus, one) };
  });
  const current = currentAt(around, playheadPs);
  const room = width - left;
  let first = current;
  let used = lengthOf(groups[current]?.own ?? []);
  while (first > 0) {
    const more = lengthOf(groups[first]?.idle ?? []) + lengthOf(groups[first - 1]?.own ?? []);
    if (used + more > room * 0.6) break;
    used += more;
    first--;
  }
  const columns: ClockColumn[] = [];
  let x = left;
  const lay = (pieces: readonly Piece[], transaction: number | null) => {
    for (const piece of pieces) {
      if (x + piece.width > width) return false;
      columns.push({ ...piece, x, transaction });
      x += piece.width;
    }
    return true;
  };
  const shown: BusTransaction[] = [];
  for (let i = first; i < groups.length; i++) {
    const [group, one] = [groups[i], around[i]];
    if (!group || !one || (i > first && !lay(group.idle, null))) break;
    shown.push(one);
    if (!lay(group.own, shown.length - 1)) break;
  }
  return { bus, transactions: shown, columns, left, width };
}

/** Position of a time in the drawing; null if it is not visible. */
export function placeOfTime({ columns }: AnalyserModel, timePs: number): number | null {
  const column = columns.find(({ fromPs, toPs }) => timePs >= fromPs && timePs < toPs);
  if (column) {
    const share = (timePs - column.fromPs) / (column.toPs - column.fromPs);
    return column.x + share * column.width;
  }
  const before = columns.findLast(({ toPs }) => toPs <= timePs);
  return before && before !== columns.at(-1) ? before.x + before.width : null;
}

/** The column under a point. */
export const columnAt = ({ columns }: AnalyserModel, x: number): number | null => {
  const found = columns.findIndex((column) => x >= column.x && x < column.x + column.width);
  return found < 0 ? null : found;
};
