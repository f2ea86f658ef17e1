/**
 * Values of runs that a lesson refers to: "cpu.lap_time", "cpu.lap_time with bytes=512", "cpu.loads at 12.6 us",
 * "cpu.lap_time_1 / cpu.lap_time". The names are those of metrics: counters, metrics, $variables and numbers. Terms
 * are joined by +, -, * and / with spaces around them, as in the rows of a program.
 */
import { parseQuantity } from '../../base/quantity.mjs';
import { hint, quote } from '../../base/suggest';
import type { Engine } from '../../engine/api';
import { type CompiledMachine, paramAt } from '../scenario/compiled';
import type { Scenario } from '../scenario/scenario-types';
import { machineWith, settingOf } from '../scenario/settings';
import { type Quantity, quantity } from './quantities';
import { quantityOf } from './quantity-of';
import { settingProblem } from './setting-problem';
import { timeOf } from './time-of';

/** A machine and its counters at some time of a run. */
interface Ran {
  readonly machine: CompiledMachine;
  readonly counters: ArrayLike<number>;
}

/** Runs of a scenario by settings and time; each is made once. */
export class Runs {
  readonly #made = new Map<string, Promise<Ran | string>>();

  constructor(
    readonly engine: Engine,
    readonly scenario: Scenario,
  ) {}

  async #run(machine: CompiledMachine, untilPs: number): Promise<Ran> {
    await this.engine.open({ config: machine.config, commands: [] });
    await this.engine.run({ untilPs });
    const frame = await this.engine.frame({ views: [] });
    const counters = frame.counters.flatMap((own) => [...own]);
    this.engine.release(frame);
    return { machine, counters };
  }

  #begin(setting: string, base: Ran, atPs: number | null): Promise<Ran | string> {
    if (setting === '')
      return atPs === null ? Promise.resolve(base) : this.#run(base.machine, atPs);
    const problem = settingProblem(setting, this.scenario);
    if (problem) return Promise.resolve(problem);
    const machine = machineWith(this.scenario, [settingOf(setting) ?? {}]);
    return machine.ok
      ? this.#run(machine.value, atPs ?? machine.value.untilPs)
      : Promise.resolve(`${quote(setting)} cannot be set.`);
  }

  /** The counters of a run, at its end or at a time; a message if it cannot be made. Without a setting it is `base`. */
  at(setting: string, base: Ran, atPs: number | null): Promise<Ran | string> {
    const key = setting === '' ? null : `${setting} ${atPs}`;
    const known = key === null ? undefined : this.#made.get(key);
    if (known) return known;
    const made = this.#begin(setting, base, atPs);
    if (key !== null) this.#made.set(key, made);
    return made;
  }
}

const OF_PARAMS: Readonly<Record<string, string>> = {
  time: 'ps',
  bytes: 'B',
  clock: 'Hz',
  rate: 'B/s',
};

const COUNTED: Readonly<Record<string, string>> = { ps: 'ps', B: 'B' };

/** A counter as "part.name", a parameter, a metric by its name, or a "$variable"; a message if there is none. */
function namedIn(scenario: Scenario, { machine, counters: all }: Ran, name: string) {
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
const TERM = /^(.+?)(?: at ([\d.]+ ?\w+))?(?: with (\S+=.*))?$/;
const SUM = / ([+-]) /;
const PRODUCT = / ([*/]) /;

/** The times "a..b" in an expression. */
export const timesOfRun = (expression: string): number[] =>
  termsOf(expression).flatMap((term) => {
    const [, from = '', to = ''] = BETWEEN.exec(term) ?? [];
    return [timeOf(from), timeOf(to)].flatMap((time) => time ?? []);
  });

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

async function termValue(text: string, runs: Runs, base: Ran) {
  const literal = literalOf(text);
  if (literal) return literal;
  const [fromPs, toPs] = timesOfRun(text);
  if (fromPs !== undefined && toPs !== undefined) return { value: toPs - fromPs, dimension: 'ps' };
  const [, name = '', at, setting = ''] = TERM.exec(text) ?? [];
  const atPs = at === undefined ? null : timeOf(at);
  if (at !== undefined && atPs === null) return `${quote(at)} is not a time.`;
  const ran = await runs.at(setting, base, atPs);
  return typeof ran === 'string' ? ran : namedIn(runs.scenario, ran, name);
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
export const runValue = (expression: string, runs: Runs, base: Ran): Promise<Quantity | string> =>
  chain(expression.split(SUM), (product) =>
    chain(product.split(PRODUCT), (term) => termValue(term.trim(), runs, base)),
  );
