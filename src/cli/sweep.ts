/** `busyard sweep`: prints every point of a scenario's experiment as a table. */
import { createLocalEngine } from '../engine/inprocess';
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
import type { Assignment, Scenario } from '../model/scenario/scenario-types';
import { fileCommand, JSON_OPTION, RUN_OPTIONS } from './arguments';
import { changesOf, readInput, takeChanged } from './input';
import { progress, warn, write, writeJson } from './output';
import { Refusal } from './refusal';

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

const { until: _, ...CHANGES } = RUN_OPTIONS;
const SPEC = {
  name: 'sweep',
  summary: "Runs every point of a scenario's experiment.",
  options: { ...CHANGES, json: JSON_OPTION, csv: { help: 'write a table as CSV (default)' } },
} as const;

export const sweep = fileCommand(SPEC, async (values, file) => {
  if (values.json && values.csv) throw new Refusal('Choose either --json or --csv.');
  const input = await readInput(file);
  const { scenario } = input;
  const points = pointsOf(scenario);
  if (points.length === 0) throw new Refusal(`${scenario.title}: it has no experiment to sweep.`);
  if (input.saved && input.saved.document.commands.length > 0)
    warn("A sweep ignores the session's timed changes.");
  const engine = await createLocalEngine();
  const { variables, edits, seed } = changesOf(input, values);
  const runs = await runAll(
    engine,
    scenario,
    points.map((point) => ({ ...variables, ...point.at })),
    { edits, seed, hash: true, onProgress: progress(scenario.id) },
  );
  engine.dispose();
  const finished = takeChanged(input, values, runs);
  if (values.json) await writeJson(sweepJson(scenario, points, finished));
  else {
    const counters = finished.map((run) => run?.counters ?? null);
    await write([experimentCsv(scenario, points, counters)]);
  }
  return 0;
});
