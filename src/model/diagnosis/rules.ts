import { RUNWAY_LINE } from '../../engine/gen/constants';
import type { EventWord, MemberName, PartName } from '../../engine/gen/names';
import { type CompiledPart, settingOf } from '../scenario/compiled';
import {
  broken,
  coherenceFixes,
  flushFixes,
  mapForDirectionFix,
  pageEndFixes,
  shorterRing,
  storeBytes,
  tableWalkFixes,
  withoutPrefetchFix,
} from './fixes';
import { readBackFix } from './read-back';
import {
  type Context,
  type FixRule,
  has,
  notHas,
  ofParts,
  type Query,
  type Rule,
  type Sentence,
  span,
} from './rule';
import { field, type TraceEvent } from './trace-query';
import { WAITS } from './waits';

const lineOf = (address: number | null): number => (address ?? 0) - ((address ?? 0) % RUNWAY_LINE);
// Shared queries.

/** The caches that hold the event's line private dirty. */
const dirty: Query = ({ past, event }) => past.dirty(lineOf(field(event, 'address')));

/** The last mapping or unmapping of the event's address. */
const PAGE = 4096;
const turned = (name: Extract<EventWord, 'map' | 'unmap'>): Query => ({
  last: [name],
  where: (one, { event }) => {
    const [address, from] = [field(event, 'address') ?? 0, field(one, 'address') ?? 0];
    return address >= from && address < from + (field(one, 'pages') ?? 0) * PAGE;
  },
});

/** The event at the place that a device's write reached through a stale translation. */
const misdirectedWrite = (write: 'got' | 'wanted'): Query => ({
  last: ['overwritten'],
  where: (one, { event }) =>
    one.part.type.name === 'memory_controller' && field(one, 'write') === field(event, write),
});

/** Events by which a unit reports the use of a stale translation. */
const STALE: Readonly<Partial<Record<PartName, readonly EventWord[]>>> = {
  iommu: ['stale', 'gone'],
  io_adapter: ['astray', 'gone'],
};

const usedTranslation: Query = {
  last: ['stale', 'gone', 'astray'],
  where: ({ part, event }) => (STALE[part.type.name] ?? []).includes(event.name),
};

// Shared sentences that are more than templates.

/** Non-snooping adapters, if the mode says so. */
const notCoherent: Sentence = ({ past }) =>
  past.parts('io_adapter').flatMap((adapter) => {
    const mode = settingOf(adapter, 'mode');
    return mode === 'none'
      ? [`${adapter.title} is not coherent: it does not snoop, and invalidates no cache lines.`]
      : [];
  });

const hasServices = ({ past }: Context) => past.parts('io_services').length > 0;

/** The event happened after another one that was found. */
const isAfter =
  (one: string, other: string) =>
  ({ found }: Context): boolean =>
    (found[one]?.[0]?.record.seq ?? -1) > (found[other]?.[0]?.record.seq ?? Number.MAX_VALUE);

const staleTranslation = (events: Rule['events']): readonly Rule[] => [
  {
    events,
    is: 'wrong',
    find: { taken: turned('unmap'), old: { last: ['old_entry'], here: true } },
    needs: ['taken', 'old'],
    if: isAfter('old', 'taken'),
    say: [
      '{taken.part} took the page back {taken.at}.',
      'The translation was purged; {old.at} {old.part} read the entry again, past the caches, and got the old version from memory.',
    ],
    fixes: [ofParts(tableWalkFixes)],
  },
  {
    events,
    is: 'wrong',
    find: { taken: turned('unmap'), forgotten: { last: ['flush', 'purged'] } },
    say: [
      '{taken.part} took the page back {taken.at}.',
      { say: 'The page was taken back before.', if: notHas('taken') },
      {
        say: 'The purge {forgotten.at} was of another translation.',
        if: isAfter('forgotten', 'taken'),
      },
      {
        say: 'No purge followed: {part} still has the old translation.',
        if: (context) => !isAfter('forgotten', 'taken')(context),
      },
    ],
    fixes: [ofParts(flushFixes)],
  },
];

/** The last call of dma_sync for the event's address. */
const synced: Query = {
  last: ['sync'],
  where: (one, { event }) => {
    const [address, from] = [field(event, 'address') ?? 0, field(one, 'address') ?? 0];
    return address >= from && address < from + (field(one, 'bytes') ?? 0);
  },
};

const isLine = (one: TraceEvent, { event }: Context): boolean =>
  lineOf(field(one, 'address')) === lineOf(field(event, 'address'));

const DIRTY_SINCE =
  '{holders.part} has held this line private dirty {holders.since}: {wanted:write} is there, and not in memory.';

const OLD_DATA: readonly Rule[] = [
  {
    events: ['io_adapter.stale', 'io_adapter.torn'],
    is: 'wrong',
    find: { translated: { last: ['hit', 'loaded', 'astray'], here: true } },
    if: ({ found }) => found.translated?.[0]?.event.name === 'astray',
    say: [{ follow: 'translated' }],
    fixes: [{ follow: 'translated' }],
  },
  {
    events: ['io_adapter.stale', 'io_adapter.torn'],
    is: 'wrong',
    find: {
      holders: dirty,
      ahead: {
        last: ['prefetch'],
        here: true,
        where: (one, context) =>
          isLine(one, context) && one.record.timePs < context.event.record.timePs,
      },
      synced,
    },
    say: [
      DIRTY_SINCE,
      notCoherent,
      '{ahead.part} had prefetched the line {ahead.at}, and is not notified of later writes. Without prefetch it fetches a line when the device reads it.',
      {
        say: 'No dma_sync of these bytes came before.',
        if: (context) =>
          notHas('ahead')(context) && hasServices(context) && notHas('synced')(context),
      },
      {
        say: 'The last dma_sync of these bytes was {synced.at}, before that.',
        if: (context) => {
          const { holders = [], synced: last = [] } = context.found;
          const since = (holders[0] ?? context.event).record.timePs;
          const isBefore = (last[0]?.record.timePs ?? since) < since;
          return notHas('ahead')(context) && hasServices(context) && isBefore;
        },
      },
    ],
    fixes: [
      (context) => (has('ahead')(context) ? withoutPrefetchFix(context.run) : []),
      ({ past }) =>
        coherenceFixes(past, [['io_services.flush_out', 'Flush before a device reads']]),
    ],
  },
  {
    events: ['snoop_cache.stale'],
    is: 'wrong',
    find: { covered: misdirectedWrite('got') },
    needs: ['covered'],
    say: ['A device wrote it {covered.at}.', { follow: 'covered' }],
    fixes: [{ follow: 'covered' }],
  },
  {
    events: ['snoop_cache.stale'],
    is: 'wrong',
    find: { missed: misdirectedWrite('wanted') },
    needs: ['missed'],
    say: [
      '{wanted:write} was intended for this address.',
      'A device wrote it {missed.at}.',
      { follow: 'missed' },
    ],
    fixes: [{ follow: 'missed' }],
  },
  {
    events: ['snoop_cache.stale'],
    is: 'wrong',
    find: {
      filled: { last: ['filled'], here: true, where: isLine },
      // A device writes both halves of a line at once, but reports only the first.
      written: {
        last: ['write'],
        where: (one, { event }) => {
          const wanted = field(event, 'wanted') ?? 0;
          return [wanted, wanted - 1].includes(field(one, 'write') ?? -1);
        },
      },
    },
    say: [
      '{filled.part} has had its copy {filled.since}.',
      { say: '{part} used its own copy without a bus transaction.', if: notHas('filled') },
      '{written.part} made {wanted:write} to memory {written.at}.',
      notCoherent,
    ],
    fixes: [
      ({ past }) =>
        coherenceFixes(past, [
          ['io_services.purge_in', 'Purge before a device writes'],
          ['io_services.second_purge', 'Purge once more after it wrote'],
        ]),
    ],
  },
];

const discarded = (events: Rule['events'], fixes: readonly FixRule[]): Rule => ({
  events,
  is: 'wrong',
  find: {
    holder: ({ past, event }) => {
      const found = past.lineOf(lineOf(field(event, 'address')), event.part, 'private_dirty');
      return found ? [found] : [];
    },
  },
  say: [
    '{part} held the line private dirty[ {holder.since}]: {lost:write} was nowhere else.',
    'A flush would have written it to memory; a purge, and a write of half the line, throw it away.',
  ],
  fixes,
});

const LOST_DATA: readonly Rule[] = [
  {
    events: ['memory_controller.lost'],
    is: 'wrong',
    find: {
      holder: ({ past, event }) => {
        const found = past.lineOf(lineOf(field(event, 'address')));
        return found ? [found] : [];
      },
    },
    say: [
      '{holder.part} still held the line from before {newest:write}, and wrote it back: {old:write} is older.',
      notCoherent,
    ],
    fixes: [
      ({ past }) =>
        coherenceFixes(past, [['io_services.purge_in', 'Purge before a device writes']]),
    ],
  },
  discarded(['snoop_cache.discarded'], [ofParts(broken)]),
  discarded(['snoop_cache.neighbour'], [({ run }) => mapForDirectionFix(run), ofParts(broken)]),
];

/** Each word that a device posts is a separate write. */
const WORD_BYTES = 4;

const TRANSLATION: readonly Rule[] = [
  ...staleTranslation(['io_adapter.gone', 'io_adapter.astray', 'iommu.gone', 'iommu.stale']),
  {
    events: ['iommu.old_entry'],
    is: 'wrong',
    find: { holders: dirty },
    say: [
      '{holders.part} has held this line of the table private dirty {holders.since}.',
      'Walks of {part} are not snooped, and the line was not flushed.',
    ],
    fixes: [ofParts(tableWalkFixes)],
  },
  {
    events: ['memory_controller.overwritten', 'memory.overwritten', 'memory.given_away'],
    is: 'wrong',
    find: { used: usedTranslation },
    needs: ['used'],
    say: [
      'The device used bus address {used.address:address}, and {used.part} translated it to this address.',
      { follow: 'used' },
      {
        say: 'The reader of {lost:write} will get the device’s data instead.',
        if: ({ event }) => Boolean(field(event, 'lost')),
      },
      {
        say: 'The requested data is {wanted:write}.',
        if: ({ event }) => Boolean(field(event, 'wanted')),
      },
    ],
    fixes: [{ follow: 'used' }],
  },
  {
    events: ['memory.old'],
    is: 'wrong',
    find: { placed: { last: ['overwritten'], here: true } },
    say: ['A device wrote it {placed.at}.', { follow: 'placed' }],
    fixes: [{ follow: 'placed' }],
  },
  {
    events: ['io_adapter.fault', 'iommu.fault'],
    is: 'wrong',
    find: { given: turned('map'), taken: turned('unmap') },
    values: {
      before: ({ event, found }) =>
        span(event.record.timePs - (found.taken?.[0]?.record.timePs ?? 0)),
    },
    say: [
      '{taken.part} took the page back {taken.at}, {before} before the device’s access.',
      {
        say: '{given.part} mapped the page {given.at}; its entry is not valid.',
        if: notHas('taken'),
      },
      {
        say: 'This address was never mapped.',
        if: (context) => notHas('taken')(context) && notHas('given')(context),
      },
      'The fault protected memory.',
    ],
    fixes: [ofParts(pageEndFixes), ofParts(broken)],
  },
];

const BRIDGES: readonly Rule[] = [
  {
    events: ['lba.stale', 'hsc_pci.stale'],
    is: 'wrong',
    find: {
      here: {
        last: ['here'],
        here: true,
        where: (one, { event }) => {
          const address = field(event, 'address') ?? 0;
          const bytes = Number(settingOf(event.part, 'line') ?? RUNWAY_LINE);
          return field(one, 'address') === address - (address % bytes);
        },
      },
    },
    needs: ['here'],
    say: [
      '{part} has had this line {here.since}, and is not notified of later writes.',
      {
        say: 'The writer did not wait until the device had read it.',
        if: ({ past }) => broken(past).length === 0,
      },
    ],
    fixes: [ofParts(broken)],
  },
  {
    events: ['memory_controller.overtaken', 'memory.overtaken'],
    is: 'wrong',
    find: {
      posted: {
        last: ['posted'],
        where: (one, { event }) => {
          const [write, first] = [field(event, 'write') ?? 0, field(one, 'write') ?? 0];
          return write >= first && write < first + (field(one, 'bytes') ?? 0) / WORD_BYTES;
        },
      },
      interrupt: { last: ['interrupted'] },
    },
    say: [
      '{posted.part} took {write:write} {posted.at} as a posted write.',
      '{interrupt.part} took an interrupt {interrupt.at}.',
      'The interrupt overtook the posted write: its line goes straight to the processor and does not wait for what bridges hold.',
      'Read a register of the device first: its value comes back behind the posted writes. Or send the interrupt as a write behind the data, as MSI does.',
    ],
    fixes: [
      ({ run, found: { posted = [], interrupt = [] } }) =>
        interrupt[0] && posted[0] ? readBackFix(run, interrupt[0].part, posted[0].part) : [],
    ],
  },
];

// A card's memory lags behind: its writes travel round the ring, and other nodes write as well.

/** Time between the card's acceptance of the write and the read. */
const passed = ({ event, found }: Context): number => {
  const [taken, answer] = [found.taken?.[0], found.answer?.[0]];
  const shown = taken && event.part === taken.part ? event : (answer ?? event);
  return shown.record.timePs - (taken?.record.timePs ?? 0);
};

const RING: readonly Rule[] = [
  {
    events: ['gt.lost'],
    is: 'wrong',
    find: {
      came: {
        last: ['update'],
        here: true,
        where: (one, { event }) => field(one, 'write') === field(event, 'lost'),
      },
      moved: { last: ['complete'], here: true, before: 'came' },
    },
    values: {
      when: ({ found: { moved = [] } }) => (moved[0] ? span(moved[0].record.timePs) : null),
    },
    say: [
      'The whole word was read by {when}, as {read:write} had left it.',
      "{came.at} another node's {lost:write} arrived, and the word was not read again.",
      'DMA moves whole words: to change one byte it writes the other three back as they were read.',
    ],
    fixes: [({ run }) => storeBytes(run)],
  },
  {
    events: ['gt.torn'],
    is: 'wrong',
    find: {
      begun: {
        last: ['command'],
        here: true,
        where: (one) =>
          one.part.type.enums.engine?.[field(one, 'engine') ?? -1]?.name ===
          ('read' satisfies MemberName),
      },
    },
    say: [
      'The DMA read engine of {part} was started for {begun.bytes:bytes} {begun.at}, and had reached {address:address}.',
      {
        say: 'The DMA read engine of {part} was moving data, and had reached {address:address}.',
        if: notHas('begun'),
      },
      "{now} another node's {write:write} arrived there: it is a single write for the node that made it, but memory is not locked while an engine reads.",
      'A counter before and after the data, written by the other node, would let the reader detect this.',
    ],
    values: { now: ({ event }) => `at ${span(event.record.timePs)}` },
  },
  {
    events: ['gt.old', 'processor.stale'],
    is: 'wrong',
    find: {
      taken: {
        last: ['accept'],
        where: (one, { event }) => field(one, 'write') === field(event, 'wanted'),
      },
      answer: {
        last: ['answer'],
        where: (one, { found }) => one.part === found.taken?.[0]?.part,
      },
    },
    needs: ['taken'],
    if: ({ past }) => past.parts('ring').length > 0,
    values: {
      nodes: ({ past }) =>
        (past.parts('ring')[0] && settingOf(past.parts('ring')[0] as CompiledPart, 'nodes')) ??
        null,
      latency: ({ past }) => span(latencyOf(past.parts('ring')[0])),
      round: ({ past }) => {
        const [ring] = past.parts('ring');
        return span(latencyOf(ring) * Number(ring && settingOf(ring, 'nodes')));
      },
      passed: (context) => span(passed(context)),
    },
    say: [
      '{taken.part} took {wanted:write} {taken.at}, and shows it after its round trip on the ring.',
      'That takes at least {round}: {nodes} nodes, {latency} each. The read came after {passed}.',
    ],
    fixes: [(context) => shorterRing(context.past, passed(context))],
  },
];

function latencyOf(ring: CompiledPart | undefined): number {
  return Number(ring && settingOf(ring, 'node_latency'));
}

export const RULES: readonly Rule[] = [
  ...OLD_DATA,
  ...LOST_DATA,
  ...TRANSLATION,
  ...BRIDGES,
  ...RING,
  ...WAITS,
];
