/** What the readers of a scenario's sections share: the machine, the variables, and where problems go. */

import { hint, quote } from '../../base/suggest';
import { findCounter } from './paths';
import type { Report } from './problems';
import type {
  Assignment,
  Axis,
  Factor,
  Machine,
  Metric,
  Term,
  Value,
  Variable,
  Where,
} from './scenario-types';
import type { ScenarioFile } from './schema';
import { variableOf } from './values';

export interface LoadContext {
  readonly machine: Machine;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly report: Report;
}

export interface ExperimentContext extends LoadContext {
  readonly axes: readonly Axis[];
  readonly metrics: ReadonlyMap<string, Metric>;
}

/** Checks that each variable exists and, if an axis runs over it, that the axis has the value. */
export function checkAssignment(
  context: ExperimentContext,
  assignment: Assignment,
  where: Where,
): void {
  for (const [name, value] of Object.entries(assignment)) {
    const at = where.at(name);
    if (!context.variables.has(name)) {
      const known = context.variables.keys();
      context.report(at.problem(`There is no variable ${quote(name)}${hint(name, known)}`, true));
      continue;
    }
    const axis = context.axes.find((one) => one.name === name);
    if (!axis || axis.values.includes(value)) continue;
    const known = axis.values.map(String);
    context.report(
      at.problem(
        `${quote(value)} is no value of the axis ${quote(name)}${hint(String(value), known)}`,
      ),
    );
  }
}

export function checkMetric(context: ExperimentContext, name: string, where: Where): void {
  if (context.metrics.has(name)) return;
  context.report(
    where.problem(`There is no metric ${quote(name)}${hint(name, context.metrics.keys())}`),
  );
}

function readTerm(context: LoadContext, written: Value, where: Where): Term {
  if (typeof written === 'number') return { kind: 'number', value: written };
  const text = String(written);
  const name = variableOf(text);
  const none: Term = { kind: 'number', value: 0 };
  if (name !== null) {
    const variable = context.variables.get(name);
    if (variable && typeof variable.value === 'number') return { kind: 'variable', name };
    const sentence = variable
      ? `The variable ${quote(name)} is not a number.`
      : `There is no variable ${quote(name)}${hint(name, context.variables.keys())}`;
    context.report(where.problem(sentence));
    return none;
  }
  const found = findCounter(context.machine.parts, text);
  if (typeof found !== 'string')
    return { kind: 'counter', part: found.partIndex, counter: found.index };
  context.report(where.problem(found));
  return none;
}

type FactorFile = NonNullable<ScenarioFile['metrics']>[string]['product'][number];

function readFactor(context: LoadContext, written: FactorFile, where: Where): Factor {
  if (typeof written !== 'object') return readTerm(context, written, where);
  const terms = written.sum.map((term, i) =>
    [term].flat().map((one) => readTerm(context, one, where.at('sum', i))),
  );
  return { kind: 'sum', terms };
}

export function readMetrics(
  context: LoadContext,
  metrics: ScenarioFile['metrics'],
  where: Where,
): Map<string, Metric> {
  return new Map(
    Object.entries(metrics ?? {}).map(([name, { title, unit, product, over }]) => {
      const factors = (list: readonly FactorFile[], key: string) =>
        list.map((factor, i) => readFactor(context, factor, where.at(name, key, i)));
      const metric: Metric = {
        name,
        title,
        unit: unit ?? '',
        product: factors(product, 'product'),
        over: factors(over ?? [], 'over'),
      };
      return [name, metric];
    }),
  );
}
