/**
 * What a run is measured by: a metric of the scenario ("time"), a counter ("cpu.stores"), or the time between two
 * events ("card.dma_start..driver.interrupt", "p99:bus.request..bus.data").
 */
import { hint, quote } from '../../base/suggest';
import type { TraceChunk } from '../../engine/api';
import type { PartType } from '../../engine/manifest';
import { metricValue } from './experiment';
import { findCounter } from './paths';
import type { Assignment, Scenario } from './scenario-types';

interface Part {
  readonly name: string;
  readonly title: string;
  readonly type: PartType;
}

type Counters = readonly ArrayLike<number>[];

/** An event of a part: its index, and the number of the kind in trace records. */
interface PartEvent {
  readonly part: number;
  readonly kind: number;
}

/** The times from each occurrence of one event to the next of another, and what is made of them. */
export interface Interval {
  readonly from: PartEvent;
  readonly to: PartEvent;
  /** Null if there is none. */
  readonly of: (sorted: readonly number[]) => number | null;
}

export interface Measure {
  /** As it is written. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  /** Null: it is read from the counters. */
  readonly interval: Interval | null;
  readonly value: (variables: Assignment, counters: Counters) => number | null;
}

const mean = (times: readonly number[]) => times.reduce((sum, one) => sum + one, 0) / times.length;

const STATISTICS: Readonly<Record<string, (sorted: readonly number[]) => number>> = {
  mean,
  min: (times) => times[0] ?? 0,
  max: (times) => times.at(-1) ?? 0,
  count: (times) => times.length,
};

/** The nearest-rank percentile: the smallest time that at least so many per cent do not exceed. */
const percentile = (times: readonly number[], percent: number): number =>
  times[Math.max(0, Math.ceil((percent / 100) * times.length) - 1)] ?? 0;

/** "mean", "p99", "p99.9"; null for anything else. */
function statisticOf(name: string): Interval['of'] | null {
  const [, digits] = /^p(\d{1,2}(?:\.\d+)?|100)$/.exec(name) ?? [];
  const known = Object.hasOwn(STATISTICS, name) ? STATISTICS[name] : undefined;
  const of = digits ? (times: readonly number[]) => percentile(times, Number(digits)) : known;
  if (!of) return null;
  return (times) => (times.length > 0 || name === 'count' ? of(times) : null);
}

function eventOf(parts: readonly Part[], text: string): PartEvent | string {
  const [partName = '', name, ...more] = text.trim().split('.');
  if (name === undefined || more.length > 0) return `${quote(text)} should be part.event.`;
  const part = parts.findIndex((one) => one.name === partName);
  const events = parts[part]?.type.events;
  if (!events)
    return `There is no part ${quote(partName)}${hint(
      partName,
      parts.map((one) => one.name),
    )}`;
  const event = events.find((one) => one.name === name);
  if (event) return { part, kind: event.kind };
  return `${quote(partName)} has no event ${quote(name)}${hint(
    name,
    events.map((one) => one.name),
  )}`;
}

const INTERVAL = /^(?:([a-z0-9.]+):)?(.+?)\.\.(.+)$/;

function intervalMeasure(parts: readonly Part[], text: string, written: RegExpExecArray) {
  const [, statistic = 'mean', first = '', last = ''] = written;
  const of = statisticOf(statistic);
  if (!of)
    return `${quote(statistic)} is no statistic. Known: mean, min, max, count, and percentiles such as p50 and p99.`;
  const [from, to] = [eventOf(parts, first), eventOf(parts, last)];
  if (typeof from === 'string') return from;
  if (typeof to === 'string') return to;
  const unit = statistic === 'count' ? '' : 'ps';
  const noun = statistic === 'count' ? 'number of times' : `${statistic} time`;
  const title = `${noun} from ${first} to ${last}`;
  return { name: text, title, unit, interval: { from, to, of }, value: () => null };
}

/** Reads a measure; a message if there is none of this name. */
export function readMeasure(
  scenario: Pick<Scenario, 'metrics'>,
  parts: readonly Part[],
  text: string,
): Measure | string {
  const written = INTERVAL.exec(text);
  if (written) return intervalMeasure(parts, text, written);
  const metric = scenario.metrics.get(text);
  if (metric) {
    const value: Measure['value'] = (variables, counters) =>
      metricValue(metric, variables, counters);
    return { name: text, title: metric.title, unit: metric.unit, interval: null, value };
  }
  if (!text.includes('.')) {
    const names = scenario.metrics.keys();
    return `There is no metric ${quote(text)}${hint(text, names)} A counter is written as part.counter.`;
  }
  const found = findCounter(parts, text);
  if (typeof found === 'string') return found;
  const { part, partIndex, item, index } = found;
  const value: Measure['value'] = (_, counters) => counters[partIndex]?.[index] ?? null;
  const title = `${part.title}, ${item.title}`;
  return { name: text, title, unit: item.unit, interval: null, value };
}

/** Every metric of a scenario and every counter of its parts. */
export const allMeasures = (scenario: Pick<Scenario, 'metrics'>, parts: readonly Part[]) =>
  [
    ...scenario.metrics.keys(),
    ...parts.flatMap((part) => part.type.counters.map((one) => `${part.name}.${one.name}`)),
  ].flatMap((name) => {
    const measure = readMeasure(scenario, parts, name);
    return typeof measure === 'string' ? [] : [measure];
  });

/** Collects the times of an interval as records arrive: the oldest open occurrence ends first. */
export class IntervalTimes {
  readonly #open: number[] = [];
  readonly #times: number[] = [];

  constructor(private readonly interval: Interval) {}

  add(chunk: TraceChunk): void {
    const { from, to } = this.interval;
    for (let i = 0; i < chunk.length; i++) {
      const [kind, part, timePs] = [chunk.kind[i], chunk.part[i], chunk.timePs[i] ?? 0];
      // An event that is both ends one time and begins the next.
      if (kind === to.kind && part === to.part) {
        const began = this.#open.shift();
        if (began !== undefined) this.#times.push(timePs - began);
      }
      if (kind === from.kind && part === from.part) this.#open.push(timePs);
    }
  }

  value(): number | null {
    return this.interval.of(this.#times.sort((a, b) => a - b));
  }
}
