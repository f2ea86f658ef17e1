/** Exports runs and experiments: CSV, JSON lines and the Chrome trace format. */

import { figure } from '../published/published';
import { metricValue, type Point } from '../scenario/experiment';
import type { Assignment, Scenario, Value } from '../scenario/scenario-types';
import type { TracedMachine } from '../trace/event-text';
import type { Lane, Span } from '../trace/lane';
import type { Trace } from '../trace/trace';

/** Spreadsheets evaluate text that starts like this, in ASCII or full-width characters. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

const csvCell = (value: Value | null): string => {
  const plain = value === null ? '' : String(value);
  const text = typeof value === 'string' && FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvLine = (cells: readonly (Value | null)[]): string =>
  `${cells.map(csvCell).join(',')}\n`;

/** The published figure for a point of an experiment, if its series has one. */
export function figureAt(scenario: Scenario, at: Assignment): string | null {
  const series = scenario.experiment?.series.find((one) =>
    Object.entries(one.at).every(([name, value]) => at[name] === value),
  );
  if (!series?.figures) return null;
  return series.figures.replace(/\{(\w+)\}/g, (_, name: string) => String(at[name]));
}

/** An experiment as a table: one row per finished point. */
export function experimentCsv(
  scenario: Scenario,
  points: readonly Point[],
  counters: readonly (readonly ArrayLike<number>[] | null)[],
): string {
  const { experiment } = scenario;
  if (!experiment) return '';
  const metrics = experiment.metrics.flatMap((name) => scenario.metrics.get(name) ?? []);
  const head = [
    ...[...experiment.axes, ...metrics].map(({ name, unit }) =>
      unit ? `${name} (${unit})` : name,
    ),
    'published',
  ];
  const rows = points.flatMap((point) => {
    const finished = counters[point.index];
    if (!finished) return [];
    const id = figureAt(scenario, point.at);
    return csvLine([
      ...experiment.axes.map((axis) => point.at[axis.name] ?? null),
      ...metrics.map((metric) => metricValue(metric, point.variables, finished)),
      id === null ? null : (figure(id)?.value ?? null),
    ]);
  });
  return csvLine(head) + rows.join('');
}

/** A value as JSON with all digits; JSON.stringify does not support bigint. */
const exactJson = (value: number | bigint | string): string =>
  typeof value === 'bigint' ? value.toString() : JSON.stringify(value);

/** One JSON object per record, in order. */
export function* traceJsonLines(machine: TracedMachine, trace: Trace): Generator<string> {
  for (let seq = trace.first; seq <= trace.last; seq++) yield* recordJsonLine(machine, trace, seq);
}

export function* recordJsonLine(
  machine: TracedMachine,
  trace: Trace,
  seq: number,
): Generator<string> {
  const [record, event] = [trace.record(seq), trace.event(seq)];
  if (!record || !event) return;
  const enums = machine.parts[record.part]?.type.enums;
  const fields = trace.fields(seq).map(({ name, as, value, exact }) => {
    const member = as.startsWith('enum:') ? enums?.[as.slice(5)]?.[value] : undefined;
    return [name, member?.name ?? exact] as const;
  });
  const all = Object.entries({
    seq,
    time_ps: record.timePs,
    part: record.part,
    part_title: machine.parts[record.part]?.title ?? '',
    event: event.name,
    cause: record.cause,
    ...Object.fromEntries(fields),
    text: trace.sentence(seq),
  });
  yield `{${all.map(([name, value]) => `${JSON.stringify(name)}:${exactJson(value)}`).join(',')}}\n`;
}

export const allSpans = (lane: Lane, endPs: number): Span[] =>
  lane
    .between(0, Number.POSITIVE_INFINITY)
    .map((span) => ({ ...span, to: Math.min(span.to, endPs) }));

const microseconds = (ps: number) => ps / 1e6;

/**
 * Events in the Chrome trace format, which Perfetto opens: one thread per lane, one instant per notable event.
 * Process 0 is the idle process in that format, so numbers start at 1.
 */
function* perfettoEvents(machine: TracedMachine, trace: Trace, endPs: number): Generator<object> {
  for (const [part, { title }] of machine.parts.entries()) {
    const pid = part + 1;
    yield { ph: 'M', pid, name: 'process_name', args: { name: title } };
    yield { ph: 'M', pid, name: 'process_sort_index', args: { sort_index: pid } };
  }
  for (const [i, lane] of trace.lanes.entries()) {
    const [pid, tid] = [lane.part + 1, i + 1];
    yield { ph: 'M', pid, tid, name: 'thread_name', args: { name: lane.title } };
    for (const { from, to, state, seq } of allSpans(lane, endPs)) {
      const ts = microseconds(from);
      const dur = microseconds(to) - ts;
      yield { ph: 'X', pid, tid, ts, dur, name: state.title, args: { seq } };
    }
  }
  for (const seq of trace.matching((event) => event.level === 'notable')) {
    const record = trace.record(seq);
    const name = trace.event(seq)?.name;
    if (!record) continue;
    const ts = microseconds(record.timePs);
    const args = { seq, cause: record.cause, text: trace.sentence(seq) };
    yield { ph: 'i', s: 'p', pid: record.part + 1, tid: 0, ts, name, args };
  }
}

export function* tracePerfetto(
  machine: TracedMachine,
  trace: Trace,
  endPs: number,
): Generator<string> {
  yield '{"displayTimeUnit":"ns","traceEvents":[\n';
  let first = true;
  for (const event of perfettoEvents(machine, trace, endPs)) {
    yield `${first ? '' : ',\n'}${JSON.stringify(event)}`;
    first = false;
  }
  yield '\n]}\n';
}
