/**
 * Explains in sentences why a job or a packet was late: where its time went, which tasks ran while it was ready, and
 * which interrupts woke them.
 *
 *     released |····ready····|run|···ready···|run| done        ready: split by the task that ran meanwhile
 */
import { count, integer, text, time } from '../../base/format';
import type { Span } from '../trace/lane';
import type { Trace } from '../trace/trace';
import { type PacketStory, stepOf } from './packet-log';
import type { RealTimeLog, Response } from './realtime-log';
import { READY, type Task } from './task-log';

interface LateSentence {
  readonly text: string;
  /** Time and record; null for statements about the whole time. */
  readonly at: { readonly timePs: number; readonly seq: number } | null;
}

export interface LateStory {
  readonly question: string;
  /** Sentences; the last one is the root cause. */
  readonly sentences: readonly LateSentence[];
}

/** Processor time used by another task while this one was ready. */
interface Taken {
  readonly task: Task;
  time: number;
  times: number;
  /** The longest interval. */
  longest: Span | null;
}

interface Account {
  /** Time in which the task ran. */
  readonly ran: number;
  readonly ready: number;
  readonly taken: readonly Taken[];
}

const span = (ps: number): string => text(time(ps, 3));

const overlap = (one: Span, from: number, to: number): number =>
  Math.max(0, Math.min(one.to, to) - Math.max(one.from, from));

/** Use of a task's time in an interval. */
function accountOf(log: RealTimeLog, task: Task, from: number, to: number): Account {
  const own = task.lane.between(from, to);
  const isReady = (one: Span) => one.state.name === READY.name;
  const waits = own.filter(isReady);
  const sum = (spans: readonly Span[]) =>
    spans.reduce((all, one) => all + overlap(one, from, to), 0);
  const others = log.tasks.tasks.filter((one) => one.cpu === task.cpu && one !== task);
  const taken = others.map((other): Taken => {
    const found: Taken = { task: other, time: 0, times: 0, longest: null };
    let [end, longest] = [-1, 0];
    for (const wait of waits)
      for (const one of other.lane.between(Math.max(from, wait.from), Math.min(to, wait.to))) {
        if (isReady(one)) continue;
        const length = overlap(one, Math.max(from, wait.from), Math.min(to, wait.to));
        if (length <= 0) continue;
        found.time += length;
        if (one.from !== end) found.times++;
        end = one.to;
        if (length <= longest) continue;
        longest = length;
        found.longest = one;
      }
    return found;
  });
  return {
    ran: sum(own.filter((one) => !isReady(one))),
    ready: sum(waits),
    taken: taken.filter(({ time: all }) => all > 0).toSorted((a, b) => b.time - a.time),
  };
}

interface Interrupt {
  readonly seq: number;
  readonly timePs: number;
  readonly packet: number | null;
}

/** Interrupts of a processor in an interval, each with the packet that raised it, if any. */
function interruptsOf(trace: Trace, part: number, from: number, to: number): Interrupt[] {
  const found: Interrupt[] = [];
  for (let seq = trace.indexAt(from - 1) + 1; seq <= trace.indexAt(to); seq++) {
    const record = trace.record(seq);
    if (record?.part !== part || trace.event(seq)?.name !== 'interrupted') continue;
    const raised = trace.event(record.cause)?.name === 'received';
    const packet = raised ? (trace.record(record.cause)?.a ?? null) : null;
    found.push({ seq, timePs: record.timePs, packet });
  }
  return found;
}

function listOf(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 4).map(integer);
  if (numbers.length > 4) shown.push(`${integer(numbers.length - 4)} more`);
  const last = shown.pop() ?? '';
  return shown.length > 0 ? `${shown.join(', ')} and ${last}` : last;
}

/** The interrupts of an interval as one sentence; null if there were none. */
function interruptSentence(
  trace: Trace,
  task: Task,
  from: number,
  to: number,
): LateSentence | null {
  const all = interruptsOf(trace, task.cpu.part, from, to);
  const packets = all.flatMap(({ packet }) => packet ?? []);
  const [first] = packets.length > 0 ? all.filter(({ packet }) => packet !== null) : all;
  if (!first) return null;
  const whose =
    packets.length === 0
      ? `${count(all.length, 'interrupt')} occurred meanwhile, none for a packet`
      : `The adapter interrupted ${task.cpu.title} meanwhile for packet ${listOf(packets)}`;
  return { text: `${whose}.`, at: { timePs: first.timePs, seq: first.seq } };
}

function takenSentence({ task, time: all, times, longest }: Taken, first: boolean): LateSentence {
  const who = task.isHandler ? 'The interrupt handler' : `Thread ${task.name}`;
  const doing = longest ? `, most of it ${longest.state.title}` : '';
  const often = times > 1 ? `, ${count(times, 'time')}` : '';
  return {
    text: first
      ? `${who} had the processor for ${span(all)} of that${often}${doing}.`
      : `${who} had it for ${span(all)}${often}.`,
    at: longest && { timePs: longest.from, seq: longest.seq },
  };
}

/** The time without interference, compared with the deadline. */
function rootSentence(took: number, allowed: number, { taken }: Account): LateSentence {
  const others = taken.reduce((all, one) => all + one.time, 0);
  const names = taken.map(({ task }) => (task.isHandler ? 'the handler' : task.name));
  const left = took - others;
  if (others <= 0) return { text: 'Nothing else ran: the work itself takes too long.', at: null };
  return left <= allowed
    ? {
        text: `Without ${names.slice(0, 2).join(' and ')}, ${span(left)} remain: in time.`,
        at: null,
      }
    : {
        text: `Even without them ${span(left)} remain, more than the ${span(allowed)} allowed.`,
        at: null,
      };
}

interface LockWait {
  readonly lock: number;
  readonly owner: Task | null;
  readonly from: number;
  readonly to: number;
  readonly seq: number;
}

/** Lock waits of a task in an interval, each with the owner of the lock at its start. */
function lockWaitsOf(log: RealTimeLog, trace: Trace, task: Task, until: number): LockWait[] {
  const owners = new Map<number, Task | null>();
  const waits: LockWait[] = [];
  let open: Omit<LockWait, 'to'> | null = null;
  const names = new Set(['lock', 'wait']);
  for (const seq of trace.matching(({ name }) => names.has(name))) {
    const record = trace.record(seq);
    if (record?.part !== log.roles.kernel || record.timePs > until) continue;
    const name = trace.event(seq)?.name;
    const who = log.tasks.at(record.b, record.c);
    const { a: lock, timePs } = record;
    if (name === 'wait' && who === task)
      open = { lock, owner: owners.get(lock) ?? null, from: timePs, seq };
    if (name === 'lock' && who === task && open?.lock === lock) {
      waits.push({ ...open, to: timePs });
      open = null;
    }
    if (name === 'lock') owners.set(lock, who);
  }
  return waits;
}

/** The longest lock wait, its owner, and what kept the owner from releasing the lock. */
function lockSentences(log: RealTimeLog, trace: Trace, task: Task, job: Response): LateSentence[] {
  const waits = lockWaitsOf(log, trace, task, job.to).filter(({ from }) => from >= job.from);
  const [longest] = waits.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  if (!longest?.owner) return [];
  const { lock, owner, from, to, seq } = longest;
  const { ran, taken } = accountOf(log, owner, from, to);
  const [most] = taken;
  const meanwhile =
    most && most.time > ran
      ? `Thread ${owner.name} ran for ${span(ran)} of that and could not give it back: ${most.task.name} had the processor for ${span(most.time)}.`
      : `Thread ${owner.name} needed ${span(ran)} of that to give it back.`;
  return [
    {
      text: `For ${span(to - from)} of that it waited for lock ${lock}, which ${owner.name} had.`,
      at: { timePs: from, seq },
    },
    { text: meanwhile, at: null },
  ];
}

function jobStory(log: RealTimeLog, trace: Trace, job: Response, task: Task): LateStory {
  const allowed = log.periodOf(task) ?? job.to - job.from;
  const took = job.to - job.from;
  const account = accountOf(log, task, job.from, job.to);
  const elsewhere = took - account.ran - account.ready;
  const sentences: LateSentence[] = [
    {
      text: `It was released, took ${span(took)}, and had ${span(allowed)}.`,
      at: { timePs: job.to, seq: job.seq },
    },
    {
      text: `Its own work was ${span(account.ran)}; for ${span(account.ready)} it was ready while the processor ran something else${elsewhere > 0 ? `, and for ${span(elsewhere)} it was blocked` : ''}.`,
      at: null,
    },
  ];
  sentences.push(...account.taken.slice(0, 3).map((one, i) => takenSentence(one, i === 0)));
  const interrupts = interruptSentence(trace, task, job.from, job.to);
  if (interrupts) sentences.push(interrupts);
  const ofLocks = lockSentences(log, trace, task, job);
  if (ofLocks.length > 0 && elsewhere > account.ready) sentences.push(...ofLocks);
  else sentences.push(rootSentence(took, allowed, account));
  return { question: `Why did ${job.title} miss its deadline?`, sentences };
}

/** The stages of a packet, in order. */
function stretchesOf(story: PacketStory, end: number) {
  const arrived = story.arrived?.timePs ?? story.from;
  const [taken, delivered, accepted] = (['taken', 'delivered', 'accepted'] as const).map(
    (name) => stepOf(story, name)?.timePs ?? end,
  ) as [number, number, number];
  return [
    { what: 'it waited in the ring for the driver', from: arrived, to: taken },
    { what: 'TCP/IP had it', from: taken, to: delivered },
    { what: 'its message waited for the application', from: delivered, to: accepted },
    { what: 'the application had it', from: accepted, to: end },
  ] as const;
}

function packetStory(
  log: RealTimeLog,
  trace: Trace,
  late: Response,
  deadline: number,
): LateStory | null {
  const story = log.packets.story(late.packet ?? -1);
  if (!story) return null;
  const took = late.to - late.from;
  const stretches = stretchesOf(story, late.to);
  const [longest] = stretches.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  const sentences: LateSentence[] = [
    {
      text: `It was done ${span(took)} after it arrived, and had ${span(deadline)}.`,
      at: { timePs: late.to, seq: late.seq },
    },
    {
      text: `Of that ${stretches
        .filter(({ from, to }) => to > from)
        .map(({ what, from, to }) => `${what} for ${span(to - from)}`)
        .join(', ')}.`,
      at: null,
    },
  ];
  const ahead = log.packets.packets.filter(
    ({ packet, isLost, steps }) =>
      packet < story.packet &&
      !isLost &&
      (steps.find(({ name }) => name === 'finished')?.timePs ?? Number.POSITIVE_INFINITY) >
        late.from,
  );
  if (ahead.length > 0)
    sentences.push({
      text: `${count(ahead.length, 'packet')} had come before it and ${ahead.length === 1 ? 'was' : 'were'} not done yet: ${listOf(ahead.map(({ packet }) => packet))}.`,
      at: story.arrived,
    });
  const account = late.task && accountOf(log, late.task, late.from, late.to);
  if (late.task && account) {
    account.taken.slice(0, 2).forEach((one) => {
      const { text: sentence, at } = takenSentence(one, false);
      sentences.push({ text: `While ${late.task?.name} was ready: ${sentence}`, at });
    });
    const interrupts = interruptSentence(trace, late.task, late.from, late.to);
    if (interrupts) sentences.push(interrupts);
  }
  if (longest)
    sentences.push({
      text: `Most of the time, ${span(longest.to - longest.from)}, ${longest.what}.`,
      at: { timePs: longest.from, seq: story.seq },
    });
  return { question: `Why was packet ${story.packet} late?`, sentences };
}

/** Explains why a job or packet was late; null if unknown. `deadline` applies to packets. */
export function lateStory(
  log: RealTimeLog,
  trace: Trace,
  late: Response,
  deadline: number,
): LateStory | null {
  if (late.kind === 'packet') return packetStory(log, trace, late, deadline);
  return late.task && jobStory(log, trace, late, late.task);
}
