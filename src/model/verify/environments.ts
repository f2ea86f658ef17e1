/**
 * Machines in which order matters: a host and a card with a bridge between them, each on a PCI bus of its own; or
 * processors and a card with a rope between them, and an I/O cache.
 */

interface BridgeShape {
  /** What keeps the order. */
  readonly between: 'bridge';
  /** Reads that it holds at once. */
  readonly reads: number;
}

interface RopeShape {
  readonly between: 'rope';
  readonly cpus: 1 | 2;
  /** Flag and data lie in one line, or in two. */
  readonly lines: 1 | 2;
  /** How the card reads memory; and lines of the I/O cache. */
  readonly reads: 'current' | 'private' | 'shared';
  readonly kept: number;
  /** The card interrupts instead of being asked whether it is done. */
  readonly interrupts?: boolean;
  /** A word and a flag besides commands, unless it is said that there are none: then processors look at the data. */
  readonly flags?: boolean;
  /** The card is on PCI-X, and its reads are split. */
  readonly isX?: boolean;
  /** The data is mapped for each command, elsewhere each time, and a line ahead with it. */
  readonly mapped?: boolean;
  /** The card's result lies in the line of the data, instead of the flag. */
  readonly together?: boolean;
  /** Whatever PCI's table lets pass may pass, at every place. */
  readonly anyLegal?: boolean;
}

export type OrderShape = BridgeShape | RopeShape;

const PLACES = {
  prover: { title: 'Any order', at: [24, 4, 260, 42] },
  pair: { title: 'Host and card', at: [24, 64, 812, 62] },
  host_bus: { title: 'PCI bus of the host', at: [24, 160, 390, 30] },
  card_bus: { title: 'PCI bus of the card', at: [446, 160, 390, 30] },
  bridge: { title: 'PCI-X bridge', at: [24, 230, 812, 90] },
  cache0: { title: 'Cache 0', at: [24, 140, 200, 42] },
  cache1: { title: 'Cache 1', at: [240, 140, 200, 42] },
  sba: { title: 'System bus adapter', at: [24, 198, 560, 62] },
  memory: { title: 'Memory', at: [620, 198, 216, 62] },
  lba: { title: 'Local bus adapter', at: [24, 276, 560, 62] },
  bus: { title: 'PCI bus', at: [24, 350, 812, 24] },
} as const;

type Own = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const partOf =
  (own: Own) =>
  (name: keyof typeof PLACES, type: string, params: object = {}) => ({
    [name]: { type, ...PLACES[name], params: { ...params, ...own[name] } },
  });

/** Parts and wires of it; `own` are parameters that differ, by part. */
export const orderMachine = (shape: OrderShape, own: Own) =>
  shape.between === 'rope' ? ropeMachine(shape, own) : bridgeMachine(shape, own);

/** A line, or one behind the other: the adapter fetches one ahead. */
function ropeMachine(
  {
    cpus,
    lines,
    reads,
    kept,
    interrupts,
    flags,
    together,
    isX = false,
    mapped = false,
    anyLegal = false,
  }: RopeShape,
  own: Own,
) {
  const part = partOf(own);
  const processors = Array.from({ length: cpus }, (_, i) => i);
  const does = {
    learns: interrupts ? 'interrupt' : 'poll',
    flags: flags ?? true,
    result: together ? '0x1000' : '0x2000',
    blocks: isX,
    page: mapped ? '256 B' : '0 B',
  };
  const caches = processors.map((i) =>
    part(`cache${i as 0 | 1}`, 'cache', { size: '256 B', ways: 1, line: '128 B' }),
  );
  return {
    parts: {
      ...part('memory', 'memory', { tracked: '8 KiB', tracked_from: '0x1000' }),
      ...part('pair', 'rope_pair', {
        data: lines > 1 ? '0x1080' : '0x1004',
        reads_back: !mapped,
        ...does,
      }),
      ...Object.assign({}, ...caches),
      ...part('sba', 'sba', { lines: kept, owns: reads === 'shared' ? 'shared' : 'private' }),
      ...part('lba', 'lba', {
        base: '0xf0000000',
        length: '4 KiB',
        lines: 3,
        posts: 2,
        stores: 4,
        any_legal: anyLegal,
        streaming_from: '0x0',
        ...(isX && { splits: 2 }),
        mr_streaming_depth: mapped ? 1 : lines - 1,
        mr_streaming_current: reads === 'current',
        mrm_streaming_current: reads === 'current',
      }),
      ...(isX ? part('bus', 'pcix', { tags: 2 }) : part('bus', 'pci', { block: '128 B' })),
    },
    wires: [
      ['sba.memory', 'memory.bridge'],
      ...processors.flatMap((i) => [
        [`pair.front${i}`, `sba.cpu${i}`],
        [`pair.cache${i}`, `cache${i}.cpu`],
      ]),
      ['sba.rope0', 'lba.rope'],
      ['lba.pci', 'bus.slot0'],
      ['pair.bus', 'bus.slot1'],
      ...(mapped ? [['sba.iommu', 'pair.iommu']] : []),
      ...(interrupts
        ? [
            ['pair.raise', 'lba.irq0'],
            ['lba.interrupt', 'pair.irq'],
          ]
        : []),
    ],
    prover: PLACES.prover,
  };
}

function bridgeMachine({ reads }: BridgeShape, own: Own) {
  const part = partOf(own);
  return {
    parts: {
      ...part('pair', 'pci_pair'),
      ...part('host_bus', 'pci'),
      ...part('card_bus', 'pci'),
      ...part('bridge', 'pcix_bridge', { posts: 2, reads, lines: 2, ahead: 1, burst: '128 B' }),
    },
    wires: [
      ['pair.bus0', 'host_bus.slot0'],
      ['pair.bus1', 'card_bus.slot0'],
      ['bridge.bus0', 'host_bus.slot1'],
      ['bridge.bus1', 'card_bus.slot1'],
    ],
    prover: PLACES.prover,
  };
}
