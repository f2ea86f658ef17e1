/** `busyard sweep`: runs every point of a scenario's experiment, or of any parameters, and prints them as a table. */
import { quote } from '../base/suggest';
import { figure } from '../model/published/published';
import { experimentCsv, figureAt } from '../model/report/export';
import { type FinishedRun, runAll } from '../model/report/run-all';
import {
  agrees,
  curvesOf,
  findCrossing,
  metricValue,
  type Point,
  pointsOf,
} from '../model/scenario/experiment';
import { readMeasure } from '../model/scenario/measure';
import type { Assignment, Scenario } from '../model/scenario/scenario-types';
import { settingText } from '../model/scenario/settings';
import { type PointResult, runPoints } from '../model/sweep/run-points';
import { readSweepAxis } from '../model/sweep/sweep-axis';
import {
  mergeTables,
  missingPoints,
  readTable,
  type SweepTable,
  sweepTable,
  tableCsv,
  tableJson,
} from '../model/sweep/sweep-file';
import {
  axesProblem,
  type SweepPlan,
  type SweepPoint,
  sweepPoints,
} from '../model/sweep/sweep-plan';
import { command, JSON_OPTION, RUN_OPTIONS } from './arguments';
import { readFile } from './files';
import { changesOf, type Input, machineOf, readInput, takeChanged } from './input';
import { progress, warn, write, writeJson } from './output';
import { Refusal } from './refusal';
import { createEngines, JOBS_OPTION, jobsOf, poolOf } from './threads';

type Runs = readonly (FinishedRun | null)[];

function valuesOf(scenario: Scenario, name: string, runs: Runs): (number | null)[] {
  const metric = scenario.metrics.get(name);
  return runs
    .map((run) => metric && run && metricValue(metric, run.variables, run.counters))
    .map((value) => value ?? null);
}

function crossings(scenario: Scenario, points: readonly Point[], runs: Runs) {
  return (scenario.experiment?.crossings ?? []).map(({ title, axis, more, than, metric }) => {
    const curves = curvesOf(scenario, points, valuesOf(scenario, metric, runs));
    const side = (at: Assignment) => curves.find((curve) => agrees(curve.at, at));
    const [a, b] = [side(more), side(than)];
    const found = a && b ? findCrossing(a.x, a.y, b.y) : { grid: null, crossing: null };
    return { title, axis, metric, grid: found.grid, crossing: found.crossing };
  });
}

function sweepJson(scenario: Scenario, points: readonly Point[], runs: Runs) {
  const metrics = scenario.experiment?.metrics ?? [];
  const values = new Map(metrics.map((name) => [name, valuesOf(scenario, name, runs)]));
  return {
    scenario: scenario.id,
    metrics: metrics.map((name) => {
      const { title, unit } = scenario.metrics.get(name) ?? { title: name, unit: '' };
      return { name, title, unit };
    }),
    points: points.map((point) => {
      const run = runs[point.index];
      const id = figureAt(scenario, point.at);
      return {
        at: point.at,
        values: Object.fromEntries(metrics.map((name) => [name, values.get(name)?.[point.index]])),
        published: id === null ? null : (figure(id)?.value ?? null),
        hash: run?.hash ?? null,
        events: run?.events ?? null,
        time_ps: run?.timePs ?? null,
      };
    }),
    crossings: crossings(scenario, points, runs),
  };
}

/** Runs a scenario's own experiment. */
async function runExperiment(input: Input, values: Values): Promise<number> {
  const { scenario } = input;
  const points = pointsOf(scenario);
  if (points.length === 0)
    throw new Refusal(
      `${scenario.title}: it has no experiment to sweep; --over part.param=FROM..TO makes one.`,
    );
  const engines = await createEngines(Math.min(jobsOf(values.jobs), points.length));
  const pool = poolOf(engines);
  const { variables, edits, seed } = changesOf(input, values);
  const runs = await runAll(
    pool,
    scenario,
    points.map((point) => ({ ...variables, ...point.at })),
    { edits, seed, hash: true, onProgress: progress(scenario.id) },
  );
  pool.dispose();
  const finished = takeChanged(input, values, runs);
  if (values.json) await writeJson(sweepJson(scenario, points, finished));
  else {
    const counters = finished.map((run) => run?.counters ?? null);
    await write([experimentCsv(scenario, points, counters)]);
  }
  return 0;
}

/** The value, or a refusal that names the option. */
function taken<T extends object>(option: string, read: T | string): T {
  if (typeof read === 'string') throw new Refusal(`${option}: ${read}`);
  return read;
}

/** The sweep that --over and --metric describe. */
function planOf(input: Input, values: Values): SweepPlan {
  const { scenario } = input;
  const machine = machineOf(input, values, 0);
  const axes = (values.over ?? []).map((text) =>
    taken(`--over ${text}`, readSweepAxis(scenario, machine, text)),
  );
  const refused = axesProblem(axes);
  if (refused !== null) throw new Refusal(`--over: ${refused}`);
  const names = values.metric?.split(',').map((name) => name.trim()) ?? [
    ...(scenario.experiment?.metrics ?? scenario.metrics.keys()),
  ];
  if (names.length === 0)
    throw new Refusal(
      `${scenario.title}: it has no metrics; --metric names a counter, such as part.counter.`,
    );
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Refusal(`--metric: ${quote(twice)} is given twice.`);
  const measures = names.map((name) =>
    taken('--metric', readMeasure(scenario, machine.parts, name)),
  );
  return { scenario, base: changesOf(input, values), axes, measures };
}

/** The part of the points that --shard i/n names: every n-th, so that parts take about equally long. */
function shardOf(text: string | undefined, points: readonly SweepPoint[]): readonly SweepPoint[] {
  if (text === undefined) return points;
  const [, part = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (part < 1 || part > of)
    throw new Refusal(`--shard is i/n, from 1/n to n/n; this is ${quote(text)}.`);
  return points.filter(({ index }) => index % of === part - 1);
}

async function writeTable(table: SweepTable, values: Values): Promise<void> {
  if (values.json) await writeJson(tableJson(table));
  else await write([tableCsv(table)]);
}

/** Runs every combination of the values of --over. */
async function runSweep(input: Input, values: Values): Promise<number> {
  const plan = planOf(input, values);
  const all = sweepPoints(plan.axes);
  const points = shardOf(values.shard, all);
  const engines = await createEngines(Math.min(jobsOf(values.jobs), Math.max(1, points.length)));
  const report = progress(input.scenario.id);
  const results: PointResult[] = [];
  await runPoints(engines, plan, points, (result) => {
    report(results.push(result), points.length);
  });
  for (const engine of engines) engine.dispose();
  const failed = results.filter(({ problem }) => problem !== '');
  for (const { point, problem } of failed.slice(0, MAX_WARNINGS))
    warn(`${settingText(point.at)}: ${problem}`);
  if (failed.length > MAX_WARNINGS)
    warn(`${failed.length - MAX_WARNINGS} further points have no result.`);
  if (points.length > 0 && failed.length === points.length)
    throw new Refusal('No point of the sweep has a result.');
  await writeTable(sweepTable(plan, all.length, results), values);
  return failed.length > 0 ? 1 : 0;
}

const MAX_WARNINGS = 20;
/** More than a sweep of the most points with many metrics. */
const MAX_RESULTS = 64 * 2 ** 20;

/** Makes one table of the results of several parts of a sweep. */
async function merge(files: readonly string[], values: Values): Promise<number> {
  const tables = files.flatMap((file) => {
    const text = readFile(file, () => MAX_RESULTS);
    if (text === '') {
      warn(`${file} is empty: its part did not run to the end.`);
      return [];
    }
    try {
      const table = readTable(text);
      return table ? [[file, table] as const] : [];
    } catch (error) {
      throw error instanceof RangeError ? new Refusal(`${file}: ${error.message}`) : error;
    }
  });
  const table = (() => {
    try {
      return mergeTables(tables);
    } catch (error) {
      throw error instanceof RangeError ? new Refusal(error.message) : error;
    }
  })();
  const missing = missingPoints(table);
  const more = missing.length > MAX_WARNINGS ? ' and others' : '';
  if (missing.length > 0)
    warn(
      `${missing.length} of ${table.of} points are missing: ${missing.slice(0, MAX_WARNINGS).join(', ')}${more}.`,
    );
  await writeTable(table, values);
  return missing.length > 0 ? 1 : 0;
}

const MORE = `--over runs every combination of the values of one to three parameters (part.param) or variables:
  --over cache.size=4KiB,16KiB     a list
  --over cpu.count=1..16           a range, in steps of one unit; 1..16/3 in steps of 3, 1..16*2 twice the last
--metric takes metrics of the scenario, counters (part.counter), and times between two events of parts:
  --metric time,cpu.stores,p99:bus.request..bus.data     also mean (the default), min, max, count, p50
--shard 2/8 runs every eighth point from the second on. --merge makes one table of the files of all parts, or of one
file with their CSV one after another.`;

const { until: _, ...CHANGES } = RUN_OPTIONS;
const SPEC = {
  name: 'sweep',
  summary: "Runs every point of a scenario's experiment, or of any parameters.",
  takes: [
    '<FILE...>',
    'a scenario, a saved session, or the id of a scenario; with --merge, results',
  ],
  more: MORE,
  options: {
    ...CHANGES,
    over: { value: 'name=values', many: true, help: 'run over values of a parameter or variable' },
    metric: { value: 'names', help: 'what is measured; default: the metrics of the scenario' },
    jobs: JOBS_OPTION,
    shard: { value: 'i/n', help: 'run one of n parts of the points' },
    merge: { help: 'merge results of sweeps instead of running' },
    json: JSON_OPTION,
    csv: { help: 'write a table as CSV (default)' },
  },
} as const;

interface Values {
  readonly set?: string[] | undefined;
  readonly var?: string[] | undefined;
  readonly over?: string[] | undefined;
  readonly metric?: string | undefined;
  readonly jobs?: string | undefined;
  readonly shard?: string | undefined;
  readonly merge?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly csv?: boolean | undefined;
}

export const sweep = command(SPEC, async (values: Values, files) => {
  if (values.json && values.csv) throw new Refusal('Choose either --json or --csv.');
  if (values.merge) {
    const other = (['set', 'var', 'over', 'metric', 'jobs', 'shard'] as const).find(
      (name) => values[name] !== undefined,
    );
    if (other) throw new Refusal(`--merge runs nothing, so --${other} has no use.`);
    return merge(files, values);
  }
  const [file = '', second] = files;
  if (second !== undefined)
    throw new Refusal(`A sweep takes one scenario; ${quote(second)} is a second one.`);
  if (!values.over && (values.metric || values.shard))
    throw new Refusal(`--${values.metric ? 'metric' : 'shard'} needs --over.`);
  const input = await readInput(file);
  if (input.saved && input.saved.document.commands.length > 0)
    warn("A sweep ignores the session's timed changes.");
  return values.over ? runSweep(input, values) : runExperiment(input, values);
});
