import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  address,
  bytes,
  count,
  dayOf,
  fixed,
  integer,
  percent,
  plainNumber,
  signed,
  significant,
  text,
  time,
  timeIn,
  unbroken,
  unitAfter,
} from './format';

describe('numbers', () => {
  test('digits stand in threes, parted by a narrow no-break space', () => {
    expect(integer(4954)).toBe('4\u202f954');
    expect(integer(1048576)).toBe('1\u202f048\u202f576');
    expect(fixed(81820.5, 1)).toBe('81\u202f820.5');
    expect(integer(128)).toBe('128');
  });

  test('a negative number has a minus sign, and zero has none', () => {
    expect(fixed(-0.3, 1)).toBe('\u22120.3');
    expect(fixed(-0.04, 1)).toBe('0.0');
    expect(signed(5.8, 1)).toBe('+5.8');
    expect(signed(-4.25, 1)).toBe('\u22124.3');
    expect(signed(0.01, 1)).toBe('0.0');
  });

  test('significant digits never cut whole digits, and drop empty decimals unless asked', () => {
    expect(significant(8.2700001, 4)).toBe('8.27');
    expect(significant(8.27, 4, true)).toBe('8.270');
    expect(significant(128.5, 4)).toBe('128.5');
    expect(significant(123456, 3)).toBe('123\u202f456');
    expect(significant(0.00123, 2)).toBe('0.0012');
    expect(significant(9.9999, 3)).toBe('10');
  });

  test('a value that is not a finite number is written in words', () => {
    expect(fixed(Number.NaN, 1)).toBe('not a number');
    expect(fixed(Number.POSITIVE_INFINITY, 1)).toBe('infinite');
  });

  test('grouping loses no digit', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        const digits = integer(value).replaceAll('\u202f', '').replace('\u2212', '-');
        expect(Number(digits)).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe('quantities', () => {
  test('a time takes the unit that keeps it readable', () => {
    expect(time(128_500)).toEqual({ value: '128.5', unit: 'ns' });
    expect(time(8_270_000)).toEqual({ value: '8.27', unit: 'µs' });
    expect(time(12)).toEqual({ value: '12', unit: 'ps' });
    expect(time(2_400_000_000_000)).toEqual({ value: '2.4', unit: 's' });
    expect(time(0)).toEqual({ value: '0', unit: 'ns' });
  });

  test('a column of times keeps one unit', () => {
    expect(timeIn(8_330_000, 'µs', 2)).toBe('8.33');
    expect(timeIn(500, 'ns', 1)).toBe('0.5');
  });

  test('a size is never rounded into a larger unit', () => {
    expect(bytes(1024)).toEqual({ value: '1', unit: 'KiB' });
    expect(bytes(1536)).toEqual({ value: '1\u202f536', unit: 'B' });
    expect(bytes(2 ** 20)).toEqual({ value: '1', unit: 'MiB' });
  });

  test('value and unit are not torn apart', () => {
    expect(text({ value: '8.27', unit: 'µs' })).toBe('8.27\u00a0µs');
    expect(percent(33.2)).toBe('33\u00a0%');
    expect(count(1, 'change')).toBe('1\u00a0change');
    expect(count(3, 'change')).toBe('3\u00a0changes');
    expect(count(0, 'change')).toBe('no changes');
  });

  test('a unit is of one or of many', () => {
    const written = (value: string, unit: string) => `${value} ${unitAfter(value, unit)}`;
    expect(written('1', 'pages')).toBe('1 page');
    expect(written('0', 'pages')).toBe('0 pages');
    expect(written('1', 'retries')).toBe('1 retry');
    expect(written('1', 'misses/page')).toBe('1 miss/page');
    expect(written('1', 'half lines')).toBe('1 half line');
    expect(written('1', 'halves')).toBe('1 half');
    expect(written('1', 'uses')).toBe('1 use');
    expect(written('1', 'us')).toBe('1 µs');
    for (const unit of ['MB/s', 'ns', 'ps', 'IOPS', '%', 'B', ''])
      expect(unitAfter('1', unit)).toBe(unit);
  });

  test('an address keeps all its digits', () => {
    expect(address(0x3a417660)).toBe('0x3A417660');
    expect(address(0x1f0n, 8)).toBe('0x000001F0');
  });
});

describe('days', () => {
  const now = new Date(2025, 10, 20, 13, 30);
  test.each([
    [new Date(2025, 10, 20, 10, 42), 'today 10:42'],
    [new Date(2025, 10, 19, 23, 59), 'yesterday'],
    [new Date(2025, 10, 17, 8, 0), '17 Nov'],
    [new Date(2003, 6, 25, 8, 0), '25 Jul 2003'],
  ])('%s', (when, expected) => {
    expect(dayOf(when, now)).toBe(expected);
  });
});

test('a value is not torn apart at the end of a line', () => {
  expect(unbroken('2 × 32 KiB of 90 000, and 5 more')).toBe(
    '2\u00a0×\u00a032\u00a0KiB of 90\u00a0000, and 5 more',
  );
  expect(unbroken('a T5-2 at 10-20 per call')).toBe('a T5-\u20602 at 10-20 per call');
});

test('numbers for files keep their whole digits', () => {
  expect([32768, 1234567, -40123.6, 0.012345, 61.4449, 0].map((n) => plainNumber(n, 4))).toEqual([
    '32768',
    '1234567',
    '-40124',
    '0.01235',
    '61.44',
    '0',
  ]);
});
