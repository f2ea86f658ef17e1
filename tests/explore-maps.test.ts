/** Lazy flush in every order of events: which rules let a device use a stale translation, and which do not. */
import { describe, expect, test } from 'vitest';
import { inlineChecks } from '../src/engine/code-inline';
import {
  MAP_PROOFS,
  type MapProof,
  proveMap,
  USUAL_SIZE,
  USUAL_STATES,
} from '../src/model/mapProofs';

const module = await inlineChecks();
const MINUTE = 60_000;

const proofNamed = (name: string): MapProof => {
  const found = MAP_PROOFS.find((proof) => proof.name === name);
  if (!found) throw new Error(`There is no proof ${name}.`);
  return found;
};

/** States, transitions, depth; and how long the shortest way to a stale use is. A changed rule changes them. */
const COUNTS: readonly (readonly [string, number, number, number, number | null])[] = [
  ['linux-4.1', 15375, 39268, 33, 34],
  ['pool-flags', 15375, 39268, 33, 34],
  ['ahead', 96848, 248547, 45, 46],
  ['ahead-atomic', 528732, 1585674, 90, null],
  ['mended', 1663738, 4755926, 114, null],
];

describe('three threads, two pools, three entries in each', () => {
  test.each(COUNTS)(
    '%s',
    (name, states, transitions, depth, way) => {
      const proof = proofNamed(name);
      const report = proveMap(module, proof, USUAL_SIZE);
      expect(report).toMatchObject({ states, transitions, depth, complete: way === null });
      expect(report.violations[0]?.steps.length ?? null).toBe(way);
      expect(proof.holds).toBe(way === null);
      expect(states).toBeLessThan(USUAL_STATES);
    },
    MINUTE,
  );

  test('every rule is counted', () => {
    expect(COUNTS.map(([name]) => name)).toEqual(MAP_PROOFS.map(({ name }) => name));
  });
});

test('the way to the stale use ends with it and frees ahead of the cursor', () => {
  const report = proveMap(module, { ...proofNamed('linux-4.1'), atomicFlag: true }, USUAL_SIZE);
  const steps = report.violations[0]?.steps ?? [];
  expect(steps).toHaveLength(27);
  expect(steps.at(-1)).toMatch(/translation of an earlier mapping/);
  expect(steps.filter((step) => /has freed/.test(step)).length).toBeGreaterThan(1);
});

test.each([
  ['mended', 413705],
  ['ahead-atomic', 108586],
])('%s holds for requests of one or two entries, with two threads', (name, states) => {
  const report = proveMap(module, proofNamed(name), { threads: 2, entries: 3, pages: 2 });
  expect(report).toMatchObject({ complete: true, states });
});

test('with one entry to a pool and one thread nothing can go wrong', () => {
  for (const proof of MAP_PROOFS.filter(({ holds }) => holds))
    expect(proveMap(module, proof, { threads: 1, entries: 1, pages: 1 })).toMatchObject({
      complete: true,
    });
});
