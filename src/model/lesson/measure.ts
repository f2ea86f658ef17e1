/**
 * What the answer to a question shows: "* cpu.lap_time 0 us..63.2 ns four stores" is a counter or metric, the interval
 * of the lanes that it measures, and its name in words.
 */
import { timeOf } from './time-of';

export interface Measure {
  /** A counter as "part.name", or a metric by its name. */
  readonly name: string;
  /** Interval that is bracketed in the lanes, in picoseconds. */
  readonly interval: readonly [from: number, to: number] | null;
  /** Empty if the counter's or the metric's own title serves. */
  readonly title: string;
}

const TIME = '[\\d.]+ [a-zµ]+';
const MEASURE = new RegExp(
  `^\\* ([\\w-]+(?:\\.[\\w-]+)?)(?: (${TIME})\\.\\.(${TIME}))?(?: (\\S.*))?$`,
  'u',
);

/** Null if the line is no measure. */
export function measureOf(line: string): Measure | null {
  const [, name, from, to, title = ''] = MEASURE.exec(line.trim()) ?? [];
  // What looks like an interval and is none is no name either.
  if (name === undefined || title.includes('..')) return null;
  if (from === undefined || to === undefined) return { name, interval: null, title };
  const [fromPs, toPs] = [timeOf(from), timeOf(to)];
  return fromPs === null || toPs === null ? null : { name, interval: [fromPs, toPs], title };
}
