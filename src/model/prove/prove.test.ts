/** The coherence protocol and the adapter, explored to the end: every state, every row, every defect. */
import { beforeAll, expect, test } from 'vitest';
import type { Explored } from '../../engine/explore';
import { exploreLocally } from '../../engine/inprocess';
import { FAULTS, handsOn, PROOFS } from './proofs';
import { prove } from './prove';

/** Configurations that are done in seconds; the others are run by hand. */
const QUICK = PROOFS.filter(({ pinned }) => pinned && pinned.states < 500_000);

const explored: { name: string; found: Explored }[] = [];
beforeAll(async () => {
  for (const proof of QUICK)
    explored.push({ name: proof.name, found: await prove(proof, exploreLocally) });
}, 240_000);

test('every state of the quick configurations keeps every invariant, and every row is taken', () => {
  const taken: boolean[] = [];
  for (const { name, found } of explored) {
    const { end, invariant, deadlocks } = found;
    const whole = { end: 'complete', invariant: null, deadlocks: 0 };
    expect({ end, invariant, deadlocks }, name).toEqual(whole);
    found.rules.forEach((one, row) => {
      taken[row] ||= one;
    });
  }
  expect(taken.flatMap((one, row) => (one ? [] : [row]))).toEqual([]);
});

test('there are as many states and transitions as on record', { tags: ['pin'] }, () => {
  const counts = explored.map(({ name, found }) => [name, found.states, found.transitions]);
  const record = QUICK.map(({ name, pinned }) => [name, pinned?.states, pinned?.transitions]);
  expect(counts).toEqual(record);
});

/** A frame alone is 24 steps, a line each. */
const MOST_STEPS = { coherent: 32, packets: 100 };

test('every defect is noticed by an invariant, in few steps', async () => {
  expect(FAULTS).toHaveLength(30);
  const survivors: string[] = [];
  for (const fault of FAULTS) {
    const { invariant, steps } = await prove(fault, exploreLocally);
    const most = handsOn(fault.shape) ? MOST_STEPS.packets : MOST_STEPS.coherent;
    if (!invariant || steps > most) survivors.push(fault.name);
  }
  expect(survivors).toEqual([]);
}, 240_000);
