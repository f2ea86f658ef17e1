import { describe, expect, test } from 'vitest';
import { parseNumber } from './parseNumber';

const time = { unit: 'µs', min: 0, max: 100, decimals: 2, label: 'Set-up' };
const parse = (input: string, expected = time) => parseNumber(input, expected);

describe('what is typed into a number field', () => {
  test.each([
    ['8.27', 8.27],
    [' 8.27 µs', 8.27],
    ['8,27', 8.27],
    ['8270 ns', 8.27],
    ['8 270 ns', 8.27],
    ['8\u202f270\u00a0ns', 8.27],
    ['0.05ms', 50],
    ['1e1', 10],
  ])('"%s" is understood', (input, value) => {
    expect(parse(input)).toEqual({ ok: true, value });
  });

  test('a printed minus sign is a minus sign', () => {
    const balance = { unit: '', min: -10, max: 10, decimals: 0, label: 'Balance' };
    expect(parse('\u22123', balance)).toEqual({ ok: true, value: -3 });
  });

  test.each([
    ['abc', '"abc" is not a number. The value is unchanged.'],
    ['', '"" is not a number. The value is unchanged.'],
    ['8 KiB', '"KiB" is not a unit of this value; it is in µs. The value is unchanged.'],
    ['101', 'Set-up must lie between 0.00 and 100.00\u00a0µs. The value is unchanged.'],
    ['-1', 'Set-up must lie between 0.00 and 100.00\u00a0µs. The value is unchanged.'],
  ])('"%s" is refused with a sentence', (input, sentence) => {
    expect(parse(input)).toEqual({ ok: false, sentence });
  });

  test('a unit where there is none is refused', () => {
    const rows = { unit: '', min: 1, max: 512, decimals: 0, label: 'Rows' };
    expect(parse('256 B', rows)).toEqual({
      ok: false,
      sentence: 'This value has no unit. The value is unchanged.',
    });
  });
});
