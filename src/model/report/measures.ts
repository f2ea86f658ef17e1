/** What two runs are worth at their ends, beside what was published for each, and for one against the other. */

import { type Figure, figure } from '../published/published';
import { agrees, metricValue } from '../scenario/experiment';
import type { Assignment, Metric, Scenario } from '../scenario/scenario-types';
import type { Side } from './comparison';

/** The figure that was published for a metric of a run. */
export function publishedFor(
  scenario: Pick<Scenario, 'expect'>,
  variables: Assignment,
  metric: Pick<Metric, 'name'>,
): Figure | null {
  for (const { figure: id, quantity } of scenario.expect) {
    if (quantity.kind !== 'value' || quantity.metric !== metric.name || id === null) continue;
    if (agrees(variables, quantity.at)) return figure(id) ?? null;
  }
  return null;
}

interface Worth {
  readonly value: number | null;
  readonly published: Figure | null;
}

export interface Measure {
  readonly title: string;
  readonly unit: string;
  readonly a: Worth;
  readonly b: Worth;
  /** What was published of B against A. */
  readonly ratio: Figure | null;
}

function endValue({ machine, recording }: Side, metric: Metric): number | null {
  const all = recording?.overview.at(-1)?.counters;
  if (!all) return null;
  let from = 0;
  const columns = machine.parts.map(({ type }) => {
    const column = all.slice(from, from + type.counters.length);
    from += type.counters.length;
    return column;
  });
  return metricValue(metric, machine.variables, columns);
}

/** A published ratio of the one to the other; of a file that says it the other way about there is none to show. */
function ratioFor({ expect }: Scenario, a: Side, b: Side, metric: Metric): Figure | null {
  for (const { figure: id, quantity } of expect) {
    if (quantity.kind !== 'ratio' || quantity.metric !== metric.name || id === null) continue;
    const isOfB = agrees(b.machine.variables, quantity.of);
    if (isOfB && agrees(a.machine.variables, quantity.to)) return figure(id) ?? null;
  }
  return null;
}

/** Those of the experiment, or all where there is none, which either run has a value of. */
export function measuresOf(scenario: Scenario, a: Side, b: Side): Measure[] {
  const names = scenario.experiment?.metrics ?? [...scenario.metrics.keys()];
  return names
    .flatMap((name) => scenario.metrics.get(name) ?? [])
    .map((metric) => {
      const worth = (side: Side): Worth => ({
        value: endValue(side, metric),
        published: publishedFor(scenario, side.machine.variables, metric),
      });
      const { title, unit } = metric;
      return { title, unit, a: worth(a), b: worth(b), ratio: ratioFor(scenario, a, b, metric) };
    })
    .filter(({ a: one, b: two }) => one.value !== null || two.value !== null);
}
