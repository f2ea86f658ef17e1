/** Converts values of files ("65.104 ns", "$size", "pio_write") to the integers that the engine uses. */
import { formatQuantity, parseQuantity, type QuantityType, UNITS } from '../../base/quantity.mjs';
import { hint, quote } from '../../base/suggest';
import type { EnumMember, ParamSpec, PartType } from '../../engine/manifest';
import type { Assignment, Value } from './scenario-types';

const isQuantity = (type: string): type is QuantityType => Object.hasOwn(UNITS, type);

/** The name of a variable: "size" for "$size"; null for anything else. */
export const variableOf = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith('$') ? value.slice(1) : null;

/** A value with its variable replaced, or a message if there is no such variable. */
export function substitute(value: Value, variables: Assignment): { value: Value } | string {
  const name = variableOf(value);
  if (name === null) return { value };
  const found = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (found !== undefined) return { value: found };
  return `There is no variable ${quote(name)}${hint(name, Object.keys(variables))}`;
}

/** Cache size: sweeps parse the same few texts thousands of times. */
const REMEMBERED = 4096;
const memory = new Map<string, Map<Value, bigint>>();

function remembered(type: string): Map<Value, bigint> {
  const known = memory.get(type) ?? new Map<Value, bigint>();
  memory.set(type, known);
  if (known.size >= REMEMBERED) known.clear();
  return known;
}

/** A value without variables, in base units, or a message if it does not fit the type. */
export function toInteger(value: Value, type: string, enums: PartType['enums']): bigint | string {
  if (!isQuantity(type)) return memberOf(value, enums[type] ?? []);
  const before = remembered(type);
  const known = before.get(value);
  if (known !== undefined) return known;
  try {
    const result = parseQuantity(value, type);
    before.set(value, result);
    return result;
  } catch (error) {
    return error instanceof RangeError ? error.message : `${quote(value)} is not a ${type}.`;
  }
}

function memberOf(value: Value, members: readonly EnumMember[]): bigint | string {
  const index = members.findIndex((member) => member.name === value);
  if (index >= 0) return BigInt(index);
  const names = members.map((member) => member.name);
  return `${quote(value)} is not one of the choices${hint(String(value), names, names.length)}`;
}

/** Formats base units as text: the inverse of `toInteger`. */
export function toText(value: bigint, type: string, enums: PartType['enums']): string {
  if (isQuantity(type)) return formatQuantity(value, type);
  return enums[type]?.[Number(value)]?.name ?? value.toString();
}

const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Converts the text of a form field to a file's value: flags become booleans, plain numbers become numbers. */
export function writtenValue(text: string, type: string): Value {
  if (type === 'flag' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = isQuantity(type) && type !== 'flag' && PLAIN_NUMBER.test(text);
  const number = Number(text);
  return isNumber && Math.abs(number) <= Number.MAX_SAFE_INTEGER && String(number) === text
    ? number
    : text;
}

/** Why a value is outside its parameter's range; null if it is not. */
export function outOfRange(
  value: bigint,
  spec: Pick<ParamSpec, 'title' | 'type' | 'min' | 'max'>,
  enums: PartType['enums'],
): string | null {
  const [min, max] = [BigInt(spec.min), BigInt(spec.max)];
  if (value >= min && value <= max) return null;
  const text = (limit: bigint) => toText(limit, spec.type, enums);
  const bound = value < min ? `at least ${text(min)}` : `at most ${text(max)}`;
  return min === max
    ? `"${spec.title}" is ${text(min)}; ${text(value)} is refused.`
    : `"${spec.title}" is ${bound}; ${text(value)} is outside.`;
}

/** An address in hexadecimal, as in scenario files. */
export const addressText = (value: bigint): string => toText(value, 'address', {});
