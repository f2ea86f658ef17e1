/** Two runs in numbers and words: time by state of each lane, and what happened one after another. */
import { text, time } from '../../base/format';
import type { LabRecord } from '../../model/lab-records';

export interface CompareRow {
  readonly lane: string;
  readonly state: string;
  /** Picoseconds of the last transfer. */
  readonly a: number;
  readonly b: number;
}

function timesOf({ trace, from, to }: LabRecord): Map<string, CompareRow> {
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

/** Every state that either run was in; the longest differences are not picked out, the order is the machine's. */
export function compareRows(first: LabRecord, second: LabRecord): CompareRow[] {
  const rows = timesOf(first);
  for (const [key, row] of timesOf(second))
    rows.set(key, { ...row, a: rows.get(key)?.a ?? 0, b: row.a });
  const whole = { lane: 'Transfer', state: 'from call to return' };
  const total = { ...whole, a: first.to - first.from, b: second.to - second.from };
  return [total, ...rows.values()];
}

/** Steps told one by one; rows of the same step are told once, with how often. */
const MOST = 60;

const span = (ps: number) => text(time(ps, 4));

/** "At 0.5 µs for 2.4 µs: CPU, driver." */
export function stepsOf({ trace, from, to }: LabRecord): string[] {
  const steps = trace.lanes.flatMap((lane) =>
    lane.between(from, to).map((one) => ({
      lane: lane.title,
      state: one.state.title,
      from: Math.max(one.from, from) - from,
      to: Math.min(one.to, to) - from,
    })),
  );
  const told = new Map<string, { first: (typeof steps)[number]; count: number; time: number }>();
  for (const step of steps.sort((a, b) => a.from - b.from)) {
    const key = `${step.lane} ${step.state}`;
    const known = told.get(key);
    if (known) {
      known.count++;
      known.time += step.to - step.from;
    } else told.set(key, { first: step, count: 1, time: step.to - step.from });
  }
  const sentences = [...told.values()].slice(0, MOST).map(({ first, count, time: spent }) => {
    const often = count > 1 ? `, ${count} times, together ${span(spent)}` : ` for ${span(spent)}`;
    return `From ${span(first.from)}${often}: ${first.lane}, ${first.state}.`;
  });
  return [...sentences, `After ${span(to - from)} the transfer is done.`];
}
