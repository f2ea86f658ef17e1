/**
 * Parameters as numbers for sliders and text fields: with a suitable unit, step and slider range. Typed values may
 * exceed the slider range, up to the limits of the manifest.
 */
import { formatQuantity, UNITS } from '../../base/quantity.mjs';
import type { CompiledParam, CompiledPart } from './compiled';
import { brokenRule, nearestLegal, nextLegal, type Read, relatedTo, ruleText } from './param-rules';
import type { Value } from './scenario-types';
import { toInteger, writtenValue } from './values';

/** The valid values of a parameter within its range. */
export interface Legal {
  /** "a power of two" */
  readonly rule: string;
  /** The nearest valid value. */
  near(value: number): number;
  /** The valid value `by` positions further, forwards or backwards. */
  next(value: number, by: number): number;
  /** Why a value is invalid, with the nearest valid ones; null if it is valid. */
  refuse(value: number): string | null;
}

export interface EditableNumber {
  readonly kind: 'number';
  readonly value: number;
  readonly original: number;
  /** Unit for display: "µs". Empty for a plain count. */
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly track: { readonly min: number; readonly max: number; readonly log: boolean };
  readonly step: number;
  readonly decimals: number;
  /** For whole bytes and counts: number of base units per displayed unit. */
  readonly whole: number | null;
  /** Null if every value of the range is valid. */
  readonly legal: Legal | null;
  /** A number as written in a scenario: "8.27 us". */
  text(value: number): string;
  /** Parses such a text into a number of this unit; null if that fails. */
  number(text: Value): number | null;
}

interface EditableChoice {
  readonly kind: 'choice';
  readonly value: string;
  readonly original: string;
  readonly options: readonly { readonly value: string; readonly title: string }[];
  /** An option as written in a scenario: flags are booleans, not text. */
  written(value: string): Value;
}

export type Editable = EditableNumber | EditableChoice;

type Named = Readonly<Record<string, readonly [number, number]>>;

/** Units for display, smallest first; the others are alternative spellings. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  time: ['ns', 'us', 'ms', 's'],
  clock: ['kHz', 'MHz', 'GHz'],
  bytes: ['B', 'KiB', 'MiB'],
  rate: ['kB/s', 'MB/s', 'GB/s'],
};

const sizeOf = ([ten, two]: readonly [number, number]): number => 10 ** ten * 2 ** two;

/**
 * The largest unit in which the original value is at least 1, and in which sizes are whole: 512 B is not shown in
 * KiB.
 */
function unitFor(type: string, original: number, value: number): { name: string; size: number } {
  const units = (UNITS as Readonly<Record<string, Named>>)[type] ?? {};
  const names = SHOWN[type] ?? [];
  const fits = (name: string) => {
    const size = sizeOf(units[name] ?? [0, 0]);
    const isWhole = type !== 'bytes' || (original % size === 0 && value % size === 0);
    return (original || value) >= size && isWhole;
  };
  const name = names.findLast(fits) ?? names[0] ?? '';
  return { name, size: sizeOf(units[name] ?? [0, 0]) };
}

/** Decimals that a value needs, at most `most`. */
function decimalsOf(value: number, most: number): number {
  if (value === 0) return 0;
  for (let digits = 0; digits < most; digits++)
    if (Math.abs(value - Number(value.toFixed(digits))) < 1e-9 * Math.max(1, value)) return digits;
  return most;
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * decade >= value * (1 - 1e-9)) ?? 10) * decade;
}

const isWhole = (type: string) => type === 'bytes' || type === 'count';

function stepFor(type: string, typical: number, finest: number): number {
  if (isWhole(type)) return 1;
  return Math.max(finest, 10 ** (Math.floor(Math.log10(typical)) - 2));
}

function trackFor(type: string, typical: number, value: number, min: number, max: number) {
  // A logarithmic scale cannot show zero.
  const log = type === 'bytes' && value > 0;
  const low = log ? Math.max(min, Math.min(typical, value) / 32, 1) : min;
  const high = roundUp(Math.max(typical * (log ? 64 : 2.5), value));
  return { min: Math.min(low, value), max: Math.min(high, max), log };
}

/** Maximum number of values tried when searching for a valid one. */
const MAX_TRIED = 512;

/** Rules that restrict a parameter: its own, and those of other parameters that refer to it. */
function rulesOn({ name, type, params }: Ruled, { spec }: CompiledParam) {
  const under = params.filter(
    ({ spec: { name: other, rule } }) =>
      rule && (other === spec.name || relatedTo(rule).includes(spec.name)),
  );
  if (under.length === 0) return null;
  const text = spec.rule
    ? ruleText(spec, type)
    : under.map((one) => `such that "${one.spec.title}" is ${ruleText(one.spec, type)}`).join(', ');
  const readWith =
    (value: bigint): Read =>
    (other) =>
      other === spec.name ? value : (params.find((one) => one.spec.name === other)?.value ?? 0n);
  const broken = (value: bigint): string | null => {
    const read = readWith(value);
    return under.reduce(
      (found: string | null, one) => found ?? brokenRule(name, type, one.spec, read),
      null,
    );
  };
  return { text: text ?? '', readWith, broken };
}

/** The valid values of a parameter, in the displayed unit. */
function legalFor(part: Ruled, param: CompiledParam, unit: number): Legal | null {
  const { spec } = param;
  const rules = rulesOn(part, param);
  if (!rules) return null;
  const { broken, readWith } = rules;
  const read = readWith(param.value);
  const [least, most] = [BigInt(spec.min), BigInt(spec.max)];
  /** The next valid value; `from` itself if none is found. */
  const walk = (from: bigint, by: 1 | -1): bigint => {
    let at = from;
    for (let tried = 0; tried < MAX_TRIED; tried++) {
      const to = nextLegal(at, by, spec, read);
      if (to === at || to < least || to > most) break;
      at = to;
      if (broken(at) === null) return at;
    }
    return from;
  };
  const near = (value: bigint): bigint => {
    const first = nearestLegal(value, spec, read);
    const around = [first, walk(first, -1), walk(first, 1)].filter((one) => broken(one) === null);
    const apart = (one: bigint) => Math.abs(Number(one - value));
    return around.sort((a, b) => apart(a) - apart(b))[0] ?? param.value;
  };
  const base = (value: number) => BigInt(Math.round(value * unit));
  const shown = (value: bigint) => Number(value) / unit;
  return {
    rule: rules.text,
    near: (value) => shown(near(base(value))),
    next(value, by) {
      let at = base(value);
      for (let left = Math.abs(by); left > 0; left--) at = walk(at, by > 0 ? 1 : -1);
      return shown(at);
    },
    refuse: (value) => broken(base(value)),
  };
}

function asNumber(part: Ruled, param: CompiledParam): EditableNumber {
  const { type, min, max } = param.spec;
  const [value, original] = [Number(param.value), Number(param.original)];
  const unit = unitFor(type, original, value);
  const inUnit = (amount: number) => amount / unit.size;
  const finest = 1 / unit.size;
  const typical = inUnit(original || value) || 1;
  const step = stepFor(type, typical, finest);
  const most = isWhole(type) ? 0 : Math.max(0, Math.round(-Math.log10(finest)));
  const shown = Math.min(most, 3);
  const decimals = Math.max(
    original || value ? decimalsOf(step, shown) : 0,
    decimalsOf(inUnit(original), shown),
    decimalsOf(inUnit(value), shown),
  );
  const range = { min: inUnit(Number(min)), max: inUnit(Number(max)) };
  return {
    kind: 'number',
    value: inUnit(value),
    original: inUnit(original),
    unit: unit.name.replace('us', 'µs'),
    ...range,
    track: trackFor(type, typical, inUnit(value), range.min, range.max),
    step,
    decimals,
    whole: isWhole(type) ? unit.size : null,
    legal: legalFor(part, param, unit.size),
    text: (amount) => {
      if (type === 'bytes') return formatQuantity(BigInt(Math.round(amount * unit.size)), type);
      const digits = amount.toFixed(most).replace(/\.?0+$/, (zeros) => (most > 0 ? '' : zeros));
      return unit.name ? `${digits} ${unit.name}` : digits;
    },
    number: (written) => {
      const found = toInteger(written, type, {});
      return typeof found === 'bigint' ? inUnit(Number(found)) : null;
    },
  };
}

/** The fields of a part that rules need. */
type Ruled = Pick<CompiledPart, 'name' | 'type' | 'params'>;

/** How a parameter can be edited; null if it is not adjustable, such as an address. */
export function editableParam(part: Ruled, param: CompiledParam): Editable | null {
  const { type } = part;
  const kind = param.spec.type;
  if (kind === 'address' || param.variable) return null;
  const members = type.enums[kind];
  if (kind === 'flag')
    return {
      kind: 'choice',
      value: String(param.value !== 0n),
      original: String(param.original !== 0n),
      options: [
        { value: 'true', title: 'on' },
        { value: 'false', title: 'off' },
      ],
      written: (value) => writtenValue(value, kind),
    };
  if (!members) return asNumber(part, param);
  const name = (value: bigint) => members[Number(value)]?.name ?? '';
  return {
    kind: 'choice',
    value: name(param.value),
    original: name(param.original),
    options: members.map((member) => ({ value: member.name, title: member.title })),
    written: (value) => value,
  };
}
