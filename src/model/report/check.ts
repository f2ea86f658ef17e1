/** Runs a scenario's `expect` rows and compares them with published figures. */
import type { Sweeps } from '../../engine/api';
import { findCrossing, metricValue, refineCrossing, stepOf } from '../scenario/experiment';
import { type Problem, problem } from '../scenario/problems';
import type { Assignment, Crossing, Expectation, Scenario } from '../scenario/scenario-types';
import { calibrationShareViolations } from './calibration-share';
import {
  type Crossed,
  type CrossingQuantity,
  checkRow,
  type RunAt,
  seedsOf,
  statisticRow,
} from './check-rows';
import type { CheckReport, CheckRow } from './check-types';
import { type FinishedRun, type RunOptions, runAll } from './run-all';

const keyOf = (at: Assignment, seed?: number) =>
  JSON.stringify([seed ?? null, Object.entries(at).sort()]);

function crossingAts(scenario: Scenario, crossing: Crossing): Assignment[] {
  const axis = scenario.experiment?.axes.find((one) => one.name === crossing.axis);
  return (axis?.values ?? []).flatMap((value) => [
    { ...crossing.more, [crossing.axis]: value },
    { ...crossing.than, [crossing.axis]: value },
  ]);
}

function atsOf(scenario: Scenario, { quantity }: Expectation): Assignment[] {
  switch (quantity.kind) {
    case 'value':
      return [quantity.at];
    case 'ratio':
    case 'difference':
      return [quantity.of, quantity.to];
    case 'crossing':
      return crossingAts(scenario, quantity.crossing);
    case 'statistic':
      return [];
  }
}

async function crossed(
  scenario: Scenario,
  { crossing }: CrossingQuantity,
  runAt: RunAt,
  runMore: (ats: readonly Assignment[]) => Promise<(FinishedRun | null)[]>,
): Promise<Crossed | null> {
  const axis = scenario.experiment?.axes.find((one) => one.name === crossing.axis);
  const metric = scenario.metrics.get(crossing.metric);
  if (!axis || !metric) return null;
  const worth = (run: FinishedRun | null | undefined) =>
    run ? metricValue(metric, run.variables, run.counters) : null;
  const x = axis.values.map(Number);
  const side = (at: Assignment) => x.map((value) => worth(runAt({ ...at, [axis.name]: value })));
  const found = findCrossing(x, side(crossing.more), side(crossing.than));
  if (!found.between) return { ...found, axis, exact: null };
  const exact = await refineCrossing(found.between, stepOf(axis), async (value) => {
    const runs = await runMore([
      { ...crossing.more, [axis.name]: value },
      { ...crossing.than, [axis.name]: value },
    ]);
    const [more, than] = runs.map(worth);
    return typeof more === 'number' && typeof than === 'number' ? more - than : Number.NaN;
  });
  return { ...found, axis, exact };
}

/** Edits show the rows with other constants. */
type CheckOptions = Pick<RunOptions, 'catalogue' | 'edits'>;
type Runs = Map<string, FinishedRun | null>;

/** All runs needed for values and ratios, by seed. */
async function runsFor(
  engine: Sweeps,
  scenario: Scenario,
  runs: Runs,
  onProgress: (done: number, total: number) => void,
  options: CheckOptions,
): Promise<readonly Problem[]> {
  const bySeed = new Map<number | undefined, Assignment[]>();
  for (const row of scenario.expect)
    for (const seed of seedsOf(row))
      bySeed.set(seed, [...(bySeed.get(seed) ?? []), ...atsOf(scenario, row)]);
  const keys = [...bySeed].flatMap(([seed, ats]) => ats.map((at) => keyOf(at, seed)));
  const total = new Set(keys).size;
  for (const [seed, ats] of bySeed) {
    const before = runs.size;
    const progress = (done: number) => onProgress(before + done, total);
    const finished = await runAll(engine, scenario, ats, {
      ...options,
      seed,
      onProgress: progress,
    });
    if (!finished.ok) return finished.problems;
    for (const [i, at] of ats.entries()) runs.set(keyOf(at, seed), finished.value[i] ?? null);
  }
  return [];
}

/** Runs a scenario's expectations and compares them. */
export async function checkScenario(
  engine: Sweeps,
  scenario: Scenario,
  onProgress: (done: number, total: number) => void = () => {},
  options: CheckOptions = {},
): Promise<CheckReport> {
  const runs: Runs = new Map();
  const crossings = new Map<Expectation, Crossed | null>();
  const runAt: RunAt = (at, seed) => runs.get(keyOf(at, seed)) ?? null;
  let problems: readonly Problem[] = [];
  try {
    problems = await runsFor(engine, scenario, runs, onProgress, options);
    for (const row of problems.length === 0 ? scenario.expect : []) {
      if (row.quantity.kind !== 'crossing') continue;
      const more = async (points: readonly Assignment[]) => {
        const result = await runAll(engine, scenario, points, options);
        return result.ok ? result.value : [];
      };
      crossings.set(row, await crossed(scenario, row.quantity, runAt, more));
    }
  } catch (error) {
    problems = [problem(error instanceof Error ? error.message : String(error), '', scenario.id)];
  }
  const rows = scenario.expect.map((row) => checkRow(scenario, runAt, row, crossings.get(row)));
  const complete = scenario.expect.map((row, i): CheckRow => {
    const { quantity } = row;
    const own = rows[i] as CheckRow;
    return quantity.kind === 'statistic' ? statisticRow(scenario, row, quantity, rows) : own;
  });
  return {
    scenario: scenario.id,
    title: scenario.title,
    system: scenario.system,
    rows: complete,
    beyondThird: scenario.beyondThird,
    breaches: calibrationShareViolations(scenario),
    unexplained: scenario.unexplained,
    problems,
    runs: runs.size,
  };
}
