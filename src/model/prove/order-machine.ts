/** A machine in which only order matters: a host and a card with a bridge between them, each on a PCI bus of its own. */

export interface OrderShape {
  /** What keeps the order. */
  readonly between: 'bridge';
  /** Reads that it holds at once. */
  readonly reads: number;
}

const PLACES = {
  prover: { title: 'Any order', at: [24, 4, 260, 42] },
  pair: { title: 'Host and card', at: [24, 64, 812, 62] },
  host_bus: { title: 'PCI bus of the host', at: [24, 160, 390, 30] },
  card_bus: { title: 'PCI bus of the card', at: [446, 160, 390, 30] },
  bridge: { title: 'PCI-X bridge', at: [24, 230, 812, 90] },
} as const;

/** Parts and wires of it; `own` are parameters that differ, by part. */
export function orderMachine(
  { reads }: OrderShape,
  own: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
) {
  const part = (name: keyof typeof PLACES, type: string, params: object = {}) => ({
    [name]: { type, ...PLACES[name], params: { ...params, ...own[name] } },
  });
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
