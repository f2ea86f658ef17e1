/** Standard configurations of exhaustive exploration. */
import type { PacketShape } from './environments';
import type { Setup } from './proof-scenario';

export interface Proof extends Setup {
  readonly name: string;
  /** Short description of the machine. */
  readonly title: string;
  /** One sentence on what it covers. */
  readonly covers: string;
  /** Pinned numbers of states and transitions; null if no test runs it. */
  readonly pinned: { readonly states: number; readonly transitions: number } | null;
}

/** Contracts of a card's mappings, as bits: outbound, inbound, first half of a line, both directions. */
const ALL = 0b11110;
const COHERENT = { adapter: 'coherent' } as const;
const ALONE = { adapter: 'none' } as const;
/**
 * A card behind a rope that reads with Read Current; and one that interrupts and whose lines stay in the I/O cache.
 */
const ROPE = { between: 'rope', cpus: 1, lines: 1, reads: 'current', kept: 1 } as const;
const IO_CACHE = { between: 'rope', interrupts: true, flags: false } as const;
const HANDED_ON: PacketShape = { packets: 3, ring: 2, offload: true, copies: [0, 0] };

/** Caches that hold packets and do not snoop, and a driver that keeps them coherent. */
export const NON_SNOOPING_CACHES = { uncached: '0 B', snoops: false };
const MANUAL_PURGES = {
  main_cache: NON_SNOOPING_CACHES,
  io_cache: NON_SNOOPING_CACHES,
  tcpip: { purges: true, flushes: true },
};

export const PROOFS: readonly Proof[] = [
  {
    name: 'processors-2x1',
    title: '2 CPUs, 1 line',
    covers: 'Two processors and one line: the protocol itself.',
    pinned: { states: 457, transitions: 1478 },
    shape: { cpus: 2, lines: 1 },
  },
  {
    name: 'processors-2x2',
    title: '2 CPUs, 2 lines',
    covers: 'Two processors and two lines that share nothing.',
    pinned: { states: 22849, transitions: 81328 },
    shape: { cpus: 2, lines: 2 },
  },
  {
    name: 'processors-3x1',
    title: '3 CPUs, 1 line',
    covers: 'Three processors and one line.',
    pinned: { states: 9555, transitions: 37302 },
    shape: { cpus: 3, lines: 1 },
  },
  {
    name: 'orders-2x1',
    title: '2 CPUs that flush and purge',
    covers: 'Two processors that may flush and purge at any time, and one line.',
    pinned: { states: 1869, transitions: 5784 },
    shape: { cpus: 2, lines: 1, orders: true },
  },
  {
    name: 'orders-2x1-posted',
    title: '2 CPUs that do not wait for flushes',
    covers: 'The same, but a processor continues while up to two flushes or purges are pending.',
    pinned: { states: 149848, transitions: 629934 },
    shape: { cpus: 2, lines: 1, orders: true },
    params: { cache: { orders: '2' } },
  },
  {
    name: 'write-through-2x1',
    title: '2 write-through caches',
    covers: 'Two processors and one line that store through their caches, flush and purge.',
    pinned: { states: 4823, transitions: 17538 },
    shape: { cpus: 2, lines: 1, orders: true },
    params: { cache: { policy: 'write_through', stores: '2' } },
  },
  {
    name: 'store-queue-2x1',
    title: '2 CPUs with a store queue',
    covers: 'Two processors and one line; they do not wait for their stores.',
    pinned: { states: 2463, transitions: 12292 },
    shape: { cpus: 2, lines: 1 },
    params: { cache: { store_queue: '1' } },
  },
  {
    name: 'store-queue-2x1-orders',
    title: 'A store queue beside flushes',
    covers: 'The same, but both may flush and purge at any time.',
    pinned: { states: 11703, transitions: 47266 },
    shape: { cpus: 2, lines: 1, orders: true },
    params: { cache: { store_queue: '1' } },
  },
  {
    name: 'store-queue-2x2',
    title: 'A store queue and 2 lines',
    covers:
      'Two processors and two lines, where an access to the one could pass a store to the other.',
    pinned: { states: 781333, transitions: 4261948 },
    shape: { cpus: 2, lines: 2 },
    params: { cache: { store_queue: '1' } },
  },
  {
    name: 'store-queue-2x2-deep',
    title: 'A store queue of 2 lines',
    covers: 'The same with a place for both lines; processors store to first halves.',
    pinned: { states: 86201, transitions: 442060 },
    shape: { cpus: 2, lines: 2, firstHalf: true },
    params: { cache: { store_queue: '2' } },
  },
  {
    name: 'assist-2x2',
    title: '2 CPUs with an assist cache',
    covers: 'Two processors that prefetch the next line into an assist cache of one line.',
    pinned: { states: 784309, transitions: 3388608 },
    shape: { cpus: 2, lines: 2, speculate: 2 },
    params: { cache: { assist: '1' } },
  },
  {
    name: 'coherent-1x1',
    title: '1 CPU, 1 line, adapter',
    covers: 'One processor, one line, the adapter with every attribute, map and unmap.',
    pinned: { states: 6934, transitions: 20416 },
    shape: { cpus: 1, lines: 1, ...COHERENT },
  },
  {
    name: 'coherent-1x1-end',
    title: 'The last line of a page',
    covers: 'The same with the last line of a page.',
    pinned: { states: 5326, transitions: 14993 },
    shape: { cpus: 1, lines: 1, atEnd: true, ...COHERENT },
  },
  {
    name: 'coherent-1x2',
    title: '1 CPU, 2 lines, adapter',
    covers: 'One processor, two neighbouring lines, and the adapter.',
    pinned: { states: 262508, transitions: 917376 },
    shape: { cpus: 1, lines: 2, ...COHERENT },
  },
  {
    name: 'coherent-2x1',
    title: '2 CPUs, 1 line, adapter',
    covers: 'Two processors, one line, the adapter with every attribute, map and unmap.',
    pinned: { states: 117084, transitions: 490482 },
    shape: { cpus: 2, lines: 1, ...COHERENT },
  },
  {
    name: 'coherent-2x2-page',
    title: '2 CPUs, 2 lines of a page',
    covers:
      'Two processors, two lines of one page, and the adapter; processors store to first halves.',
    pinned: { states: 4031655, transitions: 18485093 },
    shape: { cpus: 2, lines: 2, ...COHERENT, firstHalf: true },
  },
  {
    name: 'coherent-2x2-pages',
    title: '2 CPUs, 2 pages',
    covers: 'The same with the last line of a page and the first of the next.',
    pinned: { states: 3249481, transitions: 15175835 },
    shape: { cpus: 2, lines: 2, atEnd: true, ...COHERENT, firstHalf: true },
  },
  {
    name: 'noncoherent-2x1',
    title: '2 CPUs, adapter does not snoop',
    covers:
      'Two processors, one line, an adapter that does not snoop, and a driver that flushes and purges.',
    pinned: { states: 1398, transitions: 4581 },
    shape: { cpus: 2, lines: 1, ...ALONE },
  },
  {
    name: 'noncoherent-1x2',
    title: 'Speculation beside a buffer',
    covers: 'One processor that speculates, and a buffer beside the line it works on.',
    pinned: { states: 3693, transitions: 10897 },
    shape: { cpus: 1, lines: 2, ...ALONE, speculate: 2, pending: 2 },
  },
  {
    name: 'card-1x1',
    title: 'A card behind a PCI bridge',
    covers:
      'One processor, one line, and a card behind PCI, the bridge and HSC: commands, delayed reads, posted writes, status and interrupts.',
    pinned: { states: 311488, transitions: 1060380 },
    shape: { cpus: 1, lines: 1, ...COHERENT, card: ALL },
  },
  {
    name: 'card-2x1',
    title: 'A card and 2 CPUs',
    covers: 'Two processors and the card, with mappings that it only writes to.',
    pinned: { states: 32147, transitions: 119861 },
    shape: { cpus: 2, lines: 1, ...COHERENT, card: 0b100 },
  },
  {
    name: 'ranges-1x2',
    title: 'Two mappings, purged at unmap',
    covers: 'Two pages, each mapped by HP-UX at any time, and a device that reads through both.',
    pinned: { states: 422, transitions: 824 },
    shape: { cpus: 1, lines: 2, ...COHERENT, pages: 'own' },
  },
  {
    name: 'pools-1x2',
    title: 'Two mappings, flushed lazily',
    covers:
      'The same with addresses from the pooled library: three of them, and a flush only where its rule asks for one.',
    pinned: { states: 2563, transitions: 4930 },
    shape: { cpus: 1, lines: 2, ...COHERENT, pages: 'pooled' },
  },
  {
    name: 'walks-1x2',
    title: 'A table in memory, walked past caches',
    covers:
      'Two pages, each mapped at any time, and a device behind an IOMMU that reads its table past the caches: entries are stored, flushed and purged, and a page is taken back while the device is using it.',
    pinned: { states: 221505, transitions: 446610 },
    shape: { cpus: 1, lines: 2, pages: 'pooled', walks: 'past' },
  },
  {
    name: 'walks-snooped',
    title: 'A table in memory, walks snooped',
    covers: 'The same with walks that caches answer, and entries that are not flushed.',
    pinned: { states: 175737, transitions: 345878 },
    shape: { cpus: 1, lines: 2, pages: 'pooled', walks: 'snooped' },
  },
  {
    name: 'packets-uni',
    title: '3 packets, 1 CPU',
    covers: 'Adapter, interrupts, I/O thread and application on one processor; one copy.',
    pinned: { states: 7236, transitions: 13154 },
    shape: { ...HANDED_ON, offload: false, copies: [1, 0] },
  },
  {
    name: 'packets-copied',
    title: '3 packets, 2 CPUs, copied twice',
    covers: 'An I/O processor copies each packet into a message, the application out of it.',
    pinned: { states: 96006, transitions: 251897 },
    shape: { ...HANDED_ON, copies: [1, 1] },
  },
  {
    name: 'packets-pointer',
    title: '3 packets, 2 CPUs, an address',
    covers: 'Messages hold an address, and the application copies.',
    pinned: { states: 20008, transitions: 53536 },
    shape: { ...HANDED_ON, copies: [0, 1] },
  },
  {
    name: 'packets-cached',
    title: '3 packets, 2 CPUs with caches',
    covers:
      'Packets are cached, and neither cache snoops: each processor purges what it is about to read, and the I/O processor flushes what it copied.',
    pinned: { states: 76302, transitions: 201837 },
    shape: { ...HANDED_ON, copies: [1, 0] },
    params: MANUAL_PURGES,
  },
  {
    name: 'packets-shared',
    title: '3 packets, 2 CPUs, in place',
    covers: 'One address space: the application reads the buffer that the adapter filled.',
    pinned: { states: 12360, transitions: 32633 },
    shape: HANDED_ON,
  },
  {
    name: 'lock-1x3',
    title: '3 threads, 1 lock',
    covers:
      'Three threads of one processor by priority, with inheritance: the threads of the lowest and the highest priority share a lock, the one between does not.',
    pinned: { states: 1072, transitions: 1401 },
    shape: { rounds: 2, apart: false },
  },
  {
    name: 'lock-2x3',
    title: '3 threads, 1 lock, 2 CPUs',
    covers: 'The same with the thread of the highest priority on a processor of its own.',
    pinned: { states: 4946, transitions: 10260 },
    shape: { rounds: 2, apart: true },
  },
  {
    name: 'bridge-order',
    title: 'A host, a bridge, a card',
    covers:
      'A host and a card on two PCI buses with a bridge between them: commands, status, results, a word and the flag that announces it, in every order that the bridge allows.',
    pinned: { states: 128133, transitions: 397072 },
    shape: { between: 'bridge', reads: 1 },
  },
  {
    name: 'bridge-order-2',
    title: 'The bridge with two reads',
    covers: 'The same where the bridge holds a read of either side at once.',
    pinned: { states: 584849, transitions: 1836006 },
    shape: { between: 'bridge', reads: 2 },
  },
  {
    name: 'rope-1x1',
    title: 'A CPU, a rope, a card',
    covers:
      'A processor with a cache, memory, and a card behind a rope: commands, status, results, a word and the flag that announces it in one line, which the card reads with Read Current.',
    pinned: { states: 16224, transitions: 39365 },
    shape: ROPE,
  },
  {
    name: 'rope-1x2',
    title: 'Two lines, one ahead',
    covers:
      'The same with data in the line after the flag’s, and an adapter that prefetches; the card interrupts instead of being polled.',
    pinned: { states: 73881, transitions: 233298 },
    shape: { ...ROPE, lines: 2, interrupts: true },
  },
  {
    name: 'rope-any',
    title: 'Any passing that is legal',
    covers:
      'A card on PCI-X. Transactions pass each other wherever PCI’s table of ordering rules allows it: on the rope in both directions, and at the bus.',
    pinned: { states: 28905, transitions: 74544 },
    shape: { ...ROPE, isX: true, anyLegal: true },
  },
  {
    name: 'rope-irq',
    title: 'A card that interrupts',
    covers: 'One line, and a card that interrupts instead of being polled.',
    pinned: { states: 4359, transitions: 9690 },
    shape: { ...ROPE, interrupts: true },
  },
  {
    name: 'rope-split',
    title: 'A card on PCI-X',
    covers:
      'One line, and a card on PCI-X whose reads are split: completions arrive at any time, but behind the stores that went down before them.',
    pinned: { states: 19558, transitions: 45318 },
    shape: { ...ROPE, isX: true },
  },
  {
    name: 'rope-unmap',
    title: 'A line ahead and an unmap',
    covers:
      'A card whose data is mapped for each command, in other memory each time, and unmapped when the command is known to be done; the adapter prefetches a line.',
    pinned: { states: 1950, transitions: 5347 },
    shape: { ...ROPE, flags: false, mapped: true },
  },
  {
    name: 'io-cache-1x1',
    title: 'A line in the I/O cache',
    covers:
      'A processor that stores data and loads it, and a card that reads the line with ownership, so that it stays in the I/O cache. That cache has one slot, which the result needs, too.',
    pinned: { states: 492, transitions: 1410 },
    shape: { ...IO_CACHE, cpus: 1, lines: 1, reads: 'private', kept: 1 },
  },
  {
    name: 'io-cache-shared',
    title: 'A shared line',
    covers: 'The same, but the card only shares the line, which also holds its result.',
    pinned: { states: 515, transitions: 1483 },
    shape: { ...IO_CACHE, cpus: 1, lines: 1, reads: 'shared', kept: 2, together: true },
  },
  {
    name: 'io-cache-2x1',
    title: '2 CPUs, a line in the I/O cache',
    covers: 'Two processors and one line that the card reads with ownership.',
    pinned: { states: 10104, transitions: 39385 },
    shape: { ...IO_CACHE, cpus: 2, lines: 1, reads: 'private', kept: 2 },
  },
  {
    name: 'io-cache-2x2',
    title: '2 CPUs, two lines in the I/O cache',
    covers: 'Two processors and two lines that the card shares, in two slots.',
    pinned: { states: 38736, transitions: 175506 },
    shape: { ...IO_CACHE, cpus: 2, lines: 2, reads: 'shared', kept: 2 },
  },
  {
    name: 'io-cache-1x2',
    title: 'Two lines in the I/O cache',
    covers: 'A processor and two lines that the card shares.',
    pinned: { states: 1716, transitions: 6013 },
    shape: { ...IO_CACHE, cpus: 1, lines: 2, reads: 'shared', kept: 2 },
  },
];

/** Long configurations, run only by name. */
export const LONG_PROOFS: readonly Proof[] = [
  {
    name: 'coherent-3x1',
    title: '3 CPUs, 1 line, adapter',
    covers: 'Three processors, one line, the adapter with every attribute, map and unmap.',
    pinned: { states: 2987132, transitions: 14679182 },
    shape: { cpus: 3, lines: 1, ...COHERENT },
  },
  {
    name: 'coherent-2x2-halves',
    title: '2 CPUs, 2 lines, all halves',
    covers: 'Two processors, two lines of one page, and the adapter; stores to any half.',
    pinned: { states: 21430412, transitions: 97297078 },
    shape: { cpus: 2, lines: 2, ...COHERENT },
  },
  {
    name: 'processors-3x2',
    title: '3 CPUs, 2 lines',
    covers: 'Three processors and two lines.',
    pinned: { states: 1935491, transitions: 7764672 },
    shape: { cpus: 3, lines: 2 },
  },
];
