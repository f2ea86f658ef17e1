/** The published crossover as marks on a log-log sheet. */
interface Mark {
  readonly x: number;
  readonly y: number;
  readonly series: 1 | 2;
  readonly open: boolean;
}

interface Handle {
  readonly x: number;
  readonly label: string;
  readonly end: boolean;
}

export interface ThumbnailModel {
  readonly marks: readonly Mark[];
  readonly grid: readonly { readonly y: number; readonly label: string }[];
  readonly handles: readonly Handle[];
  readonly base: number;
}

/** A published throughput: bytes per transfer, MB/s. */
export interface Measured {
  readonly bytes: number;
  readonly rate: number;
  readonly method: 'pio' | 'dma';
  readonly direction: 'read' | 'write';
}

const LEFT = 28;
const RIGHT = 244;
const TOP = 14;
const BASE = 134;
const LOWEST = 0.4;
const HIGHEST = 800;

const xOf = (bytes: number): number => LEFT + ((Math.log2(bytes) - 2) / 18) * (RIGHT - LEFT);

const yOf = (rate: number): number =>
  BASE - (Math.log(rate / LOWEST) / Math.log(HIGHEST / LOWEST)) * (BASE - TOP);

export function crossoverThumbnail(
  rows: readonly Measured[],
  thresholds: readonly { readonly bytes: number; readonly label: string }[],
): ThumbnailModel {
  const [first, ...others] = [...thresholds].sort((a, b) => a.bytes - b.bytes);
  const handle = (end: boolean) => (at: { bytes: number; label: string }) => ({
    x: xOf(at.bytes),
    label: at.label,
    end,
  });
  return {
    marks: rows.map(({ bytes, rate, method, direction }) => ({
      x: xOf(bytes),
      y: yOf(rate),
      series: method === 'dma' ? 1 : 2,
      open: direction === 'read',
    })),
    grid: [1, 10, 100].map((rate) => ({ y: yOf(rate), label: String(rate) })),
    handles: [...(first ? [first].map(handle(true)) : []), ...others.map(handle(false))],
    base: BASE,
  };
}
