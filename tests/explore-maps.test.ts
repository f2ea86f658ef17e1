/** Lazy flush in every order of events: which rules let a device use a stale translation, and which do not. */
import { describe, expect, test } from 'vitest';
import { inlineChecks } from '../src/engine/code-inline';
import { MAP_PROOFS, proveMap } from '../src/model/mapProofs';

const module = await inlineChecks();
const MINUTE = 60_000;

describe('three threads, two pools, three entries in each', () => {
  test.each(MAP_PROOFS.map((proof) => [proof.name, proof] as const))(
    '%s',
    (_, proof) => {
      const report = proveMap(module, proof, { threads: 3, entries: 3 });
      expect(report.complete).toBe(proof.holds);
      expect(report.violations).toHaveLength(proof.holds ? 0 : 1);
    },
    MINUTE,
  );
});

test('the way to the stale use ends with it and frees ahead of the cursor', () => {
  const [linux] = MAP_PROOFS;
  if (!linux) throw new Error('There are no rules to check.');
  const report = proveMap(module, { ...linux, atomicFlag: true }, { threads: 3, entries: 3 });
  const steps = report.violations[0]?.steps ?? [];
  expect(steps).toHaveLength(27);
  expect(steps.at(-1)).toMatch(/translation of an earlier mapping/);
  expect(steps.filter((step) => /has freed/.test(step)).length).toBeGreaterThan(1);
});

test('with one entry to a pool and one thread nothing can go wrong', () => {
  for (const proof of MAP_PROOFS.filter(({ holds }) => holds))
    expect(proveMap(module, proof, { threads: 1, entries: 1 })).toMatchObject({ complete: true });
});
