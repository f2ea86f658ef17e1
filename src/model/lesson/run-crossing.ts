/** Where two curves of a lab meet: "crossing write", found by runs between two adjacent values of the axis. */
import { hint, quote } from '../../base/suggest';
import { countersByPart } from '../scenario/compiled';
import { metricValue, refineCrossing, stepOf } from '../scenario/experiment';
import type { Assignment, NamedCrossing, Scenario } from '../scenario/scenario-types';
import { type Quantity, quantity } from './quantities';
import type { RunName, Runs } from './runs';

const isTime = (unit: string): boolean => /^([pnumµ]?s)$/.test(unit);

/** Runs both methods at a value of the axis; their times, up to a factor. */
function timesAt(runs: Runs, name: RunName, scenario: Scenario, crossing: NamedCrossing) {
  const metric = scenario.metrics.get(crossing.metric);
  const known = new Map<number, Promise<readonly [number, number]>>();
  const time = async (at: Assignment, x: number): Promise<number> => {
    const ran = await runs.atPoint(name, { ...at, [crossing.axis]: x });
    if (typeof ran === 'string' || !metric) return Number.NaN;
    const { machine, counters } = ran;
    const value = metricValue(metric, machine.variables, countersByPart(machine, counters)) ?? 0;
    return isTime(metric.unit) ? value : x / value;
  };
  const both = async (x: number) =>
    [await time(crossing.more, x), await time(crossing.than, x)] as const;
  return (x: number) => {
    const found = known.get(x) ?? both(x);
    known.set(x, found);
    return found;
  };
}

/** The first value of the axis at which `more` wins, by halving; the number of values if there is none. */
async function firstAhead(x: readonly number[], lead: (x: number) => Promise<number>) {
  let [low, high] = [0, x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await lead(x[middle] ?? 0)) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where the curves meet, as the lab marks it: between two sizes that are one step apart, times are straight. */
export async function crossingValue(
  title: string,
  runs: Runs,
  name: RunName,
): Promise<Quantity | string> {
  const scenario = await runs.scenarioOf(name);
  if (typeof scenario === 'string') return scenario;
  const crossings = scenario.experiment?.crossings ?? [];
  const crossing = crossings.find((one) => one.title === title);
  const axis = scenario.experiment?.axes.find((one) => one.name === crossing?.axis);
  if (!crossing || !axis)
    return `There is no crossing ${quote(title)}${hint(
      title,
      crossings.map((one) => one.title),
    )}`;
  const times = timesAt(runs, name, scenario, crossing);
  const lead = async (x: number): Promise<number> => {
    const [more, than] = await times(x);
    return than - more;
  };
  const values = axis.values.map(Number);
  const first = await firstAhead(values, lead);
  const [before, after] = [values[first - 1], values[first]];
  if (before === undefined || after === undefined)
    return `The curves of ${quote(title)} do not cross.`;
  const step = stepOf(axis);
  const high = await refineCrossing([before, after], step, lead);
  const [from, to] = [await lead(high - step), await lead(high)];
  return quantity(high - (step * to) / (to - from), axis.unit);
}
