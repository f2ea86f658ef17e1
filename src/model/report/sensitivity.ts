/**
 * Sensitivity analysis: how far each group of rows moves when one constant of its machine changes by a fifth, and
 * the error of a simple formula for the same rows. A row that no constant moves does not test the assumptions; a
 * row that the formula meets as well needs no mechanism.
 */
import { digest } from '../../base/digest';
import type { Sweeps } from '../../engine/api';
import { columnOf, figure, numberedColumnOf } from '../published/published';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import type { Edits, Expectation, Scenario } from '../scenario/scenario-types';
import { toText } from '../scenario/values';
import { checkScenario } from './check';
import { isPrediction } from './check-totals';
import type { CheckReport, CheckRow } from './check-types';
import { fitLinear } from './linear-fit';

/** The fraction of a value by which a constant is changed: 1/5. */
const FIFTH = 5n;

interface Constant {
  /** The same parameter of parts that differ only in their number. */
  readonly paths: readonly string[];
  /** "cpu.switch_time" */
  readonly name: string;
  readonly title: string;
  /** The same with the name of its part, if several parts of that type differ. */
  readonly here: string;
  readonly basis: string;
  readonly value: string;
  /** A fifth less and a fifth more. */
  readonly moved: readonly string[];
}

/** Mean change of a group's rows in percent, with less and with more of a constant. */
export interface Move {
  readonly name: string;
  readonly title: string;
  readonly basis: string;
  readonly less: number;
  readonly more: number;
  /** A calibrated gain (a ratio of two runs) with less and with more of the constant. */
  readonly gains?: readonly (number | null)[];
}

export interface GroupSensitivity {
  readonly scenario: string;
  readonly title: string;
  readonly figures: readonly string[];
  /** Values of the runs; equal values mean that engine and scenario are unchanged. */
  readonly simulated: readonly number[];
  /** Mean error in percent. */
  readonly error: number;
  /** Mean error of a fit of overhead and rate to the calibrated rows of the same column; null if it has none. */
  readonly formula: number | null;
  /**
   * Constants were chosen from the row, so its sensitivity says how well they are determined, not how strong a
   * prediction is.
   */
  readonly calibrated?: boolean;
  /** Constants that move it, the strongest first. */
  readonly moves: readonly Move[];
  /** Number of constants that do not move it. */
  readonly still: number;
}

export interface ScenarioSensitivity {
  readonly scenario: string;
  /** Hash of its constants and of the values of its runs. */
  readonly hash: string;
  readonly groups: readonly GroupSensitivity[];
}

/** Numbers with a source (chosen, measured or documented), except workloads of a scenario and switches. */
function constantsOf(machine: CompiledMachine): Constant[] {
  const constants = new Map<string, Constant>();
  // Parameters documented "As in the ..." must change together with the original, such as a field of an address.
  const specs = machine.parts.flatMap((part) => part.type.params);
  const shared = new Set(
    specs.flatMap(({ name, doc }) => (doc.startsWith('As in the') ? [name] : [])),
  );
  for (const part of machine.parts)
    for (const { spec, path, value, basis, variable } of part.params) {
      if (variable || basis === 'scenario' || value === 0n) continue;
      if (spec.type === 'flag' || spec.type === 'address' || part.type.enums[spec.type]) continue;
      const text = (amount: bigint) => toText(amount, spec.type, part.type.enums);
      const alike = `${part.name.replace(/\d+$/, '')}.${spec.name}`;
      const key = `${shared.has(spec.name) ? spec.name : alike} ${value}`;
      const known = constants.get(key);
      const by = value / FIFTH > 0n ? value / FIFTH : 1n;
      const fresh = {
        name: [...constants.values()].some(({ name }) => name === alike) ? path : alike,
        paths: [],
        title: `${part.type.title}: ${spec.title}`,
        here: `${part.title}: ${spec.title}`,
        basis,
        value: text(value),
        moved: [text(value - by), text(value + by)],
      };
      constants.set(key, { ...fresh, ...known, paths: [...(known?.paths ?? []), path] });
    }
  const all = [...constants.values()];
  const isShared = (title: string) => all.filter((one) => one.title === title).length > 1;
  return all.map((one) => (isShared(one.title) ? { ...one, title: one.here } : one));
}

interface Group {
  readonly title: string;
  readonly rows: readonly CheckRow[];
}

/** A ratio of two runs from which constants were chosen. */
const isCalibratedGain = ({ kind, role }: CheckRow) => kind === 'ratio' && role === 'calibrated';

const isMoved = (row: CheckRow) =>
  isPrediction(row) || row.kind === 'crossing' || isCalibratedGain(row);

/** Predicted rows of one column form a group; a single row or a crossing is its own group. */
function groupsOf(rows: readonly CheckRow[]): Group[] {
  const groups = new Map<string, CheckRow[]>();
  for (const row of rows.filter(isMoved)) {
    const key = (row.kind === 'value' && numberedColumnOf(row.figure)) || row.figure;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].map(([key, members]) => {
    const [first] = members as [CheckRow];
    const title = members.length === 1 ? first.title : (figure(first.figure)?.quantity ?? key);
    return { title, rows: members };
  });
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const rounded = (value: number) => Number(value.toPrecision(4));

/** Error of a fit of overhead and rate to the calibrated rows inside their tolerance, at the rows of the group. */
function formulaError(report: CheckReport, group: Group): number | null {
  const column = columnOf(group.rows[0]?.figure ?? '');
  const sized = ({ at, published }: CheckRow) =>
    typeof at?.size === 'number' && published !== null ? [{ size: at.size, value: published }] : [];
  const needed = group.rows.flatMap(sized);
  if (needed.length === 0) return null;
  const known = report.rows.filter(
    (row) =>
      row.role === 'calibrated' && row.verdict === 'passed' && columnOf(row.figure) === column,
  );
  const fit = fitLinear(known.flatMap(sized));
  if (!fit) return null;
  const errors = needed.map(({ size, value }) => {
    const fitted = (size * 1e6) / (fit.overheadPs + fit.psPerByte * size);
    return Math.abs(fitted / value - 1) * 100;
  });
  return mean(errors);
}

/** Change of rows in percent; null if a run gave no value. */
function movement(before: readonly CheckRow[], after: readonly CheckRow[]): number | null {
  const moved = before.map(({ figure: id, simulated: was }) => {
    const now = after.find((row) => row.figure === id)?.simulated ?? null;
    if (was === null || now === null) return null;
    if (was === now) return 0;
    return was === 0 ? 100 : Math.abs(now / was - 1) * 100;
  });
  return moved.includes(null) ? null : mean(moved as number[]);
}

const rowsOfGroups = (scenario: Scenario, groups: readonly Group[]): readonly Expectation[] => {
  const figures = new Set(groups.flatMap(({ rows }) => rows.map((row) => row.figure)));
  return scenario.expect.filter((row) => row.figure !== null && figures.has(row.figure));
};

/** The report of the groups' rows with one constant changed; null if the machine refuses it. */
async function movedReport(
  engine: Sweeps,
  scenario: Scenario,
  { paths }: Constant,
  value: string,
): Promise<CheckReport | null> {
  const edits: Edits = Object.fromEntries(paths.map((path) => [path, value]));
  const report = await checkScenario(engine, scenario, undefined, { edits });
  return report.problems.length > 0 ? null : report;
}

function machineOf(scenario: Scenario): CompiledMachine {
  const machine = compile(scenario, { traceLog2: 0 });
  if (!machine.ok) throw new Error(machine.problems[0]?.message);
  return machine.value;
}

/** Hash over everything that a scenario's sensitivities depend on, eight digits. */
export function sensitivityHash(scenario: Scenario, report: CheckReport): string {
  const constants = constantsOf(machineOf(scenario)).map(({ name, value }) => [name, value]);
  const rows = groupsOf(report.rows).flatMap((group) => group.rows);
  return digest(JSON.stringify([constants, rows.map((row) => [row.figure, row.simulated])]));
}

/** Names of the constants of a scenario, as in `only`. */
export const constantNames = (scenario: Scenario): string[] =>
  constantsOf(machineOf(scenario)).map(({ name }) => name);

/** Change of a group with less and with more of a constant, and its values if it is a gain. */
interface Moved {
  readonly by: readonly [less: number, more: number];
  readonly gains: readonly (number | null)[];
}

const gainIn = ([row]: readonly CheckRow[], report: CheckReport | null): number | null =>
  report?.rows.find(({ figure: id }) => id === row?.figure)?.simulated ?? null;

/** Change of every group by one constant; null if the constant cannot change by a fifth. */
async function movesBy(
  engine: Sweeps,
  scenario: Scenario,
  groups: readonly Group[],
  constant: Constant,
): Promise<Moved[] | null> {
  const reports: (CheckReport | null)[] = [];
  for (const value of constant.moved)
    reports.push(await movedReport(engine, scenario, constant, value));
  const moved = groups.map(({ rows }) =>
    reports.map((report) => report && movement(rows, report.rows)),
  );
  if (moved.flat().every((side) => side === null)) return null;
  return groups.map(({ rows }, i) => ({
    by: [moved[i]?.[0] ?? 0, moved[i]?.[1] ?? 0],
    gains: reports.map((report) => gainIn(rows, report)),
  }));
}

/** Changes below this many percent are ignored. */
const STILL = 0.005;

export interface SensitivityOptions {
  /** Only constants with these names, such as "cpu.switch_time". */
  readonly only?: readonly string[];
  readonly onProgress?: (done: number, total: number) => void;
}

/** Null for a scenario without predictions. */
export async function sensitivityOfScenario(
  engine: Sweeps,
  scenario: Scenario,
  { only, onProgress }: SensitivityOptions = {},
): Promise<ScenarioSensitivity | null> {
  const report = await checkScenario(engine, scenario);
  const groups = groupsOf(report.rows);
  if (groups.length === 0) return null;
  const needed = { ...scenario, expect: rowsOfGroups(scenario, groups) };
  const constants = constantsOf(machineOf(scenario)).filter(
    ({ name }) => only?.includes(name) ?? true,
  );
  const moves = new Map<Constant, Moved[]>();
  for (const [i, constant] of constants.entries()) {
    const found = await movesBy(engine, needed, groups, constant);
    if (found) moves.set(constant, found);
    onProgress?.(i + 1, constants.length);
  }
  return {
    scenario: scenario.id,
    hash: sensitivityHash(scenario, report),
    groups: groups.map((group, i) => groupStrength(report, group, moves, i)),
  };
}

function groupStrength(
  report: CheckReport,
  group: Group,
  moves: ReadonlyMap<Constant, readonly Moved[]>,
  index: number,
): GroupSensitivity {
  const calibrated = group.rows.every(isCalibratedGain);
  const all = [...moves].map(([{ name, title, basis }, found]): Move => {
    const { by, gains } = found[index] ?? { by: [0, 0], gains: [] };
    const move = { name, title, basis, less: rounded(by[0]), more: rounded(by[1]) };
    if (!calibrated) return move;
    return { ...move, gains: gains.map((gain) => (gain === null ? null : rounded(gain))) };
  });
  const moving = all.filter(({ less, more }) => Math.max(less, more) >= STILL);
  const formula = formulaError(report, group);
  return {
    scenario: report.scenario,
    title: group.title,
    figures: group.rows.map((row) => row.figure),
    simulated: group.rows.map((row) => row.simulated ?? 0),
    error: rounded(mean(group.rows.map((row) => Math.abs(row.error_percent ?? 0)))),
    formula: formula === null ? null : rounded(formula),
    ...(calibrated && { calibrated }),
    moves: moving.sort((a, b) => Math.max(b.less, b.more) - Math.max(a.less, a.more)),
    still: all.length - moving.length,
  };
}
