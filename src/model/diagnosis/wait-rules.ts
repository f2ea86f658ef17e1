/**
 * Who holds what somebody waits for: the owner of a bus or a lock, whoever fills a queue, the read or the walk
 * that has to end first. A wait follows from what others do at that moment, and no cause leads to them.
 */
import { bytes, text, time } from '../../base/format';
import { coherentMachine } from '../coherence/coherence-roles';
import type { CompiledMachine, CompiledPart } from '../scenario/compile';
import { settingOf } from '../scenario/param-rules';
import { portOwner } from '../trace/event-text';
import type { Span } from '../trace/lane';
import type { Trace } from '../trace/trace';
import type { Diagnosis, Fix } from './diagnose';
import { cachingFixes, changed, orderingFixes, prefetchFixes } from './fixes';
import { field, type TraceEvent, type TraceQuery } from './trace-query';

const since = (told: Pick<TraceEvent, 'record'> | null): string =>
  told ? ` since ${text(time(told.record.timePs))}` : '';

const says = (sentences: readonly string[], cures: readonly Fix[] = []): Diagnosis | null =>
  sentences.length > 0 ? { sentences, cures } : null;

interface Run {
  readonly machine: CompiledMachine;
  readonly trace: Trace;
}

/** What each track of a part is in at an event that is on record. */
const spansOf = (
  { trace }: Run,
  { index, type }: CompiledPart,
  { timePs, seq }: TraceEvent['record'],
) => type.tracks.flatMap(({ name }) => trace.lane(index, name)?.at(timePs, seq) ?? []);

function spanText({ machine }: Run, part: CompiledPart, { state, from, by }: Span): string {
  const whom = by === null ? undefined : machine.parts[by]?.title;
  return `${part.title}: ${state.title} since ${text(time(from))}${whom ? `, for ${whom}` : ''}.`;
}

/** What is asked over these wires does not hold up an access to memory or to a register. */
const ASIDE = new Set(['irq', 'os', 'contract', 'doorbell', 'allocator']);

/** The parts that serve a part, over the wires at which it asks. */
function servers({ machine }: Run, { index, type }: CompiledPart): CompiledPart[] {
  return type.ports
    .filter(({ role, protocol }) => role === 'client' && !ASIDE.has(protocol))
    .flatMap(({ first, count }) => Array.from({ length: count }, (_, at) => first + at))
    .flatMap((slot) => machine.parts[portOwner(machine, index, slot)] ?? []);
}

/** As many parts on the way as anybody wants to read of. */
const MOST = 3;

/** Those on the way from a part to memory that are busy with something: each with whom it serves, and since when. */
function onTheWay(run: Run, from: CompiledPart, at: TraceEvent['record']): string[] {
  const seen = new Set([from]);
  const found: string[] = [];
  for (let ring = [from]; ring.length > 0 && found.length < MOST; ) {
    ring = ring.flatMap((part) => servers(run, part)).filter((part) => !seen.has(part));
    for (const part of ring) {
      if (seen.has(part)) continue;
      seen.add(part);
      found.push(...spansOf(run, part, at).map((span) => spanText(run, part, span)));
    }
  }
  return found.slice(0, MOST);
}

/** States in which a part can do nothing before others have: hatched as well are those that cost time of its own. */
const WAITING = new Set(['stall', 'load', 'fill', 'miss', 'send', 'wait', 'ring']);

/** A track has just come to a state in which nothing is done: its part waits for those it asks. */
function held(_: TraceQuery, { event, part, record }: TraceEvent, run: Run): Diagnosis | null {
  const track = event.lane?.track;
  const span = track && run.trace.lane(part.index, track)?.at(record.timePs, record.seq);
  const waits = span && span.seq === record.seq && WAITING.has(span.state.name);
  return waits ? says(onTheWay(run, part, record)) : null;
}

/** A bus that nobody may use before another has done: who began the transfer that is going on. */
function busTaken(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const owner = field(told, 'owner');
  const begun = past.last(
    (one) => one.part === told.part && one.event.name === 'start' && field(one, 'master') === owner,
  );
  return (
    begun &&
    says([`${past.sentence(begun)} It has had the bus${since(begun)}.`], cachingFixes(past))
  );
}

/** The adapter has no place for a request: what it is doing with those it has. */
function noCredit(past: TraceQuery, told: TraceEvent, run: Run): Diagnosis | null {
  const adapters = servers(run, told.part);
  const doing = adapters.flatMap((part) =>
    spansOf(run, part, told.record).map((span) => spanText(run, part, span)),
  );
  const places = adapters.map(
    ({ title }) => `All places of ${title} are taken by requests before it.`,
  );
  const way = adapters.flatMap((part) => onTheWay(run, part, told.record));
  return says(
    [...places, ...doing, ...way],
    changed(past, 'io_adapter', 'buffers', 8, ({ title }) => `Let ${title} hold eight requests`),
  );
}

/** The newest record of these that say who has something, unless it was given back after it. */
function holder(
  past: TraceQuery,
  told: TraceEvent,
  takes: string,
  gives: string,
  key: string,
): TraceEvent | null {
  const wanted = field(told, key);
  const last = past.last(
    (one) =>
      one.part === told.part &&
      (one.event.name === takes || one.event.name === gives) &&
      field(one, key) === wanted,
  );
  return last?.event.name === takes ? last : null;
}

function lockTaken(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const has = holder(past, told, 'lock', 'unlock', 'lock');
  return (
    has && {
      sentences: [
        `Thread ${field(has, 'thread')} of CPU ${field(has, 'cpu')} has had lock ${field(has, 'lock')}${since(has)}.`,
      ],
      cures: changed(
        past,
        'kernel',
        'inherit',
        true,
        () => 'Let who has a lock run at the priority of who waits for it',
      ),
    }
  );
}

/** A queue is full while nobody takes anything out of it. */
function queueFull(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const queue = field(told, 'queue');
  const named = (name: string) =>
    past.last(
      (one) => one.part === told.part && one.event.name === name && field(one, 'queue') === queue,
    );
  const [put, got] = [named('put'), named('get')];
  if (!put) return null;
  return says(
    [
      `Queue ${queue} has held ${field(put, 'used')}${since(put)}, which is all it has places for.`,
      got
        ? `The last to take a message out was thread ${field(got, 'thread')}, at ${text(time(got.record.timePs))}.`
        : 'Nobody has taken a message out yet.',
    ],
    changed(past, 'kernel', 'queue_places', 64, () => 'Give queues 64 places'),
  );
}

/** Packets leave a queue when the adapter has sent them and somebody has taken them back. */
function packetsKept(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const queue = field(told, 'queue');
  const of = (name: string) =>
    past.last((one) => one.event.name === name && field(one, 'queue') === queue);
  const [sent, reclaimed] = [of('sent'), of('reclaim')];
  return says(
    [
      sent ? past.sentence(sent) : 'None of its packets has been sent yet.',
      reclaimed
        ? `Packets of this queue were last taken back at ${text(time(reclaimed.record.timePs))}, by CPU ${field(reclaimed, 'cpu')}.`
        : 'Nobody has taken packets of this queue back yet.',
    ],
    changed(past, 'net_driver', 'reclaim', 'same', () => 'Take packets back where they were sent'),
  );
}

function engineTaken(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const done = new Set<number | null>([field(told, 'thread')]);
  const has = past.last((one) => {
    if (one.part !== told.part) return false;
    const thread = field(one, 'thread');
    if (one.event.name === 'return') done.add(thread);
    return one.event.name === 'call' && !done.has(thread);
  });
  return (
    has &&
    says([
      `Thread ${field(has, 'thread')} has asked for ${text(bytes(field(has, 'bytes') ?? 0))}${since(has)}, and its call has not returned.`,
    ])
  );
}

/** What was fetched waits behind writes that came before it: the newest of those that are still to go. */
function behindWrites(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const last = past.last(
    (one) => one.part === told.part && (one.event.name === 'store' || one.event.name === 'posted'),
  );
  return (
    last &&
    says(
      [`${past.sentence(last)} What came before it has to leave before it.`],
      orderingFixes(told.part),
    )
  );
}

function packetMissing(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const expected = field(told, 'expected');
  const seen = past.last((one) => field(one, 'packet') === expected);
  return says(
    [
      seen
        ? `Of packet ${expected} was last heard at ${text(time(seen.record.timePs))}: ${past.sentence(seen)}`
        : `Packet ${expected} has not come yet, or was lost on its way.`,
    ],
    changed(past, 'ethernet', 'swap', 0, () => 'Let packets come in the order they were sent'),
  );
}

function walkGoesOn(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const walk = past.last((one) => one.part === told.part && one.event.name === 'walk');
  return (
    walk &&
    says(
      [past.sentence(walk), `It has been at this${since(walk)}.`],
      changed(past, 'iommu', 'levels', 1, () => 'A table of one level: a walk is one read'),
    )
  );
}

/** A target that says "again": what keeps it. */
function retried(_: TraceQuery, told: TraceEvent, run: Run): Diagnosis | null {
  const { machine, trace } = run;
  const ends = machine.wires.flatMap(({ ends: [a, b] }) =>
    a.part === told.part.index ? [b.part] : b.part === told.part.index ? [a.part] : [],
  );
  const { timePs, seq } = told.record;
  const busy = ends.flatMap((index) => {
    const [part, span] = [machine.parts[index], trace.lane(index, 'reads')?.at(timePs, seq)];
    return part && span ? [{ part, said: spanText(run, part, span) }] : [];
  });
  return says(
    busy.map(({ said }) => said),
    prefetchFixes(busy.map(({ part }) => part)),
  );
}

/** What a row of the I/O TLB holds before anything was loaded. */
const NO_BLOCK = 0xffffffff;

function evicted(past: TraceQuery, told: TraceEvent, { machine }: Run): Diagnosis | null {
  const { tlb } = coherentMachine(machine);
  if (field(told, 'before') === NO_BLOCK)
    return {
      sentences: ['Nobody threw it out: nothing was in this row, so the directory has to be read.'],
      cures: [],
    };
  const chain = field(told, 'chain');
  const load = past.last(
    (one) => one.part === told.part && one.event.name === 'loaded' && field(one, 'chain') === chain,
  );
  if (!load || !tlb) return null;
  const turn = past.last(
    (one) => one.part === told.part && field(one, 'device') !== null,
    load.record.seq,
  );
  const device = turn && tlb.device(field(turn, 'device') ?? -1);
  const who = device !== null ? machine.parts[device]?.title : null;
  return {
    sentences: [
      `Row ${chain} was loaded with block ${field(load, 'block')} at ${text(time(load.record.timePs))}${who ? ` for ${who}` : ''}: that threw out what was there.`,
      'There is one row for each chain, so two streams of one chain take it from each other.',
    ],
    cures: changed(
      past,
      'io_services',
      'allocator',
      'hpux',
      () => 'Let HP-UX’s allocator place buffers, chain after chain',
    ),
  };
}

function contended(past: TraceQuery, told: TraceEvent): Diagnosis {
  const [owner, pool] = [field(told, 'owner'), field(told, 'pool')];
  const taken = past.last(
    (one) =>
      one.event.name === 'acquire' && field(one, 'cpu') === owner && field(one, 'pool') === pool,
  );
  const single = past.parts('iommu_map').filter((map) => settingOf(map, 'pools') === '1');
  return {
    sentences: [`CPU ${owner} has held the lock of pool ${pool}${since(taken)}.`],
    cures: [
      ...single.map(({ name }) => ({
        title: 'Sixteen pools, each with its lock',
        edits: { [`${name}.pools`]: 16 },
      })),
      ...changed(
        past,
        'iommu_map',
        'scope',
        'outside',
        () => 'Call the hypervisor outside the lock',
      ),
    ],
  };
}

/** What each event of a part of a type waits for. */
export const WAIT_RULES: Readonly<
  Record<string, (past: TraceQuery, told: TraceEvent, run: Run) => Diagnosis | null>
> = {
  'processor.state': held,
  'dma_device.state': held,
  'gt.read_state': held,
  'gt.write_state': held,
  'hsc.full': noCredit,
  'io_adapter.miss': evicted,
  'iommu_map.contend': contended,
  'memory_bus.waits': busTaken,
  'kernel.wait': lockTaken,
  'kernel.full': queueFull,
  'net_driver.full': packetsKept,
  'gt_driver.queue': engineTaken,
  'lba.behind': behindWrites,
  'pcix_bridge.behind': behindWrites,
  'tcpip.held': packetMissing,
  'iommu.held_up': walkGoesOn,
  'pci.retried': retried,
};
