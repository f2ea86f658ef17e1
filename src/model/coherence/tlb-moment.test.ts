import { expect, test } from 'vitest';
import type { CoherenceLog, LookUp } from './coherence-log';
import { tlbMoment } from './tlb-moment';

/** A log of one look-up at 1 ns, and another at 2 ns. */
function logOf(found: Partial<LookUp>): CoherenceLog {
  const base = { chain: 2, block: 1, device: 0, missed: false, refill: null, evicted: null };
  const lookUps = [1000, 2000].map((timePs, at) => ({ ...base, seq: at + 1, timePs, ...found }));
  return {
    countTo: (seq: number) => seq,
    lookUp: (index: number) => lookUps[index] ?? null,
    lastTo: (_: number, seq: number) => lookUps[seq - 1] ?? null,
  } as unknown as CoherenceLog;
}

test('the pace at which a block reaches its row does not tell what the row holds', () => {
  const [hit, miss] = [logOf({ missed: false }), logOf({ missed: true, refill: 700 })];
  for (const timePs of [1000, 1100, 1300, 1500, 1900]) {
    const [one, other] = [hit, miss].map((log) => tlbMoment(log, { seq: 1, timePs }));
    expect(one?.arrival).toBe(other?.arrival);
    expect(one?.heat).toEqual(other?.heat);
  }
  expect(tlbMoment(hit, { seq: 1, timePs: 1500 })?.arrival).toBe(1);
});

test('a moment has the look-up before it in the same row', () => {
  const log = logOf({});
  expect(tlbMoment(log, { seq: 1, timePs: 1500 })?.previous).toBeNull();
  expect(tlbMoment(log, { seq: 2, timePs: 2500 })?.previous).toBe(log.lookUp(0));
});
