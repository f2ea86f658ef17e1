/** Where two runs that have parted, and go on in step, part again. */
import { type Lead, TOGETHER } from './alignment';
import type { Divergence, Kept, Records } from './comparison';

/** Records looked at before the page may breathe. */
const SLICE = 4096;
/** So many events in a row, each as much later than its like as the one before it, and the runs are in step. */
const IN_STEP = 3;

const keyOf = (trace: Records, seq: number): string => {
  const record = trace.record(seq);
  return `${record?.part} ${record?.kind}`;
};

/**
 * The first event after a time on the common clock at which one run falls behind the other, catches up, or does what the other does not:
 * the n-th event of a kind in one run is held against the n-th of that kind in the other. What comes while they are
 * out of step is passed over. Null if there is none as far as both are kept.
 */
export async function nextDifference(
  { trace: a }: Kept,
  { trace: b, cut }: Kept,
  afterPs: number,
  breathe: () => Promise<unknown>,
  lead: Lead = TOGETHER,
): Promise<Divergence | null> {
  const places = new Map<string, number[]>();
  for (let seq = b.first; seq <= b.last; seq++) {
    const key = keyOf(b, seq);
    const same = places.get(key);
    if (same) same.push(seq);
    else places.set(key, [seq]);
    if (seq % SLICE === 0) await breathe();
  }
  const taken = new Map<string, number>();
  let [lag, inStep]: [number | null, number] = [0, 0];
  for (let seq = a.first; seq <= a.last; seq++) {
    if (seq % SLICE === 0) await breathe();
    const key = keyOf(a, seq);
    const place = taken.get(key) ?? 0;
    taken.set(key, place + 1);
    const other = places.get(key)?.[place] ?? null;
    if (other === null && cut) return null;
    const [here, there] = [a.record(seq)?.timePs ?? 0, other && b.record(other)?.timePs];
    const now = there === null || there === undefined ? null : there - here;
    if (now !== null && now === lag) {
      inStep++;
      continue;
    }
    const timePs = Math.min(here, there ?? here);
    const onClock = Math.min(here + lead.a, (there ?? Number.POSITIVE_INFINITY) + lead.b);
    if (onClock > afterPs && inStep >= IN_STEP) return { timePs, a: seq, b: other };
    [lag, inStep] = [now, 0];
  }
  return null;
}
