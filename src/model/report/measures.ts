/** Metrics of two finished runs, with the published figures for each run and for their ratio. */

import { type Figure, figure } from '../published/published';
import { countersByPart } from '../scenario/compiled';
import { agrees, metricValue } from '../scenario/experiment';
import type { Assignment, Metric, Scenario } from '../scenario/scenario-types';
import type { Side } from './comparison';

/** The published figure for a metric of a run. */
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
  /** The published ratio of B to A. */
  readonly ratio: Figure | null;
}

function endValue({ machine, recording }: Side, metric: Metric): number | null {
  const all = recording?.overview.at(-1)?.counters;
  return all ? metricValue(metric, machine.variables, countersByPart(machine, all)) : null;
}

/** A published ratio of the first run to the second; null if the file has only the inverse. */
function ratioFor({ expect }: Scenario, a: Side, b: Side, metric: Metric): Figure | null {
  for (const { figure: id, quantity } of expect) {
    if (quantity.kind !== 'ratio' || quantity.metric !== metric.name || id === null) continue;
    const isOfB = agrees(b.machine.variables, quantity.of);
    if (isOfB && agrees(a.machine.variables, quantity.to)) return figure(id) ?? null;
  }
  return null;
}

/** The experiment's metrics, or all if there is no experiment, for which either run has a value. */
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
      return {
        title,
        unit,
        a: worth(a),
        b: worth(b),
        ratio: ratioFor(scenario, a, b, metric),
      };
    })
    .filter(({ a: one, b: two }) => one.value !== null || two.value !== null);
}
