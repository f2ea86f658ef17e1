/**
 * The gain of one design over another, a row for each comparison: simulated dot and published ring on one
 * scale in per cent.
 */
import { signedPercent } from '../../base/format';
import { clamp } from '../../base/geometry';
import type { RunTable } from '../../model/lab/run-table';
import { figure } from '../../model/published/published';
import { agrees } from '../../model/scenario/experiment';
import type { Assignment, Scenario } from '../../model/scenario/scenario-types';
import { linearAxis, niceStep } from '../axis';
import { circle, line, path, rect, type Shape, words } from '../shape';

export interface Gain {
  readonly title: string;
  /** In per cent; null while a run is missing. */
  readonly simulated: number | null;
  /**
   * Null if the source has no readable value: then it states which design is better, or that both are equal.
   */
  readonly published: number | null;
  readonly statement: string;
  /** The run with the gain, to open it. */
  readonly variables: Assignment;
  readonly current: boolean;
}

function valueAt({ rows, metrics }: RunTable, at: Assignment, metric: string): number | null {
  const index = metrics.findIndex(({ name }) => name === metric);
  return rows.find(({ point }) => agrees(point.at, at))?.values[index] ?? null;
}

/** Rows of a scenario that compare two runs by one metric of the experiment. */
export function gainsOf(table: RunTable, scenario: Scenario, shown: Assignment): Gain[] {
  return scenario.expect.flatMap(({ quantity, figure: id }): Gain[] => {
    if (quantity.kind !== 'ratio') return [];
    const row = table.rows.find(({ point }) => agrees(point.at, quantity.of));
    if (!row) return [];
    const known = id === null ? null : figure(id);
    const [of, to] = [quantity.of, quantity.to].map((at) => valueAt(table, at, quantity.metric));
    const isNumber = known !== null && known !== undefined && known.kind === 'measured';
    const published = isNumber ? (known.value - 1) * 100 : null;
    return [
      {
        title: row.titles[0] ?? '',
        simulated: of && to ? (of / to - 1) * 100 : null,
        published,
        statement:
          published === null ? (known?.side ? 'one better' : ALIKE) : signedPercent(published),
        variables: row.point.variables,
        current: Object.entries(row.point.at).every(([name, value]) => shown[name] === value),
      },
    ];
  });
}

/** A statement of the paper: an arrow to the better side, a square for equal. */
const signShape = (statement: string, x: number, y: number): Shape =>
  statement === ALIKE
    ? rect(x - 4.5, y - 4.5, 9, 9, 'heavy')
    : path(`M${x - 5} ${y - 5}l-6 5l6 5`, 'heavy');

const ALIKE = 'alike';
const NAMES = 118;
const PAPER = 74;
const TOP = 20;
const [LEAST_PITCH, MOST_PITCH] = [13.5, 19];

/** The rows stand closer together where the sheet is low. */
const pitchIn = (rows: number, height: number): number =>
  clamp((height - TOP - 4) / Math.max(1, rows), LEAST_PITCH, MOST_PITCH);

export const gainsHeight = (rows: number, height: number): number =>
  TOP + rows * pitchIn(rows, height) + 4;

export function gainShapes(gains: readonly Gain[], width: number, height: number): Shape[] {
  const pitch = pitchIn(gains.length, height);
  const values = gains.flatMap(({ simulated, published }) => [simulated ?? 0, published ?? 0]);
  const [low, high] = [Math.min(-5, ...values) * 1.08, Math.max(5, ...values) * 1.08];
  const axis = linearAxis(low, high, NAMES, width - PAPER);
  const bottom = gainsHeight(gains.length, height) - 4;
  const step = niceStep(high - low, Math.max(2, Math.floor((width - PAPER - NAMES) / 50)));
  const shapes: Shape[] = [words(width - 10, 12, 'paper', 't10 i3 end')];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) {
    shapes.push(line(axis.at(tick), TOP - 4, axis.at(tick), bottom, tick === 0 ? 'thin' : 'hair'));
    shapes.push(words(axis.at(tick), 12, signedPercent(tick, 0), 't10 i3 mid'));
  }
  gains.forEach(({ title, simulated, published, statement, current }, index) => {
    const y = TOP + (index + 0.5) * pitch;
    if (current) shapes.push(rect(0, y - pitch / 2, width, pitch, 'l1f'));
    shapes.push(words(10, y + 4, title, current ? 't11 b6' : 't11'));
    if (simulated !== null) {
      shapes.push(line(axis.at(0), y, axis.at(simulated), y, 'flow'));
      shapes.push(circle(axis.at(simulated), y, 3.2, 'accf'));
    }
    if (published !== null) shapes.push(circle(axis.at(published), y, 5.4, 'heavy'));
    else shapes.push(signShape(statement, axis.at(0), y));
    shapes.push(words(width - 10, y + 4, statement, 't11 i2 end'));
  });
  return shapes;
}

export const gainSentences = (gains: readonly Gain[]): string[] =>
  gains.map(({ title, simulated, statement }) => {
    const own = simulated === null ? 'not run yet' : signedPercent(simulated);
    return `${title}: simulated ${own}, published ${statement}.`;
  });
