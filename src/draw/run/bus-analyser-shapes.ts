/** The bus analyser as shapes: owner and phase of each clock, signals below, share of clocks with data. */
import { address, bytes, text } from '../../base/format';
import {
  asserted,
  type BusTransaction,
  type PhaseKind,
  SIGNALS,
  type Signal,
  shortCommand,
} from '../../model/coherence/bus-phases';
import { glyph, signOf } from '../glyph';
import { line, path, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import type { AnalyserModel, ClockColumn } from './bus-analyser';
import { efficiencyText } from './bus-analyser-text';

/** Name and sign of a part. */
export interface Named {
  readonly title: string;
  readonly actor: string;
}

type Look = (part: number | null) => Named;

const ROW = 17;
const [RULER, OWNER, PHASE, FIRST] = [12, 17, 37, 60];
/** Rows with values and rows with signal levels, by priority when room is short. */
const ROWS = ['AD', 'FRAME#', 'IRDY#', 'DEVSEL#', 'TRDY#', 'STOP#', 'C/BE#'] as const;
type Row = (typeof ROWS)[number];

/** Rows that fit a height, in their order on the bus. */
export function rowsIn(height: number): readonly Row[] {
  const most = Math.max(0, Math.floor((height - FIRST - 26) / ROW));
  const fitting = ROWS.slice(0, most);
  const order: readonly Row[] = ['FRAME#', 'AD', 'C/BE#', 'IRDY#', 'DEVSEL#', 'TRDY#', 'STOP#'];
  return order.filter((row) => fitting.includes(row));
}

export const analyserHeight = (rows: number): number => FIRST + rows * ROW + 26;

/** Advance of the monospaced face at 10 px. */
const MONO = 6;

const LETTERS: Readonly<Partial<Record<PhaseKind, string>>> = {
  address: 'A',
  attributes: 'B',
  turn: 'T',
  decode: 'D',
  retry: 'R',
  split: 'S',
  abort: '!',
};

function phaseCell({ x, width, kind, index, clocks }: ClockColumn, hue: string): Shape[] {
  if (kind === 'idle') return [];
  const box = (cls: string) => rect(x + 0.5, PHASE, width - 1, 16, cls);
  const letter = (content: string, tone: string) => words(x + width / 2, PHASE + 12, content, tone);
  const folded = clocks > 1 ? `+${clocks}` : null;
  switch (kind) {
    case 'data': {
      const label = folded ?? String(index);
      const fits = label.length * MONO <= width - 1;
      return [box(`a-${hue}`), ...(fits ? [letter(label, 'm10 mid on')] : [])];
    }
    case 'wait':
      return [box('waitf'), box('slot'), ...(folded ? [letter(folded, 'm10 mid halo')] : [])];
    case 'address':
      return [box('inkf'), letter('A', 'm10 mid b6 on')];
    case 'retry':
    case 'abort':
      return [box('defect'), letter(LETTERS[kind] ?? '', 'm10 mid b6 tbad')];
    default:
      return [box('slot'), letter(folded ?? LETTERS[kind] ?? '', 'm10 mid i2')];
  }
}

/** Visible columns of one transaction. */
const columnsOf = ({ columns }: AnalyserModel, at: number): ClockColumn[] =>
  columns.filter(({ transaction }) => transaction === at);

const endOf = ({ x, width }: ClockColumn): number => x + width;

function ownerShapes(own: readonly ClockColumn[], of: BusTransaction, look: Look): Shape[] {
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last) return [];
  const { title, actor } = look(of.master);
  const width = endOf(last) - first.x;
  const labels = [`${title}, ${of.command.title}`, `${title} ${shortCommand(of.command)}`, title];
  const fits = labels.find((one) => widthOf(one, 11.5) + 28 <= width);
  return [
    rect(first.x + 0.5, OWNER, width - 1, 16, `o-${signOf(actor).hue}`),
    glyph(actor, first.x + 9, OWNER + 8, 4),
    ...(fits ? [words(first.x + 18, OWNER + 12, fits, 't11')] : []),
  ];
}

/** A bus value between two positions: the six-sided box of timing diagrams. */
function value(x: number, to: number, y: number, labels: readonly string[]): Shape[] {
  const [top, foot] = [y - 11, y + 1];
  const slope = Math.min(3, (to - x) / 2);
  const box = `M${x} ${y - 5}L${x + slope} ${top}H${to - slope}L${to} ${y - 5}L${to - slope} ${foot}H${x + slope}Z`;
  const fits = labels.find((one) => widthOf(one, 10.5) + 8 <= to - x);
  return [path(box, 'thin'), ...(fits ? [words((x + to) / 2, y - 1, fits, 't10 mid')] : [])];
}

/** From the first to the last of some columns; null if none is visible. */
function reach(own: readonly ClockColumn[], test: (column: ClockColumn) => boolean) {
  const found = own.filter(test);
  const [first, last] = [found[0], found.at(-1)];
  return first && last ? ([first.x + 0.5, endOf(last) - 0.5] as const) : null;
}

function busRow(
  row: 'AD' | 'C/BE#',
  own: readonly ClockColumn[],
  of: BusTransaction,
  y: number,
  width: number,
): Shape[] {
  const head = reach(own, ({ kind }) => kind === 'address');
  const attributes = reach(own, ({ kind }) => kind === 'attributes');
  const data = reach(own, ({ kind }) => kind === 'data');
  const size = text(bytes(of.bytes));
  const beats = `${of.dataClocks} x ${width} B`;
  const labels =
    row === 'AD' ? [`${beats} at ${address(of.address)}`, size] : ['byte enables', 'enables', 'BE'];
  return [
    ...(head ? value(...head, y, row === 'AD' ? ['A'] : ['C']) : []),
    ...(attributes ? value(...attributes, y, []) : []),
    ...(data ? value(...data, y, labels) : []),
  ];
}

/** A line that is low while the signal is asserted. */
function signalRow(model: AnalyserModel, signal: Signal, y: number): Shape {
  const { columns, transactions, bus, left } = model;
  const [high, low] = [y - 10, y];
  let d = `M${left} ${high}`;
  for (const { x, width, transaction, clock } of columns) {
    const of = transaction === null ? undefined : transactions[transaction];
    const level = of && asserted(bus, of, clock).includes(signal) ? low : high;
    d += `H${x}V${level}H${x + width}`;
  }
  return path(d, 'thin');
}

function rulerShapes({ columns }: AnalyserModel): Shape[] {
  return columns.flatMap(({ x, clock, clocks, transaction, kind, width }) => {
    if (transaction === null)
      return clocks > 1
        ? [
            rect(x + 3, OWNER, width - 6, 36, 'waitf'),
            words(x + width / 2, OWNER + 15, `${clocks} clocks`, 't10 mid halo'),
            words(x + width / 2, OWNER + 29, 'idle', 't10 mid halo'),
          ]
        : [];
    return clock % 5 === 0 && clocks === 1 && kind !== 'idle'
      ? [words(x + width / 2, RULER, String(clock), 't10 mid i3')]
      : [];
  });
}

/** Everything but the playhead. */
export function analyserShapes(model: AnalyserModel, rows: readonly Row[], look: Look): Shape[] {
  const { transactions, left, width, bus } = model;
  const label = (y: number, content: string, cls = 't10 i2 end') =>
    words(left - 8, y, content, cls);
  const foot = FIRST + rows.length * ROW + 8;
  const names = [
    label(RULER, `clock, ${text({ value: (bus.clockPs / 1000).toFixed(1), unit: 'ns' })}`),
    label(OWNER + 12, 'owner'),
    label(PHASE + 12, 'phase'),
    label(foot + 6, 'data'),
  ];
  const lines = rows.flatMap((row, i): Shape[] => {
    const y = FIRST + i * ROW + 11;
    const name = label(y - 1, row, 'm10 i2 end');
    if ((SIGNALS as readonly string[]).includes(row))
      return [name, signalRow(model, row as Signal, y)];
    const own = transactions.flatMap((of, at) =>
      busRow(row as 'AD' | 'C/BE#', columnsOf(model, at), of, y, bus.width),
    );
    return [name, line(left, y - 5, width, y - 5, 'hair'), ...own];
  });
  const owners = transactions.flatMap((of, at) => {
    const own = columnsOf(model, at);
    const hue = signOf(look(of.master).actor).hue;
    return [
      ...ownerShapes(own, of, look),
      ...own.flatMap((column) => phaseCell(column, hue)),
      ...shareShapes(own, of, foot, hue),
    ];
  });
  return [...names, ...rulerShapes(model), ...lines, ...owners];
}

/** Share of a transaction's clocks with data: a bar, labelled if there is room. */
function shareShapes(own: readonly ClockColumn[], of: BusTransaction, y: number, hue: string) {
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last || of.clocks === 0) return [];
  const width = endOf(last) - first.x - 4;
  const labels = [
    efficiencyText(of),
    `${of.dataClocks} of ${of.clocks} clocks`,
    `${Math.round((of.dataClocks / of.clocks) * 100)} %`,
  ];
  const fits = labels.find((one) => widthOf(one, 10.5) <= width);
  return [
    rect(first.x, y + 10, width, 3, 'sunkf'),
    rect(first.x, y + 10, (width * of.dataClocks) / of.clocks, 3, `a-${hue}`),
    ...(fits ? [words(first.x, y + 6, fits, 't10 i2')] : []),
  ];
}
