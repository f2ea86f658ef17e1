/**
 * Values of runs that a lesson refers to: "cpu.lap_time", "cpu.lap_time with bytes=512", "cpu.loads at 12.6 us",
 * "cpu.lap_time_1 / cpu.lap_time", "crossing write", "cycles in hp/nfs with machine=none", "mean time of 7 seeds".
 * The names are those of metrics: counters, metrics, $variables, published figures and numbers. Terms are joined by
 * +, -, * and / with spaces around them, as in the rows of a program.
 */
import { parseQuantity } from '../../base/quantity.mjs';
import { hint, quote } from '../../base/suggest';
import { paramAt } from '../scenario/compiled';
import { inMicroseconds, missed } from './check-context';
import { type Quantity, quantity } from './quantities';
import { quantityOf } from './quantity-of';
import { quoted } from './quoted';
import { crossingValue } from './run-crossing';
import { type Ran, type RunName, type Runs, SCENARIO } from './runs';
import { timeOf } from './time-of';

const OF_PARAMS: Readonly<Record<string, string>> = {
  time: 'ps',
  bytes: 'B',
  clock: 'Hz',
  rate: 'B/s',
};

const COUNTED: Readonly<Record<string, string>> = { ps: 'ps', B: 'B' };

/** A counter as "part.name", a parameter, a metric by its name, or a "$variable"; a message if there is none. */
function namedIn({ scenario, machine, counters: all }: Ran, name: string) {
  if (name.startsWith('$')) {
    const variable = scenario.variables.get(name.slice(1));
    const value = machine.variables[name.slice(1)];
    if (!variable || value === undefined)
      return `There is no variable ${quote(name)}${hint(name.slice(1), [...scenario.variables.keys()])}`;
    return quantity(Number(value), variable.unit);
  }
  const found = quantityOf(name, { scenario, machine, counters: all });
  const isCounter = name.includes('.');
  if (typeof found !== 'string')
    return quantity(found.value, isCounter ? (COUNTED[found.unit] ?? '') : found.unit);
  const param = isCounter && paramAt(machine, name);
  return param
    ? { value: Number(param.value), dimension: OF_PARAMS[param.spec.type] ?? '' }
    : found;
}

const BETWEEN = /^(.+?)\.\.(.+)$/;
const TERM = new RegExp(
  `^(.+?)(?: at ([\\d.]+ ?\\w+))?(?: of (\\d+) seeds)?(?: in (${SCENARIO}))?(?: with (\\S+=.*))?$`,
);
const CROSSING = 'crossing ';
const OF_SEEDS = /^(lowest|mean|highest) (.+)$/;
const SUM = / ([+-]) /;
const PRODUCT = / ([*/]) /;

interface Term {
  readonly name: string;
  readonly at: string | null;
  readonly seeds: number;
  readonly of: RunName;
}

function termOf(text: string): Term {
  const [, name = '', at = null, seeds = '0', scenario = null, setting = ''] =
    TERM.exec(text) ?? [];
  return { name, at, seeds: Number(seeds), of: { scenario, setting, seed: null } };
}

const isOpening = ({ of }: Term): boolean => of.scenario === null && of.setting === '';

const betweenIn = (name: string): number[] => {
  const [, from = '', to = ''] = BETWEEN.exec(name) ?? [];
  return [timeOf(from), timeOf(to)].flatMap((time) => time ?? []);
};

/** The times "a..b" of the opening run in an expression. */
export const timesOfRun = (expression: string): number[] =>
  termsOf(expression)
    .map(termOf)
    .filter(isOpening)
    .flatMap(({ name }) => betweenIn(name));

const termsOf = (expression: string): string[] =>
  expression.split(SUM).flatMap((sum) => sum.split(PRODUCT).filter((_, index) => index % 2 === 0));

/** The counters and metrics of the opening run's end that an expression names. */
export const openingNamesIn = (expression: string): string[] =>
  termsOf(expression).filter((term) => /^[a-z][\w.-]*$/i.test(term));

const literalOf = (text: string): Quantity | null => {
  if (/^\d+(\.\d+)?$/.test(text)) return { value: Number(text), dimension: '' };
  for (const [type, dimension] of Object.entries(OF_PARAMS))
    try {
      return { value: Number(parseQuantity(text, type as 'time')), dimension };
    } catch {
      // A quantity of another type.
    }
  return null;
};

/** The time between two events; those of the opening run are checked with the lesson's other times. */
async function timeBetween(term: Term, runs: Runs): Promise<Quantity | string | null> {
  const [fromPs, toPs] = betweenIn(term.name);
  if (fromPs === undefined || toPs === undefined) return null;
  for (const timePs of isOpening(term) ? [] : [fromPs, toPs]) {
    const near = await runs.near(term.of, timePs);
    if (typeof near === 'string') return near;
    if (near.before !== timePs) return missed(inMicroseconds(timePs), near);
  }
  return { value: toPs - fromPs, dimension: 'ps' };
}

/** The lowest, mean or highest value of runs with the seeds 1 to n. */
async function valueOfSeeds({ name, seeds, of }: Term, runs: Runs, base: Ran) {
  const [, statistic, value = ''] = OF_SEEDS.exec(name) ?? [];
  if (statistic === undefined)
    return `Write which of the ${seeds} runs: lowest, mean or highest ${name}.`;
  const found: Quantity[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const ran = await runs.at({ ...of, seed }, base, null);
    const one = typeof ran === 'string' ? ran : namedIn(ran, value);
    if (typeof one === 'string') return one;
    found.push(one);
  }
  const values = found.map((one) => one.value).sort((a, b) => a - b);
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const all = { lowest: values[0] ?? 0, mean, highest: values.at(-1) ?? 0 };
  return { value: all[statistic as keyof typeof all], dimension: found[0]?.dimension ?? '' };
}

async function termValue(text: string, runs: Runs, base: Ran): Promise<Quantity | string> {
  const known = literalOf(text) ?? quoted(text);
  if (known) return known;
  const term = termOf(text);
  const between = await timeBetween(term, runs);
  if (between !== null) return between;
  const { name, at, of } = term;
  if (name.startsWith(CROSSING)) return crossingValue(name.slice(CROSSING.length), runs, of);
  if (term.seeds > 0) return valueOfSeeds(term, runs, base);
  const atPs = at === null ? null : timeOf(at);
  if (at !== null && atPs === null) return `${quote(at)} is not a time.`;
  const ran = await runs.at(of, base, atPs);
  return typeof ran === 'string' ? ran : namedIn(ran, name);
}

const PER_SECOND = 1e12;

function joined(left: Quantity, sign: string, right: Quantity): Quantity | string {
  const [a, b] = [left.dimension, right.dimension];
  if (sign === '+' || sign === '-') {
    if (a !== b) return `This adds or subtracts ${quote(a)} and ${quote(b)}.`;
    return { value: left.value + (sign === '+' ? right.value : -right.value), dimension: a };
  }
  if (sign === '*') {
    const value = left.value * right.value;
    if (!a || !b) return { value, dimension: a || b };
    const is = `${a} ${b}`;
    if (is === 'B/s ps' || is === 'ps B/s') return { value: value / PER_SECOND, dimension: 'B' };
    if (is === 'B Hz' || is === 'Hz B') return { value, dimension: 'B/s' };
    if (is === 'Hz ps' || is === 'ps Hz') return { value: value / PER_SECOND, dimension: '' };
    return `This multiplies ${quote(a)} by ${quote(b)}.`;
  }
  const value = left.value / right.value;
  if (a === b) return { value, dimension: '' };
  if (!b) return { value, dimension: a };
  if (b === 'ps') return { value: value * PER_SECOND, dimension: a === 'B' ? 'B/s' : 'Hz' };
  if (a === 'B' && b === 'B/s') return { value: value * PER_SECOND, dimension: 'ps' };
  if (a === '' && b === 'Hz') return { value: value * PER_SECOND, dimension: 'ps' };
  return { value, dimension: `${a}/${b}` };
}

/** Values joined from left to right by the signs between them. */
async function chain(
  pieces: readonly string[],
  valueIn: (text: string) => Promise<Quantity | string>,
): Promise<Quantity | string> {
  let value = await valueIn(pieces[0] ?? '');
  for (let at = 1; at < pieces.length && typeof value !== 'string'; at += 2) {
    const right = await valueIn(pieces[at + 1] ?? '');
    value = typeof right === 'string' ? right : joined(value, pieces[at] ?? '', right);
  }
  return value;
}

/** The value of an expression, or a message; `base` is the run that it is about. */
export async function runValue(
  expression: string,
  runs: Runs,
  base: Ran,
): Promise<Quantity | string> {
  if (literalOf(expression)) return `${quote(expression)} only repeats a number.`;
  return chain(expression.split(SUM), (product) =>
    chain(product.split(PRODUCT), (term) => termValue(term.trim(), runs, base)),
  );
}
