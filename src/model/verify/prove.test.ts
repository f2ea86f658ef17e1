/** Exhaustive exploration of the coherence protocol and the adapter: every state, every table row, every defect. */
import { expect, test } from 'vitest';
import type { Explored } from '../../engine/explore';
import { exploreLocally } from '../../engine/inprocess';
import { DEFECT_PROOFS, type DefectProof } from './proof-defects';
import { handsPacketsOn } from './proof-scenario';
import { PROOFS } from './proofs';
import { prove } from './prove';

/** Configurations that finish in seconds; the others are run by hand. */
const QUICK = PROOFS.filter(({ pinned }) => pinned && pinned.states < 500_000);

const explored = new Map<string, Explored>();
async function exploredOf(proof: (typeof PROOFS)[number]): Promise<Explored> {
  const found = explored.get(proof.name) ?? (await prove(proof, exploreLocally));
  explored.set(proof.name, found);
  return found;
}

const LONG = 240_000;

test.each(QUICK)(
  'every state of $name keeps every invariant',
  async (proof) => {
    const { end, invariant, deadlocks } = await exploredOf(proof);
    expect({ end, invariant, deadlocks }).toEqual({
      end: 'complete',
      invariant: null,
      deadlocks: 0,
    });
  },
  LONG,
);

test(
  'every row of the protocol table is used by one of them',
  async () => {
    const taken: boolean[] = [];
    for (const proof of QUICK) {
      const { rules } = await exploredOf(proof);
      rules.forEach((one, row) => {
        taken[row] ||= one;
      });
    }
    expect(taken.flatMap((one, row) => (one ? [] : [row]))).toEqual([]);
  },
  LONG,
);

test('the numbers of states and transitions are the pinned ones', {
  tags: ['pin'],
  timeout: LONG,
}, async () => {
  for (const proof of QUICK) {
    const { states, transitions } = await exploredOf(proof);
    expect([states, transitions], proof.name).toEqual([
      proof.pinned?.states,
      proof.pinned?.transitions,
    ]);
  }
});

/**
 * A frame alone takes 24 steps, one per line. Counterexamples are also longer where a card is behind two more
 * buses, a pool has to be used up first, or entries are stored through a cache.
 */
const mostSteps = ({ config, shape }: DefectProof) =>
  handsPacketsOn(shape) ? 100 : /^(card|pools|walks)/.test(config) ? 50 : 32;

test('there are 68 defects', () => {
  expect(DEFECT_PROOFS).toHaveLength(68);
});

test.each(DEFECT_PROOFS)(
  '$name violates an invariant within few steps',
  async (fault) => {
    const { invariant, steps } = await prove(fault, exploreLocally);
    expect(invariant).not.toBeNull();
    expect(steps).toBeLessThanOrEqual(mostSteps(fault));
  },
  LONG,
);
