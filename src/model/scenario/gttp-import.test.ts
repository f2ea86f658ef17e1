import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isGttp, parseGttp } from './gttp-import';

const PAPER = `==SUMMARY==
_g  SIZE  _w_...S.  _w_P..S.  _r_...S.  _r_P..S.  _w...MS.  _r...MS.
_g   4    0.52    27.72    0.55     5.79     111.04    105.06
_g  16    1.85    61.06    2.19     9.21     302.08    290.88
_g1024  78.04   61.44  114.71   10.35     967.10    967.10
`;

const table = (text: string) => {
  const result = parseGttp(text);
  return result.ok ? result.value : result.problems;
};

describe('the summary of gttp', () => {
  test('is read as printed', () => {
    expect(isGttp(PAPER)).toBe(true);
    expect(table(PAPER)).toEqual({
      dma_write: [
        { size: 4, value: 0.52 },
        { size: 16, value: 1.85 },
        { size: 1024, value: 78.04 },
      ],
      pio_write: [
        { size: 4, value: 27.72 },
        { size: 16, value: 61.06 },
        { size: 1024, value: 61.44 },
      ],
      dma_read: [
        { size: 4, value: 0.55 },
        { size: 16, value: 2.19 },
        { size: 1024, value: 114.71 },
      ],
      pio_read: [
        { size: 4, value: 5.79 },
        { size: 16, value: 9.21 },
        { size: 1024, value: 10.35 },
      ],
      memory_write: [
        { size: 4, value: 111.04 },
        { size: 16, value: 302.08 },
        { size: 1024, value: 967.1 },
      ],
      memory_read: [
        { size: 4, value: 105.06 },
        { size: 16, value: 290.88 },
        { size: 1024, value: 967.1 },
      ],
    });
  });

  test.each([
    [
      'some columns, tabs, and other output around it',
      'gttp 3.1\n_g\tSIZE\t_r_P..S.\r\n_g\t4\t5.79\r\nbye\n',
    ],
    ['no marks', 'SIZE _r_P..S.\n4 5.79\n'],
    ['CSV', 'size_bytes, pio_read\n4, 5.79\n'],
    ['CSV with semicolons', 'SIZE;_r_P..S.\n4;5.79'],
  ])('is read with %s', (_, text) => {
    expect(isGttp(text)).toBe(true);
    expect(table(text)).toEqual({ pio_read: [{ size: 4, value: 5.79 }] });
  });

  test.each([
    ['no headers', '4 5.79', 1, 1, 'There is no line of column headers; it begins with SIZE.'],
    [
      'an unknown column',
      'SIZE _x_P..S.\n4 5',
      1,
      6,
      '"_x_P..S." is not a column of gttp. Known: dma_write, pio_write, dma_read, pio_read, memory_write, memory_read.',
    ],
    [
      'the same column twice',
      'SIZE _r_P..S. pio_read\n4 5 5',
      1,
      15,
      'The column "pio_read" occurs twice.',
    ],
    [
      'a word for a number',
      'SIZE pio_read\n4 fast',
      2,
      3,
      'A throughput is a number of MB/s above 0, at most 1000000000; "fast" is not.',
    ],
    ['a decreasing size', 'SIZE pio_read\n8 1\n4 1', 3, 1, 'The sizes must increase; 4 does not.'],
    [
      'a missing cell',
      'SIZE pio_read pio_write\n4 5.79',
      2,
      1,
      'This row has 1 values for 2 columns.',
    ],
    ['no rows', 'SIZE pio_read\n', 1, 1, 'There are no rows below the headers.'],
  ])('is refused with %s', (_, text, line, column, message) => {
    expect(table(text)).toEqual([expect.objectContaining({ line, column, message })]);
  });

  test('that is too long is refused, not truncated', () => {
    const rows = Array.from({ length: 5001 }, (_, i) => `${i + 1} 5`);
    const found = parseGttp(`SIZE pio_read\n${rows.join('\n')}`);
    expect(found.ok ? [] : found.problems).toMatchObject([
      { line: 5001, message: 'A table has at most 5000 lines; this is one more.' },
    ]);
    const long = `SIZE pio_read\n${'4 5\n'.repeat(40_000)}`;
    expect(isGttp(long)).toBe(true);
    expect(table(long)).toMatchObject([{ message: 'The text is larger than 100 kB.' }]);
  });

  test('is read in linear time, whatever its header', () => {
    expect(isGttp('size'.repeat(25_000))).toBe(false);
  });

  test('is not recognized as a scenario file', () => {
    expect(isGttp('{"busyard": 1, "size": 3}')).toBe(false);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        parseGttp(text);
        parseGttp(`SIZE pio_read\n${text}`);
      }),
    );
  });
});
