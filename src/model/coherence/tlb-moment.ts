/**
 * The I/O TLB at one moment: progress of the current lookup, the rows concerned, and how recently each row was looked
 * up.
 *
 *     look-up              loaded                     next look-up
 *     |approach|--- read ---|push|..... rest .....|fall|
 *
 * A pure function of time, so that any moment can be sought.
 */
import { clamp } from '../../base/geometry';
import type { CoherenceLog, LookUp } from './coherence-log';

/** Progress of the current lookup, each value from 0 to 1. */
interface LookUpProgress {
  /** The request moves to its row. */
  readonly approach: number;
  /** The page directory is read. */
  readonly read: number;
  /** The new translation replaces the old one. */
  readonly push: number;
  /** The evicted translation falls out of the row. */
  readonly fall: number;
}

export interface TlbMoment {
  /** Lookups of all rows so far. */
  readonly count: number;
  readonly lookUp: LookUp;
  /** The look-up of the same row before it; null if it is the first. */
  readonly previous: LookUp | null;
  readonly progress: LookUpProgress;
  /** Progress of the request to its row at a pace that does not depend on what is found there, from 0 to 1. */
  readonly arrival: number;
  /** How recently and often each row was looked up, from 0 to 1. */
  readonly heat: ReadonlyMap<number, number>;
  /** Rows shown as slots: the current one, and one of another device if they do not conflict. */
  readonly slots: readonly LookUp[];
  /** The current row is contended. */
  readonly contended: boolean;
}

/** Fractions of the time from a miss to the loading of the row. */
const [APPROACH, PUSH] = [0.2, 0.25];
/** Fractions of the time from there to the next lookup, at most the loading time. */
const [REST, FALL] = [0.5, 0.4];
/** Duration of the drawing of a hit, if the gap to the next lookup is not shorter. */
const HIT_PS = 60_000;
/** Heat halves after this many lookups; it is 1 for a row with all recent lookups. */
const [HALF_LIFE, REMEMBERED] = [6, 40];
const FULL_HEAT = 1 / (1 - 0.5 ** (1 / HALF_LIFE));
/** Number of recent lookups of a row, and of evictions by rivals among them that make it contended. */
const [RECENT, RIVALRIES] = [6, 2];

const SETTLED: LookUpProgress = { approach: 1, read: 1, push: 1, fall: 0 };

const easeOut = (x: number): number => 1 - (1 - clamp(x, 0, 1)) ** 3;

const arrivalAt = (passed: number, gap: number): number =>
  clamp(passed / Math.max(1, Math.min(HIT_PS, gap / 2)), 0, 1);

function progressOf({ timePs, missed, refill }: LookUp, nextPs: number, now: number) {
  const passed = now - timePs;
  const gap = nextPs - timePs;
  if (!missed) return { approach: arrivalAt(passed, gap), read: 1, push: 1, fall: 1 };
  if (refill === null)
    return { approach: clamp(passed / HIT_PS, 0, 1), read: 0.5, push: 0, fall: 0 };
  const after = Math.min(Math.max(1, gap - refill), refill);
  return {
    approach: clamp(passed / (APPROACH * refill), 0, 1),
    read: clamp((passed / refill - APPROACH) / (1 - APPROACH - PUSH), 0, 1),
    push: easeOut((passed / refill - 1 + PUSH) / PUSH),
    fall: clamp(((passed - refill) / after - REST) / FALL, 0, 1),
  };
}

function heatOf(log: CoherenceLog, count: number, share: number, arrival: number) {
  const heat = new Map<number, number>();
  for (let index = Math.max(0, count - REMEMBERED); index < count; index++) {
    const chain = log.lookUp(index)?.chain ?? 0;
    const isLast = index === count - 1;
    const age = isLast ? 0 : count - 2 - index + share;
    const warmth = (0.5 ** (age / HALF_LIFE) / FULL_HEAT) * (isLast ? arrival : 1);
    heat.set(chain, Math.min(1, (heat.get(chain) ?? 0) + warmth));
  }
  return heat;
}

/** Whether rivals have recently evicted each other in a row. */
function contendedAt(log: CoherenceLog, chain: number, count: number): boolean {
  let [seen, rivalries] = [0, 0];
  for (let index = count - 1; index >= 0 && seen < RECENT; index--) {
    const lookUp = log.lookUp(index);
    if (lookUp?.chain !== chain) {
      if (count - index > REMEMBERED) break;
      continue;
    }
    seen++;
    rivalries += Number(lookUp.evicted?.byRival ?? false);
  }
  return rivalries >= RIVALRIES;
}

/** Lookups searched for another device, so that both rows stay in view when one device pauses. */
const PARTNERS = 1024;

/** The newest of the recent lookups by another device in another row. */
function partnerOf(log: CoherenceLog, count: number, { chain, device }: LookUp): LookUp | null {
  for (let index = count - 2; index >= Math.max(0, count - PARTNERS); index--) {
    const lookUp = log.lookUp(index);
    if (lookUp && lookUp.chain !== chain && lookUp.device !== device) return lookUp;
  }
  return null;
}

interface At {
  readonly seq: number;
  readonly timePs: number;
}

/** Null before the first lookup. `settled`: without animation, each lookup is shown in its final state. */
export function tlbMoment(
  log: CoherenceLog,
  { seq, timePs }: At,
  settled = false,
): TlbMoment | null {
  const count = log.countTo(seq);
  const lookUp = log.lookUp(count - 1);
  if (!lookUp) return null;
  const nextPs = log.lookUp(count)?.timePs ?? Number.POSITIVE_INFINITY;
  const progress = settled
    ? { ...SETTLED, fall: lookUp.missed ? 0 : 1 }
    : progressOf(lookUp, nextPs, timePs);
  const passed = (timePs - lookUp.timePs) / Math.max(1, nextPs - lookUp.timePs);
  const share = settled ? 1 : clamp(passed, 0, 1);
  const contended = contendedAt(log, lookUp.chain, count);
  const partner = contended ? null : partnerOf(log, count, lookUp);
  const slots = partner ? [lookUp, partner].sort((a, b) => a.chain - b.chain) : [lookUp];
  const arrival = settled ? 1 : arrivalAt(timePs - lookUp.timePs, nextPs - lookUp.timePs);
  const heat = heatOf(log, count, share, arrival);
  const previous = log.lastTo(lookUp.chain, lookUp.seq - 1);
  return { count, lookUp, previous, progress, arrival, heat, slots, contended };
}
