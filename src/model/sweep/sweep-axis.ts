/** An axis of a sweep: a parameter or a variable, and its values: "cache.size=4KiB..64KiB*2", "way=pio,dma". */
import { parseQuantity } from '../../base/quantity.mjs';
import { hint, quote } from '../../base/suggest';
import type { CompiledMachine } from '../scenario/compiled';
import { MAX } from '../scenario/limits';
import { findParam } from '../scenario/paths';
import type { Scenario, Value } from '../scenario/scenario-types';
import { isParam, scalarOf } from '../scenario/settings';
import { toInteger, toText } from '../scenario/values';

export interface SweepAxis {
  /** "part.param", or the name of a variable. */
  readonly name: string;
  readonly title: string;
  /** Values as scenarios write them. */
  readonly values: readonly Value[];
}

/** What an axis runs over: its title, and the quantity or the enum of its values. */
interface Swept {
  readonly title: string;
  readonly type: string;
  readonly enums: Parameters<typeof toInteger>[2];
}

function sweptOf(scenario: Scenario, machine: CompiledMachine, name: string): Swept | string {
  if (!isParam(name)) {
    const variable = scenario.variables.get(name);
    if (variable) return { title: variable.title, type: '', enums: {} };
    return `There is no variable ${quote(name)}${hint(name, scenario.variables.keys())} A parameter is written as part.param.`;
  }
  const found = findParam(machine.parts, name);
  if (typeof found === 'string') return found;
  const { part, item } = found;
  return { title: `${part.title}, ${item.title}`, type: item.type, enums: part.type.enums };
}

/** "1us..16us", "1..16/3" (steps of 3), "4KiB..64KiB*2" (each twice the last). */
const RANGE = /^(.+?)\.\.(.+?)(?:([/*])([^/*]+))?$/;

const AS_UNIT = /^[\d.]+\s*([A-Za-zµ/]*)$/;

/** The step of a range that states none: one of the unit in which it begins. */
const unitStep = (from: string): string => `1${AS_UNIT.exec(from)?.[1] ?? ''}`;

type Numbers = readonly bigint[] | string;

function rangeOf(from: bigint, to: bigint, next: (at: bigint) => bigint): Numbers {
  if (to < from) return 'The range ends before it begins.';
  const values: bigint[] = [];
  for (let at = from; at <= to; at = next(at)) {
    values.push(at);
    if (values.length > MAX.axisValues)
      return `The range has more than ${MAX.axisValues} values; "/STEP" or "*FACTOR" after it makes them fewer.`;
    if (next(at) <= at) return 'The range does not grow.';
  }
  return values;
}

function numbersOf(text: string, type: string, written: RegExpExecArray): Numbers {
  const [, first = '', last = '', by, amount = ''] = written;
  const read = (value: string) => toInteger(value.trim(), type, {});
  const [from, to] = [read(first), read(last)];
  if (typeof from === 'string') return from;
  if (typeof to === 'string') return to;
  if (by === '*') {
    const factor = /^[2-9]$|^[1-9]\d+$/.test(amount) ? BigInt(amount) : 0n;
    return factor > 0n
      ? rangeOf(from, to, (at) => at * factor)
      : `The factor of ${quote(text)} is a whole number from 2 on.`;
  }
  const step = read(by ? amount : unitStep(first.trim()));
  return typeof step === 'string' ? step : rangeOf(from, to, (at) => at + step);
}

function valuesOf(text: string, { type, enums }: Swept): readonly Value[] | string {
  const written = RANGE.exec(text);
  if (written) {
    const kind = type === '' ? 'count' : type;
    if (enums[kind] || kind === 'flag') return 'A choice has no range; list its values: a,b.';
    const numbers = numbersOf(text, kind, written);
    if (typeof numbers === 'string') return numbers;
    return numbers.map((value) => (kind === 'count' ? Number(value) : toText(value, kind, {})));
  }
  const values = text.split(',').map((value) => scalarOf(value.trim()));
  if (values.includes('')) return 'A value of the list is empty.';
  const twice = values.find((value, i) => values.indexOf(value) !== i);
  if (twice !== undefined) return `${quote(twice)} is listed twice.`;
  if (type === '') return values;
  const refused = values.map((value) => toInteger(value, type, enums));
  return refused.find((value) => typeof value === 'string') ?? values;
}

/** Reads "name=values"; a message if that fails. */
export function readSweepAxis(
  scenario: Scenario,
  machine: CompiledMachine,
  text: string,
): SweepAxis | string {
  const [, name = '', written = ''] = /^([^=]*)=(.*)$/.exec(text.trim()) ?? [];
  if (name.trim() === '')
    return `${quote(text)} should be part.param=FROM..TO or part.param=a,b,c.`;
  const swept = sweptOf(scenario, machine, name.trim());
  if (typeof swept === 'string') return swept;
  if (written.trim() === '')
    return `${name.trim()} has no values: give FROM..TO, or a list such as a,b,c.`;
  const values = valuesOf(written.trim(), swept);
  return typeof values === 'string' ? values : { name: name.trim(), title: swept.title, values };
}

const TYPES = ['time', 'bytes', 'clock', 'rate', 'count'] as const;

/** The values as numbers, in the unit of the last one; null if they are choices or words. */
export function axisNumbers({ values }: SweepAxis) {
  const texts = values.map((value) => String(value));
  const unit = AS_UNIT.exec(texts.at(-1) ?? '')?.[1] ?? '';
  for (const type of TYPES) {
    try {
      const per = Number(parseQuantity(`1${unit}`, type));
      return { unit, numbers: texts.map((text) => Number(parseQuantity(text, type)) / per) };
    } catch {
      // They are of another type.
    }
  }
  return null;
}

const SCALES = [0.25, 0.5, 1, 2, 4];

/** "256 B, 512 B, 1 KiB" around "1 KiB"; '' around a word. */
function scaled(value: Value): string {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)(\s*[A-Za-z%/]*)$/.exec(String(value)) ?? [];
  if (digits === '' || Number(digits) === 0) return '';
  return SCALES.map((scale) => `${Number(digits) * scale}${unit}`).join(', ');
}

/** A range around the value of a parameter or variable, as it is written after its name. */
export function usualValues(machine: CompiledMachine, path: string): string {
  const variable = machine.variables[path];
  if (variable !== undefined) return scaled(variable);
  const found = findParam(machine.parts, path);
  if (typeof found === 'string') return '';
  const { part, item } = found;
  const param = part.params.find((one) => one.path === path);
  const members = part.type.enums[item.type];
  if (members) return members.map(({ name }) => name).join(',');
  if (!param || item.type === 'flag') return 'false,true';
  const within = [
    param.value / 4n,
    param.value / 2n,
    param.value,
    param.value * 2n,
    param.value * 4n,
  ];
  const legal = within.filter((value) => value >= BigInt(item.min) && value <= BigInt(item.max));
  const different = [...new Set(legal)].filter((value) => value > 0n || param.value === 0n);
  return different.map((value) => toText(value, item.type, part.type.enums)).join(', ');
}
