import { describe, expect, test } from 'vitest';
import { compile } from './compile';
import { scenarioJsonSchema } from './json-schema';
import { readJson } from './json-text';
import { MAX } from './limits';
import { loadScenario } from './load';
import { gather, lineOf } from './problems';
import { expandRows, type ItemFile, RowBudget } from './program-loops';
import { withPrograms } from './program-overrides';
import { type Scenario, Where } from './scenario-types';
import { z } from './zod';

const PART = { type: 'processor' };

/** A scenario of processors that only spend time. */
function fileOf(programs: unknown, workload: unknown = { cpu0: 'p' }, variables: unknown = {}) {
  const names = [...new Set(['cpu0', ...Object.keys(workload as object)])];
  const parts = Object.fromEntries(
    names.filter((name) => !name.includes('*')).map((name) => [name, PART]),
  );
  return {
    busyard: 1,
    title: 'Loops',
    summary: '',
    system: 'own',
    machine: { parts },
    variables,
    programs,
    workload,
    until: '1 ms',
    view: { kind: 'machine' },
  };
}

function load(file: unknown): Scenario {
  const loaded = loadScenario(JSON.stringify(file, null, 1));
  if (!loaded.ok) throw new Error(loaded.problems.map(lineOf).join('\n'));
  return loaded.value;
}

const problemsOf = (file: unknown): string[] => {
  const loaded = loadScenario(JSON.stringify(file, null, 1));
  return loaded.ok ? [] : loaded.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
};

/** The expanded rows of a program, independent of any machine. */
function rowsOf({ p }: { readonly p: ItemFile[] }) {
  const json = readJson(JSON.stringify({ p }));
  if (!json.ok) throw new Error('no JSON');
  const expanded = gather((report) =>
    expandRows(p, new Where(json.value, ['p']), { variables: new Set(), report }, new RowBudget()),
  );
  if (!expanded.ok) throw new Error(expanded.problems.map(lineOf).join('\n'));
  return expanded.value.map(({ fields }) => fields);
}

const loop = (more: object, row: object = { do: 'spend', time: '1 ns' }): { p: ItemFile[] } => ({
  p: [{ for: 'i', rows: [row as ItemFile], ...more }],
});

describe('a loop in a program expands to its rows', () => {
  test('once for each value, counted from a first one', () => {
    expect(rowsOf(loop({ count: 3 }, { do: 'unmap', tag: '$i' }))).toEqual(
      [0, 1, 2].map((tag) => ({ do: 'unmap', tag })),
    );
    expect(rowsOf(loop({ from: 6, count: 3, step: -2 }, { do: 'unmap', tag: '$i' }))).toEqual(
      [6, 4, 2].map((tag) => ({ do: 'unmap', tag })),
    );
    expect(
      rowsOf(loop({ from: '60 s', count: 2, step: '600 s' }, { do: 'until', time: '$i' })),
    ).toEqual([
      { do: 'until', time: '60 s' },
      { do: 'until', time: '660 s' },
    ]);
  });

  test('once for each value of a list, with the iteration number', () => {
    const rows = [{ do: 'spend', time: '$i + $at * 1 us' }];
    expect(rowsOf({ p: [{ for: 'i', in: ['5 ns', '7 ns'], index: 'at', rows }] })).toEqual([
      { do: 'spend', time: '5 ns' },
      { do: 'spend', time: '1.007 us' },
    ]);
    expect(rowsOf(loop({ in: ['map', 'unmap'] }, { do: '$i', tag: 1 }))).toEqual([
      { do: 'map', tag: 1 },
      { do: 'unmap', tag: 1 },
    ]);
  });

  test('loops can be nested, and the count of one can depend on another', () => {
    const inner = { for: 'j', count: '$i + 1', rows: [{ do: 'unmap', tag: '10 * $i + $j' }] };
    expect(rowsOf({ p: [{ for: 'i', count: 3, rows: [inner] }] }).map(({ tag }) => tag)).toEqual([
      0, 10, 11, 20, 21, 22,
    ]);
    expect(rowsOf(loop({ count: 0 }))).toEqual([]);
  });

  test('addresses stay hexadecimal, sizes are bytes, brackets and minus work', () => {
    const row = {
      do: 'map',
      from: '0x100000 + $i * 4 KiB',
      bytes: '2 * (64 - $i) - -1',
      tag: '$i',
    };
    expect(rowsOf(loop({ from: 2, count: 1 }, row))).toEqual([
      { do: 'map', from: '0x102000', bytes: 125, tag: 2 },
    ]);
  });

  test('a variable of the scenario has the value of the run, also in an expression', () => {
    const file = fileOf(loop({ count: 2 }, { do: 'spend', time: '$i * $each + 1 ns' }), undefined, {
      each: '2 ns',
    });
    const timesAt = (each: string) => {
      const found = compile(load(file), { variables: { each } });
      if (!found.ok) throw new Error(found.problems.map(lineOf).join('\n'));
      const cpu = found.value.parts[0];
      const at = cpu?.type.tables[0]?.fields.findIndex(({ name }) => name === 'time') ?? -1;
      return cpu?.tables[0]?.slice(0, 2).map(({ values }) => values[at]);
    };
    expect(timesAt('2 ns')).toEqual([1000n, 3000n]);
    expect(timesAt('5 ns')).toEqual([1000n, 6000n]);
  });
});

describe('one program can run on several processors', () => {
  const spend = { p: [{ do: 'spend', time: '1 ns + $cpu * 10 ns + $thread * 100 ns' }] };
  const timesOf = (file: unknown) => {
    const found = compile(load(file));
    if (!found.ok) throw new Error(found.problems.map(lineOf).join('\n'));
    return found.value.parts.map(({ type, tables }) => {
      const fields = type.tables[0]?.fields.map(({ name }) => name) ?? [];
      const rows = tables[0] ?? [];
      return rows
        .map(({ values }) => Number(values[fields.indexOf('time')]))
        .filter((ps) => ps > 0);
    });
  };

  test('with the number of the processor and of the thread', () => {
    expect(timesOf(fileOf(spend, { cpu0: ['p', 'p'], cpu3: 'p' }))).toEqual([
      [1000, 101_000],
      [31_000],
    ]);
  });

  test('assigned to a pattern of names, with an exception by name', () => {
    const file = fileOf(
      { ...spend, q: [{ do: 'spend', time: '5 ns' }] },
      { 'cpu*': 'p', cpu1: 'q' },
    );
    Object.assign(file.machine.parts, { cpu2: PART });
    expect(timesOf(file)).toEqual([[1000], [5000], [21_000]]);
    expect(problemsOf(fileOf(spend, { 'cpu*': 'p', 'gpu*': 'p' }))).toEqual([
      '/workload/gpu*: No part has a name that matches "gpu*".',
    ]);
  });

  test('$cpu is refused on a processor whose name has no number', () => {
    const file = fileOf(spend, { cpu0: 'p', left: 'p' });
    expect(problemsOf(file)).toEqual([
      '/programs/p/0/time: The name "left" does not end in a number, so $cpu has no value here (left, thread 0).',
    ]);
  });

  test('scenario variables with these names take precedence', () => {
    expect(timesOf(fileOf(spend, { cpu0: ['p', 'p'] }, { cpu: 7, thread: 2 }))).toEqual([
      [271_000, 271_000],
    ]);
  });
});

describe('an error in a loop is reported at its position, with the iteration', () => {
  test.each<[string, unknown, string]>([
    [
      'without an end',
      loop({}),
      '/programs/p/0: A loop needs "count", or "in" with a list of values.',
    ],
    [
      'both kinds of end',
      loop({ in: [1], count: 2 }),
      '/programs/p/0/count: A loop can have either "in" or "count".',
    ],
    [
      'a negative count',
      loop({ count: -1 }),
      '/programs/p/0/count: The count of a loop must be a whole number from 0.',
    ],
    [
      'a time as a count',
      loop({ count: '3 s' }),
      '/programs/p/0/count: The count of a loop must be a whole number from 0.',
    ],
    [
      'too many rows',
      loop({ count: 10_001 }),
      `/programs/p/0: A program has at most ${MAX.rows} rows; the loop over "i" makes more.`,
    ],
    [
      'endless rows',
      loop({ count: '0xffffffffffffffff' }),
      `/programs/p/0: A program has at most ${MAX.rows} rows; the loop over "i" makes more.`,
    ],
    [
      'an unknown variable',
      loop({ count: 3 }, { do: 'unmap', tag: '$j' }),
      '/programs/p/0/rows/0/tag: There is no variable "j"',
    ],
    [
      'an unknown variable in an expression',
      loop({ count: 3 }, { do: 'unmap', tag: '$i + $row' }),
      '/programs/p/0/rows/0/tag: There is no variable "row"',
    ],
    [
      'a minus without spaces',
      loop({ count: 3 }, { do: 'unmap', tag: '$i-1' }),
      'Write spaces around a minus (i 0).',
    ],
    [
      'a value below 0',
      loop({ count: 3 }, { do: 'unmap', tag: '1 - $i' }),
      '/programs/p/0/rows/0/tag: 1 - $i: This evaluates to -1; negative values are not allowed in a row (i 2).',
    ],
    [
      'more than 64 bits',
      loop({ in: ['0xffffffffffffffff'] }, { do: 'unmap', tag: '$i + 1' }),
      '/programs/p/0/rows/0/tag: $i + 1: This evaluates to more than 64 bits (i 0xffffffffffffffff).',
    ],
    [
      'a time and a number',
      loop({ count: 1 }, { do: 'spend', time: '1 s + $i' }),
      'This adds or subtracts a time and a number; both need a unit of the same kind (i 0).',
    ],
    [
      'a time by a time',
      loop({ count: 1 }, { do: 'spend', time: '1 s * 1 s + $i' }),
      'This multiplies a time by a time; one of them must be a plain number (i 0).',
    ],
    [
      'a word in arithmetic',
      loop({ in: ['map'] }, { do: 'unmap', tag: '$i + 1' }),
      '$i is "map", which is not a number (i map).',
    ],
    [
      'division',
      loop({ count: 1 }, { do: 'unmap', tag: '$i / 2' }),
      'an expression has numbers, quantities, $names, +, -, * and brackets (i 0).',
    ],
    [
      'an expression that ends early',
      loop({ count: 1 }, { do: 'unmap', tag: '$i +' }),
      'The expression ends where a number, a quantity or a $name is expected (i 0).',
    ],
    [
      'an unclosed bracket',
      loop({ count: 1 }, { do: 'unmap', tag: '2 * ($i + 1' }),
      'The expression ends where a closing bracket is expected (i 0).',
    ],
    [
      'the same variable twice',
      loop({ count: 1, rows: [{ for: 'i', count: 1, rows: [{ do: 'again' }] }] }),
      '/programs/p/0/rows/0/for: A loop around this one has the variable "i" already (i 0).',
    ],
    [
      'a name of the processor',
      loop({ for: 'cpu', count: 1 }),
      '/programs/p/0/for: "cpu" is reserved for the number of the processor that runs the program.',
    ],
    [
      'a step without a unit',
      loop({ from: '1 s', count: 2 }),
      '/programs/p/0: "from" has a unit, so this loop needs a "step" with one.',
    ],
    [
      'bounds known only when compiled',
      loop({ count: '$cpu' }),
      '/programs/p/0/count: $cpu is not known when the file is read',
    ],
    [
      'a wrong key',
      loop({ cuont: 3 }),
      '/programs/p/0/cuont: There is no key "cuont" here; did you mean "count"?',
    ],
    ['no rows', loop({ count: 3, rows: [] }), '/programs/p/0/rows: '],
    [
      'an invalid row',
      loop({ count: 3, rows: ['spend'] }),
      '/programs/p/0/rows/0: This should be an object.',
    ],
    [
      'a value out of range',
      loop({ count: 3 }, { do: 'spend', time: '$i' }),
      '/programs/p/0/rows/0/time: ',
    ],
  ])('%s', (_, programs, message) => {
    const [first = '', ...more] = problemsOf(fileOf(programs));
    expect(first).toContain(message);
    expect(more).toEqual([]);
  });

  test('with line and column in the text', () => {
    const text = JSON.stringify(
      fileOf(loop({ count: 3 }, { do: 'unmap', tag: '2 - $i * 2' })),
      null,
      1,
    );
    const loaded = loadScenario(text);
    const [found] = loaded.ok ? [] : loaded.problems;
    const line = text.split('\n').findIndex((one) => one.includes('2 - $i * 2'));
    expect(found?.line).toBe(line + 1);
    expect(found?.message).toContain('(i 2)');
  });

  test('the total number of rows of all loops is limited', () => {
    const programs = Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [`p${i}`, loop({ count: 9000 }).p]),
    );
    const workload = { cpu0: Object.keys(programs) };
    const [first = ''] = problemsOf(fileOf(programs, workload));
    expect(first).toContain(`The loops of a file make at most ${MAX.allRows} rows in all`);
  });
});

describe('sessions', () => {
  test('rows of a session replace a program with loops', () => {
    const scenario = load(fileOf(loop({ count: 3 }, { do: 'spend', time: '$i * 1 ns + 1 ns' })));
    const rows = (scenario.programs.get('p') ?? []).map(({ fields }) => fields);
    const other = withPrograms(scenario, {
      p: [...rows, { do: 'spend', time: '$cpu * 1 us + 7 ns' }],
    });
    expect(other.ok && compile(other.value).ok).toBe(true);
    const [one, two] = [scenario, other.ok ? other.value : scenario].map(
      (from) => from.programs.get('p')?.length,
    );
    expect([one, two]).toEqual([3, 4]);
  });
});

test('the value at a position can be read back', () => {
  const json = readJson('{ "a": [{ "b": 7 }] }');
  if (!json.ok) throw new Error('no JSON');
  const root = new Where(json.value, []);
  expect(root.at('a', 0, 'b').written()).toBe(7);
  expect(root.at('a', 5, 'c').written()).toBe(undefined);
});

describe('a pattern in the sum of a metric', () => {
  const metric = (...product: unknown[]) => {
    const file = fileOf({ p: [{ do: 'spend', time: '1 ns' }] }, { 'cpu*': 'p' });
    Object.assign(file.machine.parts, { cpu1: PART, cpu22: PART });
    return { ...file, metrics: { m: { title: 'm', product } } };
  };

  test('expands to the counter of every matching part', () => {
    const each = ['cpu0', 'cpu1', 'cpu22'].flatMap((cpu) => [`${cpu}.loads`, [2, `${cpu}.orders`]]);
    const written = metric({ sum: [7, ...each] });
    const short = metric({ sum: [7, 'cpu*.loads', [2, 'cpu*.orders']] });
    expect(load(short).metrics).toEqual(load(written).metrics);
  });

  test.each([
    [
      'outside of a sum',
      ['cpu*.loads'],
      '/metrics/m/product/0: A pattern stands in a sum: { "sum": ["cpu*.loads"] }.',
    ],
    [
      'that matches nothing',
      [{ sum: ['gpu*.loads'] }],
      '/metrics/m/product/0/sum/0: No part has a name that matches "gpu*.loads".',
    ],
    [
      'of counters',
      [{ sum: ['cpu0.*'] }],
      '/metrics/m/product/0/sum/0: A pattern has one *, in the name of the part, as in "cpu*.accesses".',
    ],
    [
      'next to another',
      [{ sum: [['cpu*.loads', 'cpu*.orders']] }],
      '/metrics/m/product/0/sum/0: A product has at most one pattern, such as "cpu*.accesses".',
    ],
    [
      'with a counter that the parts do not have',
      [{ sum: ['cpu2*.lods'] }],
      '/metrics/m/product/0/sum/0: "cpu22" has no counter "lods"; did you mean "loads"?',
    ],
  ])('is refused %s', (_, product, message) => {
    expect(problemsOf(metric(...product))).toEqual([message]);
  });
});

describe('the JSON Schema for editors', () => {
  const schema = scenarioJsonSchema();
  const definitions = (schema.$defs ?? {}) as Record<string, z.core.JSONSchema.BaseSchema>;
  const item = z.fromJSONSchema({
    $ref: '#/$defs/program_item',
    $defs: { program_item: definitions.program_item ?? {} },
  });

  test.each([
    ['a row', { do: 'unmap', tag: 3 }, true],
    ['an expression', { do: 'map', from: '0x100000 + $i * 32', bytes: 32, tag: '$i' }, true],
    [
      'a loop in a loop',
      { for: 'i', count: 2, rows: [{ for: 'j', in: [1, 2], rows: [{ do: 'again' }] }] },
      true,
    ],
    ['a loop without an end', { for: 'i', rows: [{ do: 'again' }] }, false],
    ['a loop with a wrong key', { for: 'i', cuont: 2, rows: [{ do: 'again' }] }, false],
    ['a row with a wrong field', { do: 'unmap', tagg: 3 }, false],
    ['a value that is not a quantity', { do: 'spend', time: 'soon' }, false],
  ])('%s', (_, value, fits) => {
    expect(item.safeParse(value).success).toBe(fits);
  });
});
