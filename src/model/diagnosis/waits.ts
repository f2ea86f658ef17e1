/**
 * Rules for waits: the owner of a bus or lock, the part that fills a queue, or the read or walk that must finish
 * first. A wait depends on simultaneous activity of other parts, so the causal chain does not contain its reason.
 */
import { text, time } from '../../base/format';
import type { EventWord, MemberName, ProtocolName } from '../../engine/gen/names';
import { coherentMachine } from '../coherence/coherence-roles';
import { type CompiledPart, settingOf } from '../scenario/compiled';
import { portOwner } from '../trace/event-text';
import type { Span } from '../trace/lane';
import { cachingFixes, orderingFixes, prefetchFixes } from './fixes';
import { type Context, notHas, ofParts, type Query, type Rule } from './rule';
import { field, type TraceEvent } from './trace-query';

/** The state of each track of a part at an event. */
const spansOf = (
  { trace }: Context,
  { index, type }: CompiledPart,
  { timePs, seq }: TraceEvent['record'],
) => type.tracks.flatMap(({ name }) => trace.lane(index, name)?.at(timePs, seq) ?? []);

function spanText(
  { run: { machine } }: Context,
  part: CompiledPart,
  { state, from, by }: Span,
): string {
  const whom = by === null ? undefined : machine.parts[by]?.title;
  return `${part.title}: ${state.title} since ${text(time(from))}${whom ? `, for ${whom}` : ''}.`;
}

/** Protocols that do not delay an access to memory or to a register. */
const ASIDE = new Set<string>([
  'irq',
  'os',
  'contract',
  'doorbell',
  'allocator',
] satisfies ProtocolName[]);

/** The parts that serve a part's requests. */
function servers({ run: { machine } }: Context, { index, type }: CompiledPart): CompiledPart[] {
  return type.ports
    .filter(({ role, protocol }) => role === 'client' && !ASIDE.has(protocol))
    .flatMap(({ first, count }) => Array.from({ length: count }, (_, at) => first + at))
    .flatMap((slot) => machine.parts[portOwner(machine, index, slot)] ?? []);
}

/** Maximum number of parts listed. */
const MAX_LISTED = 3;

/** Busy parts between a part and memory, each with its initiator and the start time. */
function onTheWay(run: Context, from: CompiledPart, at: TraceEvent['record']): string[] {
  const seen = new Set([from]);
  const found: string[] = [];
  for (let ring = [from]; ring.length > 0 && found.length < MAX_LISTED; ) {
    ring = ring.flatMap((part) => servers(run, part)).filter((part) => !seen.has(part));
    for (const part of ring) {
      if (seen.has(part)) continue;
      seen.add(part);
      found.push(...spansOf(run, part, at).map((span) => spanText(run, part, span)));
    }
  }
  return found.slice(0, MAX_LISTED);
}

/** States in which a part can only wait for others. (States that cost its own time are hatched as well.) */
const WAITING = new Set<MemberName>(['stall', 'load', 'fill', 'miss', 'send', 'wait', 'ring']);

/** Whether a track has just entered a waiting state. */
const isHeld = ({ event: { event, part, record }, trace }: Context): boolean => {
  const track = event.lane?.track;
  const now = track && trace.lane(part.index, track)?.at(record.timePs, record.seq);
  return Boolean(now && now.seq === record.seq && WAITING.has(now.state.name));
};

/** Parts behind a target that retries, if they are fetching data for a read. */
function fetching(context: Context): { readonly part: CompiledPart; readonly state: string }[] {
  const { event, trace, run } = context;
  const { timePs, seq } = event.record;
  return run.machine.wires
    .flatMap(({ ends: [a, b] }) =>
      a.part === event.part.index ? [b.part] : b.part === event.part.index ? [a.part] : [],
    )
    .flatMap((index) => {
      const [part, now] = [run.machine.parts[index], trace.lane(index, 'reads')?.at(timePs, seq)];
      return part && now ? [{ part, state: spanText(context, part, now) }] : [];
    });
}

/** The owner of a lock: its newest record, unless it was released after that. */
const lockOwner: Query = ({ past, event }) => {
  const last = past.last(
    (one) =>
      one.part === event.part &&
      (['lock', 'unlock'] satisfies EventWord[]).some((name) => name === one.event.name) &&
      field(one, 'lock') === field(event, 'lock'),
  );
  return last?.event.name === 'lock' ? [last] : [];
};

/** The newest call that has not returned. */
const openCall: Query = ({ past, event }) => {
  const done = new Set<number | null>([field(event, 'thread')]);
  const call = past.last((one) => {
    if (one.part !== event.part) return false;
    const thread = field(one, 'thread');
    if (one.event.name === 'return') done.add(thread);
    return one.event.name === 'call' && !done.has(thread);
  });
  return call ? [call] : [];
};

/** Contents of an I/O TLB row before anything was loaded. */
const NO_BLOCK = 0xffffffff;
const isFirstLoad = ({ event }: Context): boolean => field(event, 'before') === NO_BLOCK;

/** The part for which the row of the I/O TLB was loaded. */
function loadedFor({ past, event, found, run: { machine } }: Context): string | null {
  const turn = past.last(
    (one) => one.part === event.part && field(one, 'device') !== null,
    found.load?.[0]?.record.seq,
  );
  const device = turn && coherentMachine(machine).tlb?.device(field(turn, 'device') ?? -1);
  return (device !== null && device !== undefined && machine.parts[device]?.title) || null;
}

export const WAITS: readonly Rule[] = [
  {
    events: ['processor.state', 'dma_device.state', 'gt.read_state', 'gt.write_state'],
    is: 'wait',
    if: isHeld,
    say: [(context) => onTheWay(context, context.event.part, context.event.record)],
  },
  {
    events: ['hsc.full'],
    is: 'wait',
    say: [
      (context) => {
        const adapters = servers(context, context.event.part);
        const { record } = context.event;
        return [
          ...adapters.map(({ title }) => `All slots of ${title} are taken by earlier requests.`),
          ...adapters.flatMap((part) =>
            spansOf(context, part, record).map((now) => spanText(context, part, now)),
          ),
          ...adapters.flatMap((part) => onTheWay(context, part, record)),
        ];
      },
    ],
    fixes: [{ set: 'io_adapter.buffers', to: 8, title: 'Let {part} hold eight requests' }],
  },
  {
    events: ['io_adapter.miss'],
    is: 'wait',
    if: isFirstLoad,
    say: ['Nothing was evicted: the row was empty, so the directory has to be read.'],
  },
  {
    events: ['io_adapter.miss'],
    is: 'wait',
    find: { load: { last: ['loaded'], here: true, same: ['chain'] } },
    needs: ['load'],
    if: ({ run }) => coherentMachine(run.machine).tlb !== null,
    values: { who: loadedFor },
    say: [
      'Row {chain} was loaded with block {load.block} {load.at}[ for {who}]: this evicted the previous block.',
      'There is one row per chain, so two streams of one chain evict each other.',
    ],
    fixes: [
      {
        set: 'io_services.allocator',
        to: 'hpux',
        title: 'Let HP-UX’s allocator place buffers, chain after chain',
      },
    ],
  },
  {
    events: ['iommu_map.contend'],
    is: 'wait',
    find: {
      taken: {
        last: ['acquire'],
        same: ['pool'],
        where: (one, { event }) => field(one, 'cpu') === field(event, 'owner'),
      },
    },
    say: ['CPU {owner} has held the lock of pool {pool}[ {taken.since}].'],
    fixes: [
      ({ past }) =>
        past
          .parts('iommu_map')
          .filter((map) => settingOf(map, 'pools') === '1')
          .map(({ name }) => ({
            title: 'Sixteen pools, each with its lock',
            edits: { [`${name}.pools`]: 16 },
          })),
      { set: 'iommu_map.scope', to: 'outside', title: 'Call the hypervisor outside the lock' },
    ],
  },
  {
    events: ['memory_bus.waits'],
    is: 'wait',
    find: {
      begun: {
        last: ['start'],
        here: true,
        where: (one, { event }) => field(one, 'master') === field(event, 'owner'),
      },
    },
    say: ['{begun.sentence} It has had the bus {begun.since}.'],
    fixes: [ofParts(cachingFixes)],
  },
  {
    events: ['kernel.wait'],
    is: 'wait',
    find: { owner: lockOwner },
    say: ['Thread {owner.thread} of CPU {owner.cpu} has had lock {owner.lock} {owner.since}.'],
    fixes: [
      {
        set: 'kernel.inherit',
        to: true,
        title: 'Let the owner of a lock inherit the priority of its waiters',
      },
    ],
  },
  {
    events: ['kernel.full'],
    is: 'wait',
    find: {
      put: { last: ['put'], here: true, same: ['queue'] },
      got: { last: ['get'], here: true, same: ['queue'] },
    },
    needs: ['put'],
    say: [
      'Queue {queue} has held {put.used} {put.since}, its maximum.',
      'The last to take out a message was thread {got.thread}, {got.at}.',
      { say: 'No message has been taken out yet.', if: notHas('got') },
    ],
    fixes: [{ set: 'kernel.queue_places', to: 64, title: 'Give queues 64 places' }],
  },
  {
    events: ['net_driver.full'],
    is: 'wait',
    find: {
      sent: { last: ['sent'], same: ['queue'] },
      reclaimed: { last: ['reclaim'], same: ['queue'] },
    },
    say: [
      '{sent.sentence}',
      { say: 'None of its packets has been sent yet.', if: notHas('sent') },
      'Packets of this queue were last reclaimed {reclaimed.at}, by CPU {reclaimed.cpu}.',
      { say: 'No packets of this queue have been reclaimed yet.', if: notHas('reclaimed') },
    ],
    fixes: [
      { set: 'net_driver.reclaim', to: 'same', title: 'Reclaim packets on the CPU that sent them' },
    ],
  },
  {
    events: ['gt_driver.queue'],
    is: 'wait',
    find: { call: openCall },
    say: [
      'Thread {call.thread} has asked for {call.bytes:bytes} {call.since}, and its call has not returned.',
    ],
  },
  {
    events: ['lba.behind', 'pcix_bridge.behind'],
    is: 'wait',
    find: { before: { last: ['store', 'posted'], here: true } },
    say: ['{before.sentence} Earlier items have to leave first.'],
    fixes: [({ event }) => orderingFixes(event.part)],
  },
  {
    events: ['tcpip.held'],
    is: 'wait',
    find: {
      seen: ({ past, event }) => {
        const last = past.last((one) => field(one, 'packet') === field(event, 'expected'));
        return last ? [last] : [];
      },
    },
    say: [
      'The last event of packet {expected} was {seen.at}: {seen.sentence}',
      {
        say: 'Packet {expected} has not arrived yet, or was lost.',
        if: notHas('seen'),
      },
    ],
    fixes: [
      {
        set: 'ethernet.swap',
        to: 0,
        title: 'Let packets arrive in the order in which they were sent',
      },
    ],
  },
  {
    events: ['iommu.held_up'],
    is: 'wait',
    find: { walk: { last: ['walk'], here: true } },
    say: ['{walk.sentence}', 'It has been in progress[ {walk.since}].'],
    needs: ['walk'],
    fixes: [{ set: 'iommu.levels', to: 1, title: 'A table of one level: a walk is one read' }],
  },
  {
    events: ['pci.retried'],
    is: 'wait',
    say: [(context) => fetching(context).map(({ state }) => state)],
    fixes: [(context) => prefetchFixes(fetching(context).map(({ part }) => part))],
  },
];
