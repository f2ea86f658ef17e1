/** Shared context of the readers of a scenario's sections: the machine, the variables, and the problem report. */

import { hint, quote } from '../../base/suggest';
import { findCounter, matchesPattern } from './paths';
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

/** Checks that each variable exists and, if it has an axis, that the axis has the value. */
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
        `${quote(value)} is not a value of the axis ${quote(name)}${hint(String(value), known)}`,
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

const isPattern = (term: Value): term is string => typeof term === 'string' && term.includes('*');

/** Expands a pattern such as "cpu*.accesses" in a sum to counters, in the order of the machine's parts. */
function countersMatching(context: LoadContext, pattern: string, where: Where): string[] {
  const dot = pattern.indexOf('.');
  const counter = pattern.slice(dot + 1);
  const parts = pattern.slice(0, Math.max(0, dot));
  if (counter.includes('*') || parts.split('*').length > 2) {
    context.report(
      where.problem('A pattern has one *, in the name of the part, as in "cpu*.accesses".'),
    );
    return [];
  }
  const found = context.machine.parts
    .map(({ name }) => name)
    .filter((name) => matchesPattern(name, parts));
  if (found.length === 0)
    context.report(where.problem(`No part has a name that matches ${quote(pattern)}.`));
  return found.map((name) => `${name}.${counter}`);
}

/** Reads a product in a sum; a pattern gives one product for each matching part. */
function readProducts(context: LoadContext, written: readonly Value[], where: Where): Term[][] {
  const patterns = written.filter(isPattern);
  const [pattern] = patterns;
  if (pattern === undefined) return [written.map((one) => readTerm(context, one, where))];
  if (patterns.length > 1)
    context.report(where.problem('A product has at most one pattern, such as "cpu*.accesses".'));
  return countersMatching(context, pattern, where).map((counter) =>
    written.map((one) => readTerm(context, isPattern(one) ? counter : one, where)),
  );
}

function readFactor(context: LoadContext, written: FactorFile, where: Where): Factor {
  if (typeof written !== 'object') {
    if (!isPattern(written)) return readTerm(context, written, where);
    context.report(
      where.problem(`A pattern stands in a sum: { "sum": [${JSON.stringify(written)}] }.`),
    );
    return { kind: 'number', value: 0 };
  }
  const items = written.sum.map((term, i) => {
    const product = [term].flat();
    const pattern = product.find(isPattern);
    return {
      parts: pattern?.slice(0, pattern.indexOf('.')),
      products: readProducts(context, product, where.at('sum', i)),
    };
  });
  return { kind: 'sum', terms: partByPart(items) };
}

interface SumItem {
  readonly parts: string | undefined;
  readonly products: readonly Term[][];
}

/**
 * Products in the order of addition, which determines rounding: neighbours with the same pattern are grouped by
 * part.
 */
function partByPart(items: readonly SumItem[]): Term[][] {
  const [first] = items;
  if (!first) return [];
  const other = items.findIndex(({ parts }) => parts !== first.parts);
  const same = other < 0 ? items : items.slice(0, other);
  const next =
    first.parts === undefined
      ? same.flatMap(({ products }) => products)
      : first.products.flatMap((_, part) =>
          same.flatMap(({ products }) => products.slice(part, part + 1)),
        );
  return [...next, ...(other < 0 ? [] : partByPart(items.slice(other)))];
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
