/** Quantities in a lesson's prose: "0.34 µs", "129 times", "86 %". */
import { parseQuantity, UNITS } from '../../base/quantity.mjs';

/** A value in the base unit of its dimension: ps, B, B/s, Hz, or '' for a plain number and for what is counted. */
export interface Quantity {
  readonly value: number;
  readonly dimension: string;
}

const RATIOS: Readonly<Record<string, number>> = { '': 1, '%': 0.01 };

/** What one of a unit is in the base unit of its dimension. */
const ONE = new Map<string, Quantity>([
  ...(['time', 'bytes', 'rate', 'clock'] as const).flatMap((type) =>
    Object.keys(UNITS[type]).map((unit): [string, Quantity] => {
      const dimension = { time: 'ps', bytes: 'B', rate: 'B/s', clock: 'Hz' }[type];
      const thousand = Number(parseQuantity(`1000 ${unit}`, type));
      return [unit, { value: thousand / 1000, dimension }];
    }),
  ),
  ...(['kB', 'KB', 'MB', 'GB'] as const).map((unit, index): [string, Quantity] => [
    unit,
    { value: [1e3, 1e3, 1e6, 1e9][index] ?? 1, dimension: 'B' },
  ]),
  ['KB/s', { value: 1e3, dimension: 'B/s' }],
  ['kb/s', { value: 125, dimension: 'B/s' }],
  ...Object.entries(RATIOS).map(([unit, value]): [string, Quantity] => [
    unit,
    { value, dimension: '' },
  ]),
]);

/** A number of some unit, in base units. A noun counts: "lines". */
export function quantity(value: number, unit: string): Quantity {
  const one = ONE.get(unit);
  return one
    ? { value: value * one.value, dimension: one.dimension }
    : { value, dimension: unit === 'operations/s' || unit === 'IOPS' ? 'Hz' : '' };
}

/** A value for a message: a time in nanoseconds, anything else in its base unit. */
export const quantityText = ({ value, dimension }: Quantity): string =>
  (dimension === 'ps' ? `${value / 1e3} ns` : `${value} ${dimension}`).trim();

/** A text with plain spaces in place of those that do not break. */
export const spaced = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ');

const NUMBER = /^(\d+(?: \d{3})*)(?:\.(\d+))?(?:\s*(\S+))?/u;

/** Whether a text is a value, rounded to the digits that it shows: "0.34 µs", "51 000 words", or "0.34" alone. */
export function isRounded(text: string, { value, dimension }: Quantity): boolean {
  const [, digits = '', decimals = '', shown = ''] = NUMBER.exec(spaced(text)) ?? [];
  if (!digits) return false;
  const amount = Number(`${digits.replaceAll(' ', '')}.${decimals || '0'}`);
  // "51 000" is rounded to thousands.
  const step = digits.endsWith(' 000') && !decimals ? 1000 : 10 ** -decimals.length;
  const isOne = (one: number): boolean =>
    Math.abs(amount * one - value) <= (one * step) / 2 + one * step * 1e-6;
  const named = ONE.get(shown);
  if (shown && named) return named.dimension === dimension && isOne(named.value);
  // A noun counts things: "129 times".
  if (shown) return !['ps', 'B', 'B/s'].includes(dimension) && isOne(1);
  const units = [...ONE.values()].filter((one) => one.dimension === dimension);
  return units.length > 0 ? units.some((one) => isOne(one.value)) : isOne(1);
}

/** Units whose numbers are measured rather than counted. */
const MEASURED = [...ONE.keys()].filter((unit) => unit !== '' && ONE.get(unit)?.dimension !== 'Hz');

const WITH_UNIT = new RegExp(
  `(?<![\\w.])\\d+(?: \\d{3})*(?:\\.\\d+)?(?: (?:times|cycles)\\b| ?(?:${MEASURED.join('|')})(?![\\w/]))`,
  'gu',
);

/** The numbers of a text that have a unit. */
export const numbersIn = (text: string): string[] =>
  [...spaced(text).matchAll(WITH_UNIT)].map(([found]) => found);
