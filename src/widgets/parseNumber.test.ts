import { describe, expect, test } from 'vitest';
import { parseNumber } from './parseNumber';

const time = { unit: 'µs', min: 0, max: 100, decimals: 2, label: 'Set-up' };
const parse = (input: string, expected = time) => parseNumber(input, expected);

describe('input of a number field', () => {
  test.each([
    ['8.27', 8.27],
    [' 8.27 µs', 8.27],
    ['8,27', 8.27],
    ['8270 ns', 8.27],
    ['8 270 ns', 8.27],
    ['8\u202f270\u00a0ns', 8.27],
    ['0.05ms', 50],
    ['1e1', 10],
  ])('%s" is understood', (input, value) => {
    expect(parse(input)).toEqual({ ok: true, value });
  });

  test('a typographic minus sign is read as minus', () => {
    const balance = { unit: '', min: -10, max: 10, decimals: 0, label: 'Balance' };
    expect(parse('\u22123', balance)).toEqual({ ok: true, value: -3 });
  });

  test.each([
    ['abc', '"abc" is not a number. The value is unchanged.'],
    ['', '"" is not a number. The value is unchanged.'],
    ['8 KiB', '"KiB" is not a unit of this value; it is in µs. The value is unchanged.'],
    ['101', 'Set-up must lie between 0.00 and 100.00\u00a0µs. The value is unchanged.'],
    ['-1', 'Set-up must lie between 0.00 and 100.00\u00a0µs. The value is unchanged.'],
  ])('%s" is refused with an error', (input, sentence) => {
    expect(parse(input)).toEqual({ ok: false, sentence });
  });

  const size = { unit: 'B', min: 0, max: 2 ** 30, decimals: 0, label: 'Polled up to', whole: 1 };
  const large = { ...size, unit: 'KiB', max: 2 ** 20, whole: 1024 };
  const rows = { unit: '', min: 1, max: 5000, decimals: 0, label: 'Rows', whole: 1 };

  test.each([
    ['1,024', size, 1024],
    ['1,048,576', size, 1_048_576],
    ['2,048 KiB', size, 2 ** 21],
    ['1.5 KiB', size, 1536],
    ['0,5 KiB', size, 512],
    ['1048577 B', large, 1048577 / 1024],
    ['2,048', large, 2048],
    ['2,048', rows, 2048],
    ['1e3', rows, 1000],
  ])('%s" is understood as an integer', (input, expected, value) => {
    expect(parseNumber(input, expected)).toEqual({
      ok: true,
      value: Number(value.toPrecision(15)),
    });
  });

  test.each([
    ['2.5', size, 'Polled up to is a whole number of bytes; "2.5" is none.'],
    ['0.3 KiB', size, 'Polled up to is a whole number of bytes; "0.3 KiB" is none.'],
    ['2.5', rows, 'Rows is a whole number; "2.5" is none.'],
    ['2,5', rows, 'Rows is a whole number; "2,5" is none.'],
    [
      '1,500 KiB',
      size,
      '"1,500 KiB" can be read as 1500\u00a0KiB or as 1.5\u00a0KiB; write it without a comma.',
    ],
    ['1,0,2', size, '"1,0,2" is not a number.'],
  ])('%s" is neither rounded nor guessed', (input, expected, sentence) => {
    expect(parseNumber(input, expected)).toEqual({
      ok: false,
      sentence: `${sentence} The value is unchanged.`,
    });
  });

  test('a comma is the decimal comma unless integers are expected', () => {
    expect(parse('1,024')).toEqual({ ok: true, value: 1.024 });
    expect(parse('1,024,000 ps')).toEqual({ ok: true, value: 1.024 });
  });

  test('a unit is refused where there is none', () => {
    expect(parse('256 B', rows)).toEqual({
      ok: false,
      sentence: 'This value has no unit. The value is unchanged.',
    });
  });
});
