/** A sweep: every combination of the values of up to three axes, each a run of the scenario with some settings. */
import { digest } from '../../base/digest';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import { variablesAt } from '../scenario/experiment';
import { MAX } from '../scenario/limits';
import type { Measure } from '../scenario/measure';
import { lineOf, type Problem } from '../scenario/problems';
import type { Assignment, Edits, Scenario } from '../scenario/scenario-types';
import { split } from '../scenario/settings';
import type { SweepAxis } from './sweep-axis';

/** The run that the points change. */
interface SweepBase {
  readonly variables: Assignment;
  readonly edits: Edits;
  readonly seed: number | undefined;
}

export interface SweepPlan {
  readonly scenario: Scenario;
  readonly base: SweepBase;
  readonly axes: readonly SweepAxis[];
  readonly measures: readonly Measure[];
}

/** One run of a sweep. */
export interface SweepPoint {
  readonly index: number;
  /** A value for each axis. */
  readonly at: Assignment;
}

/** All points; the last axis varies fastest. */
export function sweepPoints(axes: readonly SweepAxis[]): SweepPoint[] {
  let ats: Assignment[] = [{}];
  for (const { name, values } of axes)
    ats = ats.flatMap((at) => values.map((value) => ({ ...at, [name]: value })));
  return ats.map((at, index) => ({ index, at }));
}

/** Two make a chart; a third repeats it, value by value. */
const MOST_AXES = 3;

/** Why axes do not make a sweep; null if they do. */
export function axesProblem(axes: readonly SweepAxis[]): string | null {
  const points = axes.reduce((product, { values }) => product * values.length, 1);
  if (axes.length === 0 || axes.length > MOST_AXES) return 'A sweep has one to three axes.';
  const twice = axes.find(({ name }, i) => axes.findIndex((one) => one.name === name) !== i);
  if (twice) return `Two axes are ${twice.name}.`;
  return points > MAX.points ? `The sweep has ${points} points; ${MAX.points} are allowed.` : null;
}

/** Equal for equal sweeps, so that results of different ones are not merged. */
export const sweepDigest = ({ scenario, base, axes, measures }: SweepPlan): string =>
  digest(
    JSON.stringify([
      scenario.text,
      Object.entries(base.variables).sort(),
      Object.entries(base.edits).sort(),
      base.seed ?? null,
      axes.map(({ name, values }) => [name, values]),
      measures.map(({ name }) => name),
    ]),
  );

/** The settings of a point, with those of the base. */
export function settingsAt({ scenario, base }: SweepPlan, { at }: SweepPoint) {
  const { edits, variables } = split(at);
  return {
    edits: { ...base.edits, ...edits },
    variables: variablesAt(scenario, { ...base.variables, ...variables }),
  };
}

const reasonOf = (found: Problem): string => (found.line > 0 ? lineOf(found) : found.message);

/** The machine of a point, or why there is none. */
export function machineAt(
  plan: SweepPlan,
  point: SweepPoint,
  traceLog2: number,
): CompiledMachine | string {
  const { edits, variables } = settingsAt(plan, point);
  const compiled = variables.ok
    ? compile(plan.scenario, { variables: variables.value, edits, seed: plan.base.seed, traceLog2 })
    : variables;
  return compiled.ok ? compiled.value : compiled.problems.map(reasonOf).join(' ');
}
