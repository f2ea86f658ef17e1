/**
 * Lazy flush in every order of events: the rules under which a device can use a stale translation, and those under
 * which it cannot.
 */
import { describe, expect, test } from 'vitest';
import { inlineChecks } from '../src/engine/engine-code-inline';
import {
  MAP_PROOFS,
  type MapProof,
  type MapProofReport,
  proveMap,
  USUAL_SIZE,
  USUAL_STATES,
} from '../src/model/verify/pool-proofs';

const module = await inlineChecks();
const MINUTE = 60_000;

const proofNamed = (name: string): MapProof => {
  const found = MAP_PROOFS.find((proof) => proof.name === name);
  if (!found) throw new Error(`There is no proof ${name}.`);
  return found;
};

/** States, transitions, depth, and the length of the shortest counterexample. A changed rule changes them. */
const COUNTS: readonly (readonly [string, number, number, number, number | null])[] = [
  ['linux-4.1', 15375, 39268, 33, 34],
  ['pool-flags', 15375, 39268, 33, 34],
  ['ahead', 96848, 248547, 45, 46],
  ['ahead-atomic', 528732, 1585674, 90, null],
  ['mended', 1663738, 4755926, 114, null],
];

const reports = new Map<string, MapProofReport>();
function reportOf(name: string): MapProofReport {
  const report = reports.get(name) ?? proveMap(module, proofNamed(name), USUAL_SIZE);
  reports.set(name, report);
  return report;
}

describe('three threads, two pools, three entries in each', () => {
  test.each(MAP_PROOFS)(
    '$name holds or leads to a stale use, as its rules say',
    ({ name, holds }) => {
      const { complete, violations, states } = reportOf(name);
      expect({ complete, stale: violations.length }).toEqual({
        complete: holds,
        stale: holds ? 0 : 1,
      });
      expect(states).toBeLessThan(USUAL_STATES);
    },
    MINUTE,
  );

  test.each(COUNTS)(
    '%s has as many states as on record',
    { tags: ['pin'], timeout: MINUTE },
    (name, states, transitions, depth, way) => {
      const report = reportOf(name);
      expect(report).toMatchObject({ states, transitions, depth });
      expect(report.violations[0]?.steps.length ?? null).toBe(way);
    },
  );

  test('every rule is counted', () => {
    expect(COUNTS.map(([name]) => name)).toEqual(MAP_PROOFS.map(({ name }) => name));
  });
});

test('the counterexample ends with the stale use and frees ahead of the cursor', () => {
  const report = proveMap(module, { ...proofNamed('linux-4.1'), atomicFlag: true }, USUAL_SIZE);
  const steps = report.violations[0]?.steps ?? [];
  expect(steps.at(-1)).toMatch(/translation of an earlier mapping/);
  expect(steps.filter((step) => /has freed/.test(step)).length).toBeGreaterThan(1);
});

const LARGER: readonly (readonly [string, number])[] = [
  ['mended', 413705],
  ['ahead-atomic', 108586],
];
const larger = new Map(
  LARGER.map(([name]) => [
    name,
    proveMap(module, proofNamed(name), { threads: 2, entries: 3, pages: 2 }),
  ]),
);

test.each(LARGER)('%s holds for requests of one or two entries, with two threads', (name) => {
  expect(larger.get(name)?.complete).toBe(true);
});

test.each(LARGER)(
  '%s then has the recorded number of states',
  { tags: ['pin'] },
  (name, states) => {
    expect(larger.get(name)?.states).toBe(states);
  },
);

test('with one entry per pool and one thread there is no violation', () => {
  for (const proof of MAP_PROOFS.filter(({ holds }) => holds))
    expect(proveMap(module, proof, { threads: 1, entries: 1, pages: 1 })).toMatchObject({
      complete: true,
    });
});
