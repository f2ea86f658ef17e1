/** Tests of the values that conditions of a query name. */
import { parseQuantity, type QuantityType } from '../../base/quantity.mjs';
import { quote } from '../../base/suggest';
import { type Condition, QueryError } from './event-query';

/** Treats no-break spaces as spaces. */
export const plain = (text: string): string => text.toLowerCase().replace(/[\u00a0\u202f]/g, ' ');

/** A name as it is compared: "Private dirty" is private_dirty. */
const spelled = (text: string): string => plain(text).replaceAll(' ', '_');

/** Test of a name: ":" finds it within any spelling, "=" as a whole. */
export function nameTest({
  operator,
  value,
  name,
  ...place
}: Condition): (...names: string[]) => boolean {
  const wanted = spelled(value);
  if (operator === '=') return (...names) => names.some((one) => spelled(one) === wanted);
  if (operator === ':') return (...names) => names.some((one) => spelled(one).includes(wanted));
  throw new QueryError(`${quote(name)} is a name; it takes : or =, not ${operator}.`, place);
}

export interface NumberTest {
  (value: number): boolean;
  /** Both included, if it is a range. */
  readonly from?: number;
  readonly to?: number;
}

const between = (from: number, to: number): NumberTest =>
  Object.assign((value: number) => value >= from && value <= to, { from, to });

/** Quantities of fields with units. */
const NUMBERS: Readonly<Record<string, QuantityType>> = {
  address: 'address',
  bytes: 'bytes',
  time: 'time',
  nanoseconds: 'time',
};

const RANGE = /^(.+?)(?:\.\.|-)(.+)$/;

/** Test of a number in the unit of a field. */
export function numberTest({ operator, value, name, ...place }: Condition, as: string): NumberTest {
  const type = NUMBERS[as] ?? 'count';
  const numberOf = (text: string) =>
    Number(parseQuantity(text, type)) / (as === 'nanoseconds' ? 1000 : 1);
  try {
    const [, from, to] = /^[:=]$/.test(operator) ? (RANGE.exec(value) ?? []) : [];
    if (from !== undefined && to !== undefined) {
      const [first, last] = [numberOf(from), numberOf(to)];
      return between(first, last);
    }
    const limit = numberOf(value);
    return {
      ':': between(limit, limit),
      '=': between(limit, limit),
      '<': (one: number) => one < limit,
      '<=': between(Number.NEGATIVE_INFINITY, limit),
      '>': (one: number) => one > limit,
      '>=': between(limit, Number.POSITIVE_INFINITY),
    }[operator];
  } catch (error) {
    throw new QueryError(`${name}: ${(error as Error).message}`, place);
  }
}

/** The test of values that are counted from 0, by numbers counted from 1. */
export const fromOne = (test: NumberTest): NumberTest =>
  test.from === undefined || test.to === undefined
    ? (value) => test(value + 1)
    : between(test.from - 1, test.to - 1);

/** Test of a number in any unit, for values of any field. */
export function valueTest(condition: Condition): (as: string) => NumberTest {
  const tests = new Map<string, NumberTest>();
  let failure: unknown = null;
  for (const as of ['count', ...Object.keys(NUMBERS)])
    try {
      tests.set(as, numberTest(condition, as));
    } catch (error) {
      failure ??= error;
    }
  if (tests.size === 0) throw failure;
  const never = () => false;
  return (as) => tests.get(NUMBERS[as] ? as : 'count') ?? never;
}
