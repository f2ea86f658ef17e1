/**
 * The second stage of judging mutants: the tests it would run, and that a published figure notices a changed engine.
 */
import { copyFileSync } from 'node:fs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { allMutants, buildModule, valid } from '../scripts/mutate/builds.mjs';
import { planOf, Warm } from '../scripts/mutate/warm.mjs';

vi.hoisted(() => {
  process.env.BUSYARD_MUTATE = 'build/mutate-tested';
});

const measured = (
  id: string,
  took: number,
  reached: readonly number[],
  failed: unknown = null,
) => ({
  ...{ id, name: id, took, reached, stopped: null, failed },
});

describe('of the tests that reach a mutant', () => {
  const files = [
    {
      ...{ file: 'a.test.ts', took: 0.2, shared: [] },
      tests: [measured('slow', 2, [1, 2]), measured('quick', 0.05, [1]), measured('other', 0, [3])],
    },
    { file: 'b.test.ts', took: 0, shared: [1], tests: [measured('cheap', 0.01, [])] },
    {
      ...{ file: 'c.test.ts', took: 0, shared: [] },
      tests: [measured('long', 9, [2]), measured('fails anyway', 0, [1], 'it does')],
    },
  ];
  const named = (number: number) =>
    planOf(files, number).map(({ file, tests }) =>
      [file, ...tests.map(({ id }: { id: string }) => id)].join(' '),
    );

  test("the cheapest run first, including their file's set-up", () => {
    expect(named(1)).toEqual(['b.test.ts cheap', 'a.test.ts quick', 'a.test.ts slow']);
    expect(named(4)).toEqual([]);
  });

  test('their total cost is limited to ten seconds', () => {
    expect(named(2)).toEqual(['a.test.ts slow']);
  });

  test('every file gets its turn, however many tests another has', () => {
    const many = Array.from({ length: 400 }, (_, i) => measured(`${i}`, 0.05, [1]));
    const large = { file: 'many.test.ts', took: 0, shared: [], tests: many };
    const plan = planOf([large, ...files], 1);
    expect(plan.map(({ file }) => file)).toEqual([
      ...['b.test.ts', 'many.test.ts', 'a.test.ts', 'a.test.ts'],
    ]);
    expect(plan[1]?.tests.length).toBeLessThan(200);
  });
});

describe('a published figure', () => {
  const warm = new Warm();
  afterAll(() => warm.close());
  const FILE = 'tests/labels.test.ts';

  test('notices that the data of a line takes fewer cycles on HSC', async () => {
    const [faster] = allMutants().filter(
      ({ path, function: name, operator, was }) =>
        path.endsWith('/hsc/hsc.c') &&
        [name, operator, was].join() === 'hsc_request,+ to -,q.bytes + 3',
    );
    const [mutant] = await valid(faster ? [faster] : []);
    copyFileSync(await buildModule('checks', '-O0'), 'build/mutate-tested/all-core.wasm');
    const kept = await warm.measure(FILE, '^hp/hsc-limit agrees');
    expect(kept?.tests).toMatchObject([{ failed: null, reached: [mutant?.number] }]);
    warm.files = [{ ...kept, file: FILE }];
    expect(await warm.judge(mutant?.number ?? 0)).toMatchObject([
      {
        ...{ kind: 'behaviour', file: FILE },
        test: 'hp/hsc-limit agrees with its published figures, or gives the reason',
      },
    ]);
  }, 600_000);
});
