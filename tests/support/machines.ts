/**
 * Machines that exercise the engine: every part of the GT system at work at once, with two
 * threads, DMA both ways, PIO, a second bus master and a loaded ring. Addresses as in the scenarios.
 */
import { encode, type TestMachine, typeOf } from './sessions';

const CARD = '0x80000000';
const REGISTERS = '0x90000000';

const forEver = { do: 'repeat', count: 0 };
const again = { do: 'again' };
const end = { do: 'end' };

const worker = [
  forEver,
  { do: 'lap' },
  { do: 'pio_write', from: '0x1000', to: CARD, bytes: '256 B' },
  { do: 'pio_read', from: '0x80000400', to: '0x2000', bytes: '64 B' },
  { do: 'dma_write', from: '0x4000', to: '0x80002000', bytes: '2 KiB' },
  { do: 'lap_end' },
  { do: 'copy_write', from: '0x8000', to: '0x9000', bytes: '512 B' },
  again,
  end,
];
const other = [
  { do: 'thread', count: 0 },
  forEver,
  { do: 'spend', time: '3 us' },
  { do: 'dma_read', from: '0x80004000', to: '0x6000', bytes: '1 KiB' },
  { do: 'process', from: '0x6000', bytes: '1 KiB', time: '100 ns' },
  again,
  end,
];

/** Part indices in the machines below. */
export const PART = { cpu: 0, cache: 1, bridge: 2, memory: 3, pci: 4, card: 5, ring: 6, driver: 7 };

export function gtMachine(changes: Partial<TestMachine> = {}): TestMachine {
  return {
    parts: [
      { type: 'processor', tables: { program: [...worker, ...other] } },
      { type: 'cache' },
      { type: 'bridge' },
      { type: 'memory' },
      { type: 'pci' },
      { type: 'gt', params: { base: CARD, registers: REGISTERS } },
      { type: 'ring', params: { load: '20 MB/s', update_every: '11 us' } },
      { type: 'gt_driver', params: { registers: REGISTERS } },
      { type: 'peer', params: { every: '40 us', address: '0x80008000' } },
    ],
    wires: [
      [0, 'cache', 1, 'cpu'],
      [0, 'front', 2, 'cpu'],
      [0, 'os', 7, 'cpu'],
      [0, 'irq', 5, 'irq'],
      [2, 'memory', 3, 'bridge'],
      [2, 'pci', 4, 'slot'],
      [5, 'pci', 4, 'slot.1'],
      [5, 'link', 6, 'card'],
      [8, 'pci', 4, 'slot.2'],
    ],
    ...changes,
  };
}

/** The session of that machine. */
export const gtSession = (changes?: Partial<TestMachine>) => encode(gtMachine(changes));

/** Index of a parameter in its part's manifest. */
export const paramIndex = (type: string, name: string) =>
  typeOf(type).params.findIndex((param) => param.name === name);
