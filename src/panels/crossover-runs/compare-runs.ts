/** Two runs in numbers and words: time by state of each lane, and their steps in order. */
import { text, time } from '../../base/format';
import { COST_NAMES } from '../../draw/lab/bars';
import type { LabRecord } from '../../model/lab/state';
import type { CostKind, Costs } from '../../model/trace/time-breakdown';

export interface CompareRow {
  readonly lane: string;
  readonly state: string;
  /** Picoseconds of the last transfer. */
  readonly a: number;
  readonly b: number;
}

function timesOf({ trace, from, recordedTo: to }: LabRecord): Map<string, CompareRow> {
  const rows = new Map<string, CompareRow>();
  for (const lane of trace.lanes) {
    const times = lane.timeByState(from, to);
    for (const [name, spent] of times) {
      const state = lane.states.find((one) => one.name === name)?.title ?? name;
      rows.set(`${lane.title} ${state}`, { lane: lane.title, state, a: spent, b: 0 });
    }
  }
  return rows;
}

const isCut = ({ to, recordedTo }: LabRecord): boolean => recordedTo < to;

/** Time by kind, also known for a run too long to be recorded. */
const kindRows = (first: LabRecord, second: LabRecord): CompareRow[] =>
  Object.entries(first.costs.total).flatMap(([kind, a]) => {
    const b = second.costs.total[kind as keyof Costs['total']];
    return a + b > 0 ? [{ lane: 'Time', state: COST_NAMES[kind as CostKind], a, b }] : [];
  });

/** Every state of either run, in the machine's order. */
export function compareRows(first: LabRecord, second: LabRecord): CompareRow[] {
  const whole = { lane: 'Transfer', state: 'from call to return' };
  const total = { ...whole, a: first.to - first.from, b: second.to - second.from };
  if (isCut(first) || isCut(second)) return [total, ...kindRows(first, second)];
  const rows = timesOf(first);
  for (const [key, row] of timesOf(second))
    rows.set(key, { ...row, a: rows.get(key)?.a ?? 0, b: row.a });
  return [total, ...rows.values()];
}

/** Most steps listed; consecutive equal steps are listed once, with their number. */
const MOST = 60;

const span = (ps: number) => text(time(ps, 4));

/** "At 0.5 µs for 2.4 µs: CPU, driver." */
export function stepsOf({ trace, from, to, recordedTo }: LabRecord): string[] {
  const steps = trace.lanes.flatMap((lane) =>
    lane.between(from, recordedTo).map((one) => ({
      lane: lane.title,
      state: one.state.title,
      from: Math.max(one.from, from) - from,
      to: Math.min(one.to, recordedTo) - from,
    })),
  );
  const merged = new Map<string, { first: (typeof steps)[number]; count: number; time: number }>();
  for (const step of steps.sort((a, b) => a.from - b.from)) {
    const key = `${step.lane} ${step.state}`;
    const known = merged.get(key);
    if (known) {
      known.count++;
      known.time += step.to - step.from;
    } else merged.set(key, { first: step, count: 1, time: step.to - step.from });
  }
  const sentences = [...merged.values()].slice(0, MOST).map(({ first, count, time: spent }) => {
    const often = count > 1 ? `, ${count} times, together ${span(spent)}` : ` for ${span(spent)}`;
    return `From ${span(first.from)}${often}: ${first.lane}, ${first.state}.`;
  });
  if (recordedTo < to)
    sentences.push(
      `The record ends after ${span(recordedTo - from)}; the run continues in the same way.`,
    );
  return [...sentences, `After ${span(to - from)} the transfer is done.`];
}
