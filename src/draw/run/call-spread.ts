/**
 * Durations of calls as a histogram: bins at 1, 2 and 5 times powers of ten, with the calls of each
 * operation.
 */
import { text, time } from '../../base/format';
import type { DriverCall } from '../../model/drivers/mapping-calls';
import { callName } from './driver-calls';

export interface SpreadBin {
  /** "500 ns to 1 µs" */
  readonly title: string;
  /** By operation, in the order of `names`. */
  readonly counts: readonly number[];
}

export interface CallSpread {
  readonly names: readonly string[];
  /** From the shortest to the longest, including empty ones in between. */
  readonly bins: readonly SpreadBin[];
  /** Largest count of one operation in one bin. */
  readonly most: number;
}

const STEPS = [1, 2, 5] as const;
const edge = (bin: number): number =>
  (STEPS[((bin % 3) + 3) % 3] as number) * 10 ** Math.floor(bin / 3);

/** The bin of a time in picoseconds; a time at an edge belongs to the upper bin. */
function binOf(ps: number): number {
  let bin = 3 * Math.floor(Math.log10(Math.max(1, ps)));
  while (edge(bin + 1) <= ps) bin++;
  return bin;
}

const title = (bin: number): string => `${text(time(edge(bin)))} to ${text(time(edge(bin + 1)))}`;

/** Only of calls that have returned. */
export function spreadOf(calls: readonly DriverCall[]): CallSpread {
  const times = calls.flatMap((call) =>
    call.to === null ? [] : [{ name: callName(call), bin: binOf(call.to - call.from) }],
  );
  const names = [...new Set(times.map(({ name }) => name))];
  const [first, last] = times.reduce(
    ([low, high], { bin }) => [Math.min(low, bin), Math.max(high, bin)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const bins = Array.from({ length: times.length === 0 ? 0 : last - first + 1 }, (_, i) => ({
    title: title(first + i),
    counts: names.map(
      (name) => times.filter((one) => one.name === name && one.bin === first + i).length,
    ),
  }));
  return { names, bins, most: Math.max(0, ...bins.flatMap(({ counts }) => counts)) };
}
