import { describe, expect, test } from 'vitest';
import { readJson } from './json-text';

const problems = (text: string) => {
  const result = readJson(text, 'a.json');
  return result.ok ? [] : result.problems;
};

describe('JSON with comments', () => {
  test('gives values and their positions', () => {
    const result = readJson('{\n  // sizes\n  "a": [1, 2],\n  "b/c": "x"\n}');
    expect(result.ok && result.value.value).toEqual({ a: [1, 2], 'b/c': 'x' });
    expect(result.ok && result.value.problem(['a', 1], 'Too large.')).toEqual({
      file: '',
      pointer: '/a/1',
      line: 3,
      column: 12,
      message: 'Too large.',
    });
    expect(result.ok && result.value.problem(['b/c'], '', true)).toMatchObject({
      pointer: '/b~1c',
      line: 4,
      column: 3,
    });
  });

  test('reads a file that begins with a byte order mark', () => {
    expect(problems('\uFEFF{"a": 1}')).toEqual([]);
  });

  test.each([
    ['a missing brace', '{"a": 1', 1, 8, 'A closing brace } is missing here.'],
    [
      'single quotes',
      "{\n 'a': 1}",
      2,
      2,
      'This is not JSON: names and strings stand in double quotes. Is one missing?',
    ],
    ['a comma at the end', '{"a": 1,}', 1, 9, 'A name in double quotes is expected here.'],
    ['nothing', '', 1, 1, 'The file is empty.'],
    ['a comment', ' // soon\n', 1, 1, 'The file is empty.'],
    [
      'text that is not JSON',
      '\n Dear reader',
      2,
      2,
      'This is not JSON: a scenario or a saved session begins with {.',
    ],
    [
      'a table that is not JSON',
      'size MB/s\n4 27.6',
      1,
      1,
      'This is not JSON: a scenario or a saved session begins with {.',
    ],
    ['a key written twice', '{"a": 1,\n "a": 2}', 2, 2, '"a" is written twice.'],
    [
      'a number that is not exact',
      '{"a": 99999999999999999}',
      1,
      7,
      'This number is too large to be held exactly; write it as a string.',
    ],
    [
      'an infinite number',
      '{"a": 1e999}',
      1,
      7,
      'This number is too large to be held exactly; write it as a string.',
    ],
    ['a name every object has', '{"__proto__": 1}', 1, 2, '"__proto__" cannot be used as a name.'],
  ])('refuses %s', (_, text, line, column, message) => {
    expect(problems(text)).toEqual([
      expect.objectContaining({ file: 'a.json', line, column, message }),
    ]);
  });

  test('refuses excessive nesting without a stack overflow', () => {
    expect(problems('['.repeat(200_000))).toEqual([
      expect.objectContaining({ message: 'Values may be nested 32 deep; this goes deeper.' }),
    ]);
  });

  test('refuses a file of more than 256 KiB', () => {
    expect(problems(`"${'x'.repeat(262_144)}"`)[0]?.message).toBe(
      'The file is larger than 256 KiB.',
    );
  });
});
