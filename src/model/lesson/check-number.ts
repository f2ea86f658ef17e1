/** Checks numbers that a lesson takes from its run: "[63 ns](run:cpu.lap_time)". */
import { hint, quote } from '../../base/suggest';
import { countersByPart, partNamed } from '../scenario/compiled';
import { metricValue } from '../scenario/experiment';
import type { Checked } from './check-context';

/** A value of the run and its unit; "ps" and "B" are those of counters. */
interface Quantity {
  readonly value: number;
  readonly unit: string;
}

/** What one of a unit is in the unit of counters. */
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ps: { ps: 1, ns: 1e3, us: 1e6, µs: 1e6, ms: 1e9 },
  B: { B: 1, KiB: 1024, MiB: 1_048_576, KB: 1e3, kB: 1e3, MB: 1e6 },
};

const NUMBER = /^(\d[\d\s]*)(?:\.(\d+))?\s*(\S*)/u;

/** Whether a text is a value, rounded to the digits that it shows: "0.34 µs", "129 times". */
function isRounded(text: string, { value, unit }: Quantity): boolean {
  const [, digits = '', decimals = '', shown = ''] = NUMBER.exec(text) ?? [];
  const named = UNITS[unit];
  const one = named ? named[shown] : !unit || shown === unit ? 1 : undefined;
  if (!digits || one === undefined) return false;
  const amount = Number(`${digits.replaceAll(/\s/gu, '')}.${decimals || '0'}`);
  return Math.abs(amount * one - value) <= (one * 10 ** -decimals.length) / 2 + 1e-6;
}

/** A counter as "part.name", or a metric by its name; a message if there is none. */
function quantityOf(name: string, { machine, scenario, run }: Checked): Quantity | string {
  const counters = countersByPart(machine, run.counters);
  const [part = '', counter] = name.split('.');
  if (counter === undefined) {
    const metric = scenario.metrics.get(name);
    const value = metric ? metricValue(metric, machine.variables, counters) : null;
    if (!metric || value === null)
      return `There is no metric ${quote(name)}${hint(name, [...scenario.metrics.keys()])}`;
    const ps = UNITS.ps?.[metric.unit];
    return ps ? { value: value * ps, unit: 'ps' } : { value, unit: metric.unit };
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
  return { value: counters[found.index]?.[index] ?? 0, unit: spec.unit };
}

/** Why a number is not that of the run; null if it is. */
export function numberProblem(text: string, name: string, checked: Checked): string | null {
  const found = quantityOf(name, checked);
  if (typeof found === 'string') return found;
  if (isRounded(text, found)) return null;
  return `${quote(text)} is not ${name}, which is ${found.value} ${found.unit}`
    .trimEnd()
    .concat('.');
}
