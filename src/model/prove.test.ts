/** The coherence protocol and the adapter, explored to the end: every state, every row, every defect. */
import { beforeAll, expect, test } from 'vitest';
import { inlineChecks } from '../engine/code-inline';
import { Explorer } from '../engine/explore';
import { FAULTS, PROOFS } from './proofs';
import { type MakeExplorer, runFault, runProof } from './prove';

let make: MakeExplorer;
beforeAll(async () => {
  const module = await inlineChecks();
  make = (config) => new Explorer(module, config, 512);
});

/** Configurations that are done in seconds; the others are run by hand. */
const QUICK = PROOFS.filter(({ pinned }) => pinned && pinned.states < 200_000);

test('every state of the quick configurations keeps every invariant, and every row is taken', () => {
  const taken: boolean[] = [];
  for (const proof of QUICK) {
    const { report, rows } = runProof(proof, make, () => 0);
    const { states, transitions, violations, deadlocks, complete } = report;
    expect({ states, transitions }, proof.name).toEqual(proof.pinned);
    expect({ violations, deadlocks, complete }, proof.name).toEqual({
      violations: [],
      deadlocks: 0,
      complete: true,
    });
    rows.forEach((one, row) => {
      taken[row] ||= one;
    });
  }
  expect(taken.flatMap((one, row) => (one ? [] : [row]))).toEqual([]);
}, 120_000);

test('every defect is noticed by an invariant, in at most 25 steps', () => {
  expect(FAULTS).toHaveLength(25);
  const survivors: string[] = [];
  for (const fault of FAULTS) {
    if (fault.config === 'coherent-1x2') continue; // needs half a million states: run by hand
    const { killed_by, depth, fault: name } = runFault(fault, make);
    if (!killed_by || depth > 25) survivors.push(name);
  }
  expect(survivors).toEqual([]);
}, 120_000);
