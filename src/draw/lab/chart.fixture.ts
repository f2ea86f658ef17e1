/** A small substitute for the published table and for simulated runs, only for tests of the drawing. */
import type { ChartCrossing, ChartInput, ChartSeries, Simulated } from './chart-types';

export const SIZES = Array.from({ length: 19 }, (_, power) => 2 ** (power + 2));

const curve = (perTransfer: number, perByte: number): Simulated[] =>
  SIZES.map((size) => ({
    size,
    value: (size / (perTransfer + perByte * size)) * 1e6,
    parameters: 'now',
    stale: false,
  }));

export function series(
  id: string,
  title: string,
  costs: readonly [number, number],
  changes: Partial<ChartSeries> = {},
): ChartSeries {
  const simulated = curve(...costs);
  return {
    id,
    title,
    hue: title.startsWith('PIO') ? 2 : 1,
    dash: title.endsWith('read') ? 'dashed' : 'solid',
    open: title.endsWith('read'),
    simulated,
    measured: simulated.map(({ size, value }) => ({
      size,
      value: value * 1.02,
      calibrated: size === 4,
    })),
    before: [],
    fan: [],
    linearFit: [],
    own: [],
    ...changes,
  };
}

/** Costs in picoseconds: per transfer, per byte. */
export const FOUR: readonly ChartSeries[] = [
  series('pio_write', 'PIO write', [20_000, 16_260]),
  series('dma_write', 'DMA write', [7_600_000, 8_760]),
  series('pio_read', 'PIO read', [340_000, 96_600]),
  series('dma_read', 'DMA read', [7_000_000, 1_870]),
];

export function crossing(direction: string, changes: Partial<ChartCrossing> = {}): ChartCrossing {
  const found = { write: { grid: 1024, exact: 1010.7 }, read: { grid: 128, exact: 70.4 } };
  return {
    id: direction,
    title: direction,
    more: { id: `dma_${direction}`, title: 'DMA', hue: 1 },
    than: { id: `pio_${direction}`, title: 'PIO', hue: 2 },
    now: found[direction as 'write' | 'read'],
    before: null,
    solves: 'Set-up',
    solving: null,
    ...changes,
  };
}

export function input(changes: Partial<ChartInput> = {}): ChartInput {
  return {
    width: 836,
    height: 620,
    compact: false,
    quantity: 'throughput',
    unit: 'MB/s',
    along: { title: 'transfer size', unit: 'B' },
    sizes: SIZES,
    series: FOUR,
    crossings: [crossing('write'), crossing('read')],
    size: 512,
    source: 'measured with gttp',
    fan: '',
    ...changes,
  };
}
