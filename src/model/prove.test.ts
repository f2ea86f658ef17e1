/** The coherence protocol and the adapter, explored to the end: every state, every row, every defect. */
import { expect, test } from 'vitest';
import { exploreLocally } from '../engine/inprocess';
import { FAULTS, PROOFS } from './proofs';
import { prove } from './prove';

/** Configurations that are done in seconds; the others are run by hand. */
const QUICK = PROOFS.filter(({ pinned }) => pinned && pinned.states < 500_000);

test('every state of the quick configurations keeps every invariant, and every row is taken', async () => {
  const taken: boolean[] = [];
  for (const proof of QUICK) {
    const { states, transitions, end, invariant, deadlocks, rules } = await prove(
      proof,
      exploreLocally,
    );
    expect({ states, transitions }, proof.name).toEqual(proof.pinned);
    expect({ end, invariant, deadlocks }, proof.name).toEqual({
      end: 'complete',
      invariant: null,
      deadlocks: 0,
    });
    rules.forEach((one, row) => {
      taken[row] ||= one;
    });
  }
  expect(taken.flatMap((one, row) => (one ? [] : [row]))).toEqual([]);
}, 120_000);

test('every defect is noticed by an invariant, in at most 32 steps', async () => {
  expect(FAULTS).toHaveLength(25);
  const survivors: string[] = [];
  for (const fault of FAULTS) {
    const { invariant, steps } = await prove(fault, exploreLocally);
    if (!invariant || steps > 32) survivors.push(fault.name);
  }
  expect(survivors).toEqual([]);
}, 120_000);
