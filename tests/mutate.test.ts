/** The mutation tool of the engine's C: the mutants it makes, and how it judges them. */
import { describe, expect, test } from 'vitest';
import { culprits } from '../scripts/mutate/builds.mjs';
import { instrumented, mutantsOf, mutated } from '../scripts/mutate/operators.mjs';
import { sampleOf } from '../scripts/mutate/sample.mjs';
import { namesWithout, systemsWithout } from '../scripts/mutate/systems.mjs';
import { failures, ownFirst } from '../scripts/mutate/unit.mjs';
import { kindOfTest, verdictOf } from '../scripts/mutate/verdict.mjs';

const C = `#define LIMIT (2 + 3)
static const uint32_t table[4] = {1, 2, 3, 4};
SIM_COLD int below(int a, const int *list) {
  static const int from = 7;
  for (int i = 0; i < a; i++) total += list[i];
  if (a && !list) return;
  return 1;
}
`;

const changesOf = (source: string) =>
  mutantsOf('a.c', source).map(({ line, operator, becomes }) => `${line} ${operator}: ${becomes}`);

describe('mutants', () => {
  test('are made inside functions, and not in constant expressions', () => {
    expect(changesOf(C)).toEqual([
      '5 one more: 1',
      '5 < to <=: i <= a',
      '5 < to >=: i >= a',
      '5 ++ to --: i--',
      '5 left out: ',
      '5 += to -=: total -= list[i]',
      '6 && to ||: a || !list',
      '6 without the right: a',
      '6 without the left: !list',
      '6 turned round: !(a && !list)',
      '6 without !: list',
      '6 left out: ',
      '7 one more: 2',
      '7 one less: 0',
    ]);
  });

  test('do not change a macro with a block', () => {
    const macro = 'int a(struct b *b) {\n  RESUME_AT(b->stage) {\n    c();\n  }\n  return 0;\n}\n';
    expect(changesOf(macro)).toEqual(['3 left out: ', '5 one more: 1']);
  });

  test('keep their ids when lines above them change, and when a function is added before them', () => {
    const names = (source: string) => mutantsOf('a.c', source).map(({ id }) => id);
    expect(new Set(names(C)).size).toBe(14);
    const moved = `\n\nint other(void) { return 1; }\n${C}`;
    expect(names(moved).slice(2)).toEqual(names(C));
  });

  test('are written out one by one', () => {
    const [, border] = mutantsOf('a.c', C);
    expect(mutated(C, border as NonNullable<typeof border>)).toContain('i = 0; (i <= a); i++');
  });

  test('are written into one text, on the same lines, loops counted', () => {
    const all = mutantsOf('a.c', C);
    const text = instrumented('a.c', C, new Map(all.map(({ id }, i) => [id, i + 1])));
    expect(text.split('\n')).toHaveLength(C.split('\n').length);
    expect(text).toContain('(SIM_ON(3) ? (i >= a) : (SIM_ON(2) ? (i <= a) : ');
    expect(text).toContain('{ SIM_TICK; { if (!SIM_ON(5)) ');
    expect(text).toContain('{ if (!SIM_ON(12)) return; }');
    const plain = instrumented('a.c', C, new Map());
    expect(plain.replace(/\{ SIM_TICK; (.*) \}/, '$1')).toBe(C);
  });
});

test("mutants that do not compile are found by the compiler's errors", () => {
  const text = 'int a;\nx = (SIM_ON(4) ? (p + q) : (SIM_ON(3) ? (p - 1) : (p)));\n';
  const complaint = (column: number) => `wasm/a.c:2:${column}: error: invalid operands\n1 error`;
  expect([...culprits(complaint(26), () => text)]).toEqual([4]);
  expect([...culprits(complaint(58), () => text)]).toEqual([3]);
  expect(culprits('', () => text).size).toBe(0);
  expect(() => culprits(complaint(1), () => text)).toThrow('did not compile');
});

test('a sample is spread over all files, repeats, and is part of a larger one', () => {
  const all = [80, 20, 1].flatMap((count, file) =>
    Array.from({ length: count }, (_, i) => ({ id: `${file}-${i}`, path: `${file}.c` })),
  );
  const some = sampleOf(all, 21, 'seed');
  const of = (path: string) => some.filter((one) => one.path === path).length;
  expect([of('0.c'), of('1.c'), of('2.c')]).toEqual([16, 4, 1]);
  expect(sampleOf(all, 21, 'seed')).toEqual(some);
  expect(sampleOf(all, 40, 'seed').slice(0, 21)).toEqual(some);
  expect(sampleOf(all, 21, 'other')).not.toEqual(some);
});

test('unit tests in the folder of a change come first', () => {
  const tests = [
    'wasm/core/engine_test.c',
    'wasm/parts/bus/pci/pci_test.c',
    'wasm/parts/device/gt/gt_test.c',
  ];
  const order = (path: string) =>
    ownFirst(
      tests.map((source) => ({ source })),
      path,
    ).map(({ source }) => source);
  expect(order('wasm/parts/device/gt/engines.c')[0]).toBe('wasm/parts/device/gt/gt_test.c');
  expect(order('wasm/parts/bus/hsc/hsc.c')).toEqual(tests);
  const slow = { source: 'wasm/a/a_test.c', took: 900 };
  const quick = { source: 'wasm/b/b_test.c', took: 5 };
  expect(ownFirst([slow, quick], 'wasm/a/a.c')).toEqual([slow, quick]);
  expect(ownFirst([slow, quick], 'wasm/c/c.c')).toEqual([quick, slow]);
});

test('a part is judged by the scenarios that contain it', () => {
  expect(systemsWithout('wasm/parts/device/gt/engines.c')).toEqual(['hp', 'pools', 'soc']);
  expect(systemsWithout('wasm/os/mapping/iommu_map/lock.c')).toEqual(['gt', 'hp', 'soc', 'start']);
  expect(systemsWithout('wasm/parts/cpu/processor/steps.c')).toEqual([]);
  expect(systemsWithout('wasm/core/queue.c')).toEqual([]);
  const names = new RegExp(namesWithout(['hp', 'pools']) ?? '');
  expect(names.test('the lesson of scenarios/hp/ranges.json points at moments')).toBe(false);
  expect(names.test('every scenario of hp ends in the recorded state')).toBe(false);
  expect(names.test('gt/gfixit agrees with its published figures')).toBe(true);
});

describe('a verdict', () => {
  const output = `[==========] Running 3 test(s).
[ RUN      ] holds
[       OK ] holds
[ RUN      ] breaks
[  ERROR   ] --- 1 != 2
[  FAILED  ] breaks
[ RUN      ] never_ends
`;

  test('names the failed unit tests, including the one in which the program ended', () => {
    expect(failures(output, 137).map(({ test }) => test)).toEqual(['breaks', 'never_ends']);
    expect(failures(output.replace(/.*never_ends\n/, ''), 1)).toEqual([
      { test: 'breaks', message: '[  ERROR   ] --- 1 != 2' },
    ]);
    expect(failures('[ RUN      ] holds\n[       OK ] holds\n', 0)).toEqual([]);
    const message = '==7==ERROR: AddressSanitizer: use-after-poison';
    expect(
      failures(`[ RUN      ] looks_behind\n${message}\n[       OK ] looks_behind\n`, 0),
    ).toEqual([{ test: 'looks_behind', message }]);
  });

  test('is the strongest failure: a recorded number counts least', () => {
    const found = (...kinds: string[]) => verdictOf(kinds.map((kind) => ({ kind })));
    expect(found('pin', 'trap', 'behaviour')).toBe('behaviour');
    expect(found('pin', 'trap')).toBe('trap');
    expect(found('pin')).toBe('pin');
    expect(found()).toBe('survived');
  });

  test('names the kind of test that detected it', () => {
    const kind = (file: string, name: string) => kindOfTest({ file, test: name });
    const golden = 'tests/golden/scenarios.test.ts';
    expect(kind('wasm/core/engine_test.c', 'x')).toBe('a unit test in C');
    expect(kind(golden, 'gt agrees with its published figures')).toBe('a published figure');
    expect(kind('tests/worker.test.ts', 'x')).toBe('other behaviour');
  });
});
