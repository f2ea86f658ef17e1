/**
 * Why a processor waits for a pool’s lock, from the trace: the holders of the lock meanwhile, how often it was
 * granted to others, and what makes a turn long.
 *
 *     CPU 9   contend ─────────────────────────────────── granted
 *     lock         CPU 3 ████  CPU 7 ███████  CPU 3 ███ ▸         turns: acquire or granted, to release
 */
import { count, integer, percent, text, time } from '../../base/format';
import type { EventSpec } from '../../engine/manifest';
import type { Trace, TraceRecord } from '../trace/trace';

/** Events of locks. */
const LOCK_EVENTS = ['contend', 'granted', 'acquire', 'release', 'hypercall', 'search'];

interface LockEvent {
  readonly seq: number;
  readonly timePs: number;
  readonly name: string;
  readonly cpu: number;
  readonly pool: number;
  /** Time held, waited or called, or words read. */
  readonly value: number;
  readonly locked: boolean;
}

interface WaitSentence {
  readonly text: string;
  /** Time and record; null for statements about the whole wait. */
  readonly at: { readonly timePs: number; readonly seq: number } | null;
}

/** An interval during which the lock is held. */
export interface Turn {
  readonly cpu: number;
  readonly from: number;
  readonly to: number;
}

export interface LockWaitStory {
  readonly cpu: number;
  readonly pool: number;
  /** Record that started the wait. */
  readonly seq: number;
  /** From the start of the wait to its end, or to the present. */
  readonly from: number;
  readonly to: number;
  /** Holders of the lock meanwhile, in order. */
  readonly turns: readonly Turn[];
  readonly question: string;
  /** Newest first, the root cause last. */
  readonly sentences: readonly WaitSentence[];
}

/** Number of records searched; a wait that started before them is not reported. */
const MAX_RECORDS = 6000;

const VALUES = ['held', 'waited', 'time', 'words'];

function fieldOf(record: TraceRecord, event: EventSpec, names: readonly string[]): number {
  const field = event.fields.find(({ name }) => names.includes(name));
  return field ? record[field.slot as 'a' | 'b' | 'c'] : Number.NaN;
}

function lockEvent(trace: Trace, seq: number): LockEvent | null {
  const [event, record] = [trace.event(seq), trace.record(seq)];
  if (!event || !record) return null;
  return {
    seq,
    timePs: record.timePs,
    name: event.name,
    cpu: fieldOf(record, event, ['cpu']),
    pool: fieldOf(record, event, ['pool']),
    value: fieldOf(record, event, VALUES),
    locked: fieldOf(record, event, ['locked']) === 1,
  };
}

/** The lock events of the part up to a time, in order. */
function eventsBefore(trace: Trace, part: number, timePs: number): LockEvent[] {
  const last = trace.indexAt(timePs);
  const events: LockEvent[] = [];
  for (let seq = last; seq >= trace.first && seq > last - MAX_RECORDS; seq--) {
    const name = trace.event(seq)?.name ?? '';
    if (!LOCK_EVENTS.includes(name) || trace.record(seq)?.part !== part) continue;
    const event = lockEvent(trace, seq);
    if (event) events.push(event);
  }
  return events.reverse();
}

interface Wait {
  readonly cpu: number;
  readonly pool: number;
  readonly from: LockEvent;
  /** The event that granted the lock; null while it still waits. */
  readonly to: LockEvent | null;
}

/** Waits in order of their start. */
function waitsOf(events: readonly LockEvent[]): Wait[] {
  const open = new Map<number, LockEvent>();
  const over: Wait[] = [];
  for (const event of events) {
    if (event.name === 'contend') open.set(event.cpu, event);
    const from = event.name === 'granted' ? open.get(event.cpu) : undefined;
    if (!from) continue;
    open.delete(event.cpu);
    over.push({ cpu: event.cpu, pool: from.pool, from, to: event });
  }
  const going = [...open.values()].map((from) => ({
    cpu: from.cpu,
    pool: from.pool,
    from,
    to: null,
  }));
  return [...over, ...going].toSorted((a, b) => a.from.seq - b.from.seq);
}

/**
 * The wait to explain: that of the requested processor, else the longest in progress, else the last completed one.
 */
function chosen(waits: readonly Wait[], cpu: number | null): Wait | null {
  const own = cpu === null ? undefined : waits.findLast((wait) => wait.cpu === cpu);
  const lastOver = waits.toSorted((a, b) => (b.to?.seq ?? 0) - (a.to?.seq ?? 0))[0];
  return own ?? waits.find(({ to }) => to === null) ?? lastOver ?? null;
}

interface Turns {
  /** Present and last holder of the lock. */
  readonly holder: LockEvent | null;
  readonly last: LockEvent | null;
  readonly inCall: boolean;
  readonly taken: number;
  readonly barged: number;
  /** Hold times of completed turns. */
  readonly held: readonly number[];
  /** In those turns: time in hypervisor calls under the lock, and words read by searches. */
  readonly called: number;
  readonly words: number;
}

function turnsOf(events: readonly LockEvent[], { pool, from, to }: Wait): Turns {
  const end = to ? to.seq : Number.POSITIVE_INFINITY;
  let holder: LockEvent | null = null;
  let last: LockEvent | null = null;
  let [inCall, taken, barged, called, words, calling, reading] = [false, 0, 0, 0, 0, 0, 0];
  const held: number[] = [];
  for (const event of events) {
    if (event.seq >= end) break;
    const during = event.seq > from.seq;
    const isTake = event.name === 'acquire' || event.name === 'granted';
    if (isTake && event.pool === pool) {
      [holder, last, inCall] = [event, event, false];
      [calling, reading] = [0, 0];
      if (during) taken++;
      if (during && event.name === 'acquire') barged++;
    } else if (event.name === 'release' && event.pool === pool) {
      if (during) {
        held.push(event.value);
        called += Math.min(calling, event.value);
        words += reading;
      }
      [holder, inCall] = [null, false];
    } else if (event.name === 'hypercall' && event.locked && event.cpu === holder?.cpu) {
      inCall = true;
      calling += event.value;
    } else if (event.name === 'search' && event.pool === pool) reading += event.value;
  }
  return { holder, last, inCall, taken, barged, held, called, words };
}

const span = (ps: number): string => text(time(ps, 3));

const placeOf = ({ timePs, seq }: LockEvent) => ({ timePs, seq });

function holderSentence({ holder, last, inCall }: Turns, { pool, to }: Wait): WaitSentence {
  const lock = `the lock of pool ${integer(pool)}`;
  if (to && last)
    return { text: `CPU ${last.cpu} was the last to hold ${lock}.`, at: placeOf(last) };
  if (!holder) return { text: `No CPU holds ${lock}: it is being handed to a waiter.`, at: null };
  const where = inCall ? ', inside a hypervisor call' : '';
  return { text: `CPU ${holder.cpu} holds ${lock}${where}.`, at: placeOf(holder) };
}

/** More words than this per search are worth mentioning. */
const MANY_WORDS = 100;

function rootText({ held, called, words }: Turns, waiting: number): string {
  const all = held.reduce((sum, ps) => sum + ps, 0);
  if (called > all / 3)
    return `The lock is kept across the hypervisor call: ${percent((called / all) * 100)} of the ${span(all / held.length)} that a turn takes.`;
  if (words / held.length > MANY_WORDS)
    return `A turn reads ${integer(words / held.length)} words of the bitmap: no free run is near the cursor.`;
  return `A turn is short, ${span(all / held.length)}, but ${count(waiting, 'CPU waits', 'CPUs wait')} for this one lock.`;
}

/** Turns that overlap the wait; the last one may be in progress. */
function heldBy(events: readonly LockEvent[], pool: number, from: number, to: number): Turn[] {
  const turns: Turn[] = [];
  let taken: LockEvent | null = null;
  const close = (end: number) => {
    if (taken && end > from && taken.timePs < to)
      turns.push({ cpu: taken.cpu, from: Math.max(from, taken.timePs), to: Math.min(to, end) });
    taken = null;
  };
  for (const event of events) {
    if (event.pool !== pool) continue;
    if (event.name === 'release') close(event.timePs);
    if (event.name === 'acquire' || event.name === 'granted') taken = event;
  }
  close(to);
  return turns;
}

export function lockWaitStory(
  trace: Trace,
  part: number,
  timePs: number,
  cpu: number | null,
): LockWaitStory | null {
  const events = eventsBefore(trace, part, timePs);
  const waits = waitsOf(events);
  const wait = chosen(waits, cpu);
  if (!wait) return null;
  const until = wait.to?.timePs ?? timePs;
  const waited = span(until - wait.from.timePs);
  const turns = turnsOf(events, wait);
  const sentences: WaitSentence[] = [holderSentence(turns, wait)];
  if (turns.taken > 0) {
    const barged =
      turns.barged > 0
        ? `, ${integer(turns.barged)} of them to ${turns.barged === 1 ? 'a CPU' : 'CPUs'} that had not waited`
        : '';
    sentences.push({
      text: `Since then the lock went to other CPUs ${count(turns.taken, 'time')}${barged}.`,
      at: placeOf(wait.from),
    });
  }
  const waiting = waits.filter(({ to, pool }) => to === null && pool === wait.pool).length;
  if (turns.held.length > 0)
    sentences.push({ text: rootText(turns, Math.max(1, waiting)), at: null });
  const question = wait.to
    ? `Why did CPU ${wait.cpu} wait ${waited}?`
    : `Why has CPU ${wait.cpu} waited ${waited}?`;
  const { cpu: who, pool, from } = wait;
  const held = heldBy(events, pool, from.timePs, until);
  return {
    cpu: who,
    pool,
    seq: from.seq,
    from: from.timePs,
    to: until,
    turns: held,
    question,
    sentences,
  };
}
