import { fixed } from '../base/format';
import type { Legal } from '../model/scenario/editable-param';

interface Expected {
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly decimals: number;
  readonly label: string;
  /** For integers: how many base units one of the unit has. */
  readonly whole?: number | null | undefined;
  readonly legal?: Pick<Legal, 'refuse'> | null | undefined;
}

type Parsed =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly sentence: string };

/** Units that may be typed in place of the one shown, by their ratio to one second or one byte. */
const RATIOS: readonly Readonly<Record<string, number>>[] = [
  { ps: 1e-12, ns: 1e-9, us: 1e-6, µs: 1e-6, μs: 1e-6, ms: 1e-3, s: 1 },
  { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 },
  { Hz: 1, kHz: 1e3, MHz: 1e6, GHz: 1e9 },
];

/**
 * Reads the input of a number field: digits with any spacing, and the unit shown or another of the same kind.
 * Returns the number in the field's own unit, or an error that says what is wrong and that the old value
 * stays. Integers are never rounded.
 */
export function parseNumber(input: string, expected: Expected): Parsed {
  const match = /^([+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([^\d]*)$/i.exec(compact(input));
  const readings = readingsOf(match?.[1] ?? '');
  if (!match || readings.length === 0) return refuse(`"${input.trim()}" is not a number.`);
  const typed = (match[2] ?? '').trim();
  const ratio = typed === '' || typed === expected.unit ? 1 : ratioOf(typed, expected.unit);
  if (ratio === null) return refuse(unitSentence(typed, expected.unit));
  const number = chosen(readings, ratio, expected.whole);
  if (number === null) return refuse(ambiguousSentence(input.trim(), readings, typed));
  const value = Number((number * ratio).toPrecision(15));
  if (value < expected.min || value > expected.max) return refuse(rangeSentence(expected));
  if (!isWhole(number * ratio, expected.whole))
    return refuse(wholeSentence(input.trim(), expected));
  const broken = expected.legal?.refuse(value);
  if (broken) return refuse(broken);
  return { ok: true, value };
}

const compact = (input: string): string =>
  input
    .trim()
    .replace(/\u2212/g, '-')
    .replace(/(\d)[\s\u202f\u2009\u00a0](?=\d)/g, '$1');

/**
 * The possible readings of digits with commas, thousands first: "1,024" has two, "0,5" and "1,024,000" have
 * one.
 */
function readingsOf(digits: string): number[] {
  const readings = [];
  if (/^[+-]?[1-9]\d{0,2}(,\d{3})+(?![\d,])/.test(digits))
    readings.push(digits.replaceAll(',', ''));
  if (/^[+-]?\d+,\d+(?![\d,.])/.test(digits)) readings.push(digits.replace(',', '.'));
  if (!digits.includes(',')) readings.push(digits);
  return readings.filter(Boolean).map(Number);
}

const isWhole = (value: number, whole: number | null | undefined): boolean =>
  !whole || Number.isInteger(value * whole);

/** For integers a comma separates thousands, otherwise decimals; null if both are possible. */
function chosen(
  readings: readonly number[],
  ratio: number,
  whole: number | null | undefined,
): number | null {
  const last = readings.at(-1) ?? null;
  if (!whole) return last;
  const fitting = readings.filter((reading) => isWhole(reading * ratio, whole));
  return fitting.length > 1 ? null : (fitting[0] ?? last);
}

const refuse = (sentence: string): Parsed => ({
  ok: false,
  sentence: `${sentence} The value is unchanged.`,
});

function ratioOf(typed: string, unit: string): number | null {
  for (const family of RATIOS) {
    const from = family[typed];
    const to = family[unit];
    if (from !== undefined && to !== undefined) return from / to;
  }
  return null;
}

function unitSentence(typed: string, unit: string): string {
  return unit
    ? `"${typed}" is not a unit of this value; it is in ${unit}.`
    : 'This value has no unit.';
}

function ambiguousSentence(input: string, readings: readonly number[], unit: string): string {
  const words = readings.map((reading) => (unit ? `${reading}\u00a0${unit}` : `${reading}`));
  return `"${input}" can be read as ${words.join(' or as ')}; write it without a comma.`;
}

const wholeSentence = (input: string, { label, unit }: Expected): string =>
  unit
    ? `${label} is a whole number of bytes; "${input}" is none.`
    : `${label} is a whole number; "${input}" is none.`;

function rangeSentence({ label, min, max, unit, decimals }: Expected): string {
  const limit = (value: number) => fixed(value, Math.max(decimals, digitsOf(value)));
  const tail = unit ? `\u00a0${unit}` : '';
  return `${label} must lie between ${limit(min)} and ${limit(max)}${tail}.`;
}

/** Decimals needed to print a limit exactly: 64 B are 0.0625 KiB. */
const digitsOf = (value: number): number =>
  Number.isInteger(value) ? 0 : (String(value).split('.')[1]?.length ?? 0);
