/** Signals over time: their value at a moment, the next change, and the changes that a search finds. */
import { lastAt } from '../trace/lane';
import type { Signal } from './vcd-reader';

const NO_VALUE = '';

const NEVER = -1;

/** Index of the change that holds at a time; -1 before the first. */
export const changeAt = ({ times }: Signal, timePs: number): number =>
  times.length === 0 ? NEVER : lastAt(times, timePs);

export const signalValue = ({ codes, values }: Signal, change: number): string =>
  values[codes[change] ?? NEVER] ?? NO_VALUE;

/** The value in words: of several bits as a hexadecimal number, if all are known. */
export function valueText({ bits }: Pick<Signal, 'bits'>, value: string): string {
  if (bits === 1 || !/^[01]+$/.test(value)) return value;
  return `0x${BigInt(`0b${value}`).toString(16)}`;
}

interface SignalQuery {
  /** Words of the names, in lower case; all must be in it. */
  readonly names: readonly string[];
  /** A value as written or in words; null: any. */
  readonly value: string | null;
}

/** `phase` finds every change of the signals of this name, `phase=data` those to a value. */
export function signalQuery(text: string): SignalQuery {
  const [names = '', ...value] = text.split('=');
  return {
    names: names.toLowerCase().split(/\s+/).filter(Boolean),
    value: value.length > 0 ? value.join('=').trim().toLowerCase() : null,
  };
}

export const matching = (signals: readonly Signal[], { names }: SignalQuery): readonly Signal[] =>
  signals.filter(({ name }) => names.every((word) => name.toLowerCase().includes(word)));

const isWanted = (signal: Signal, value: string) => {
  const codes = signal.values.map((own) =>
    [own.toLowerCase(), valueText(signal, own).toLowerCase()].includes(value),
  );
  return (change: number) => codes[signal.codes[change] ?? NEVER] === true;
};

/** Which changes of a signal a query finds; null: all. */
const wantedIn = (signal: Signal, { value }: SignalQuery) =>
  value === null ? null : isWanted(signal, value);

/** Signals of one code once. */
const distinct = (signals: readonly Signal[]): Iterable<Signal> =>
  new Map(signals.map((signal) => [signal.times, signal])).values();

/** How many changes of these signals a query finds. */
export function countHits(signals: readonly Signal[], query: SignalQuery): number {
  let count = 0;
  for (const signal of distinct(signals)) {
    const wanted = wantedIn(signal, query);
    const { length } = signal.times;
    if (!wanted) count += length;
    else for (let change = 0; change < length; change++) if (wanted(change)) count++;
  }
  return count;
}

/** The time of the nearest change that a query finds after or before a time; null if there is none. */
export function nextHit(
  signals: readonly Signal[],
  query: SignalQuery,
  timePs: number,
  by: 1 | -1,
): number | null {
  let best: number | null = null;
  for (const signal of distinct(signals)) {
    const wanted = wantedIn(signal, query);
    const { times } = signal;
    let change = changeAt(signal, timePs);
    if (by > 0) change++;
    else if (times[change] === timePs) change--;
    while (change >= 0 && change < times.length && wanted && !wanted(change)) change += by;
    const time = times[change];
    if (time !== undefined && (best === null || (time - best) * by < 0)) best = time;
  }
  return best;
}

export interface SignalSpan {
  readonly from: number;
  readonly to: number;
  /** Null where changes lie closer than can be drawn. */
  readonly value: string | null;
}

/** The values of a signal in a window, in at most twice `steps` spans. */
export function spansIn(
  signal: Signal,
  window: { readonly from: number; readonly to: number },
  endPs: number,
  steps: number,
): SignalSpan[] {
  const least = (window.to - window.from) / steps;
  const { times } = signal;
  const spans: SignalSpan[] = [];
  let change = Math.max(0, changeAt(signal, window.from));
  while (change < times.length && (times[change] ?? 0) <= window.to) {
    const from = times[change] ?? 0;
    const to = times[change + 1] ?? endPs;
    if (to - from >= least || change + 1 === times.length) {
      spans.push({ from, to, value: signalValue(signal, change) });
      change++;
      continue;
    }
    const last = Math.max(change, changeAt(signal, from + least));
    const end = times[last + 1] ?? endPs;
    // A value that lasts is drawn as such.
    const lasts = end - (times[last] ?? 0) >= least;
    const until = lasts ? (times[last] ?? 0) : end;
    if (until > from) spans.push({ from, to: until, value: null });
    change = lasts ? last : last + 1;
  }
  return spans;
}
