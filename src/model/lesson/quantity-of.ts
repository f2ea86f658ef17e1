/** Values of a run that a lesson names: a counter as "part.name", or a metric. */
import { hint, quote } from '../../base/suggest';
import { type CompiledMachine, countersByPart, partNamed } from '../scenario/compiled';
import { metricValue } from '../scenario/experiment';
import type { Scenario } from '../scenario/scenario-types';

/** A value of a run and its unit; "ps" and "B" are those of counters. */
export interface NamedQuantity {
  readonly value: number;
  readonly unit: string;
  readonly title: string;
}

const PICOSECONDS: Readonly<Record<string, number>> = { ps: 1, ns: 1e3, us: 1e6, µs: 1e6, ms: 1e9 };

interface CountedRun {
  readonly machine: CompiledMachine;
  readonly scenario: Pick<Scenario, 'metrics'>;
  /** Counters of all parts, one part after another. */
  readonly counters: ArrayLike<number>;
}

/** A quantity of a run; times are in picoseconds. A message if there is none of this name. */
export function quantityOf(
  name: string,
  { machine, scenario, counters: flat }: CountedRun,
): NamedQuantity | string {
  const counters = countersByPart(machine, flat);
  const [part = '', counter] = name.split('.');
  if (counter === undefined) {
    const metric = scenario.metrics.get(name);
    const value = metric ? metricValue(metric, machine.variables, counters) : null;
    if (!metric || value === null)
      return `There is no metric ${quote(name)}${hint(name, [...scenario.metrics.keys()])}`;
    const { title, unit } = metric;
    const ps = PICOSECONDS[unit];
    return ps ? { value: value * ps, unit: 'ps', title } : { value, unit, title };
  }
  const found = partNamed(machine, part);
  const index = found?.type.counters.findIndex((one) => one.name === counter) ?? -1;
  const spec = found?.type.counters[index];
  if (!found || !spec) {
    const names = machine.parts.flatMap((one) =>
      one.type.counters.map((own) => `${one.name}.${own.name}`),
    );
    return `There is no counter ${quote(name)}${hint(name, names)}`;
  }
  const title = `${found.title}, ${spec.title}`;
  return { value: counters[found.index]?.[index] ?? 0, unit: spec.unit, title };
}
