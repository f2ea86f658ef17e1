/**
 * How two runs are aligned on the common clock: at their starts, at the same event, at an event of the same cause, or at
 * their divergence. One of them is then delayed.
 */
import type { CompiledMachine } from '../scenario/compiled';
import { CauseNames, Causes } from '../trace/cause-keys';
import {
  type Comparison,
  type Divergence,
  type Kept,
  type Records,
  renumbered,
} from './comparison';

export type Alignment =
  | { readonly by: 'start' | 'parting' }
  /** An event of run A, and its counterpart in run B: the same in order, or by what caused it. */
  | { readonly by: 'event' | 'cause'; readonly seq: number };

/** Delay of each run on the common clock; one of them is 0. */
export interface Lead {
  readonly a: number;
  readonly b: number;
}

export const TOGETHER: Lead = { a: 0, b: 0 };

const CAUSE = 'cause-';

/** Parses the form in an address: "parting", the number of an event, or "cause-" and such a number. */
export function parseAlignment(text: string | undefined): Alignment {
  if (text === 'parting') return { by: 'parting' };
  if (text?.startsWith(CAUSE)) {
    const event = parseAlignment(text.slice(CAUSE.length));
    return event.by === 'event' ? { ...event, by: 'cause' } : { by: 'start' };
  }
  return text !== undefined && /^[1-9]\d*$/.test(text)
    ? { by: 'event', seq: Number(text) }
    : { by: 'start' };
}

export function formatAlignment(alignment: Alignment): string | null {
  if (alignment.by === 'event') return String(alignment.seq);
  if (alignment.by === 'cause') return `${CAUSE}${alignment.seq}`;
  return alignment.by === 'parting' ? 'parting' : null;
}

/** The same event in another run: the n-th of its kind in its part. */
export function sameIn(a: Records, b: Records, seq: number): number | null {
  const original = a.record(seq);
  if (!original) return null;
  const isLike = (trace: Records, at: number) => {
    const record = trace.record(at);
    return record?.part === original.part && record.kind === original.kind;
  };
  let nth = 0;
  for (let at = a.first; at <= seq; at++) if (isLike(a, at)) nth++;
  for (let at = b.first; at <= b.last; at++) if (isLike(b, at) && --nth === 0) return at;
  return null;
}

/**
 * The event of the same cause in another run: the n-th of its kind in its part among those that the same row of a
 * program, call, task or transfer caused. Null if there is none.
 * @param machine - that of run A; the parts of B are numbered as in it
 */
export function causedAlike(
  machine: CompiledMachine,
  a: Records,
  b: Records,
  seq: number,
): number | null {
  const wanted = a.record(seq);
  if (!wanted) return null;
  const names = new CauseNames(machine);
  const [one, two] = [new Causes(a, names), new Causes(b, names)];
  const cause = one.of(seq);
  const isLike = (trace: Records, causes: Causes, at: number) => {
    if (causes.of(at) !== cause) return false;
    const record = trace.record(at);
    return record?.part === wanted.part && record.kind === wanted.kind;
  };
  let nth = 0;
  for (let at = a.first; at <= seq; at++) if (isLike(a, one, at)) nth++;
  for (let at = b.first; at <= b.last; at++) if (isLike(b, two, at) && --nth === 0) return at;
  return null;
}

/** Times of the aligned moments in both runs; null if one run has none. */
function anchorOf(
  alignment: Alignment,
  machine: CompiledMachine,
  a: Records,
  b: Records,
  parting: Divergence | null,
): readonly [number, number] | null {
  const seqs =
    alignment.by === 'event'
      ? [alignment.seq, sameIn(a, b, alignment.seq)]
      : alignment.by === 'cause'
        ? [alignment.seq, causedAlike(machine, a, b, alignment.seq)]
        : [parting?.a ?? null, parting?.b ?? null];
  const [x, y] = [a.record(seqs[0] ?? 0)?.timePs, b.record(seqs[1] ?? 0)?.timePs];
  return x === undefined || y === undefined ? null : [x, y];
}

/** Null if the runs cannot be aligned. */
export function leadOf(
  alignment: Alignment,
  { a, b }: Pick<Comparison, 'a' | 'b'>,
  parting: Divergence | null,
): Lead | null {
  if (alignment.by === 'start') return TOGETHER;
  if (!a?.recording || !b?.recording) return null;
  const other = renumbered(a.machine, b.machine, b.recording).trace;
  const anchor = anchorOf(alignment, a.machine, a.recording.trace, other, parting);
  if (!anchor) return null;
  const [inA, inB] = anchor;
  return { a: Math.max(0, inB - inA), b: Math.max(0, inA - inB) };
}

/** Records per slice, after which the page may draw. */
const SLICE = 4096;
/** Number of consecutive events with equal lag that count as "in step". */
const IN_STEP = 3;

type KeyOf = (seq: number) => string;

/** Names of events by which those of two runs are paired: in order of their kind, or also by their cause. */
async function pairingKeys(
  machine: CompiledMachine | null,
  traces: readonly [Records, Records],
  breathe: () => Promise<unknown>,
): Promise<readonly [KeyOf, KeyOf]> {
  const names = machine && new CauseNames(machine);
  const keys = async (trace: Records): Promise<KeyOf> => {
    if (!names)
      return (seq) => {
        const record = trace.record(seq);
        return `${record?.part} ${record?.kind}`;
      };
    const causes = new Causes(trace, names);
    await causes.readAll(breathe);
    return (seq) => causes.keyOf(seq);
  };
  return [await keys(traces[0]), await keys(traces[1])];
}

/**
 * The first event after a time on the common clock at which the lag between the runs changes, or at which one run
 * does something that the other does not. The n-th event of a kind in one run is compared with the n-th of that
 * kind in the other; with a machine, the n-th of a kind that the same row, call, task or transfer caused. Events while
 * the runs are out of step are skipped. Null if there is none in the stored records.
 */
export async function nextDifference(
  { trace: a }: Kept,
  { trace: b, cut }: Kept,
  afterPs: number,
  breathe: () => Promise<unknown>,
  lead: Lead = TOGETHER,
  machine: CompiledMachine | null = null,
): Promise<Divergence | null> {
  const [keyInA, keyInB] = await pairingKeys(machine, [a, b], breathe);
  const places = new Map<string, number[]>();
  for (let seq = b.first; seq <= b.last; seq++) {
    const key = keyInB(seq);
    const same = places.get(key);
    if (same) same.push(seq);
    else places.set(key, [seq]);
    if (seq % SLICE === 0) await breathe();
  }
  const taken = new Map<string, number>();
  let [lag, inStep]: [number | null, number] = [0, 0];
  for (let seq = a.first; seq <= a.last; seq++) {
    if (seq % SLICE === 0) await breathe();
    const key = keyInA(seq);
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
