/** The measures of a question, counted where its answer is seen, and the brackets over the lanes. */
import { createStore } from '../../base/store';
import { verdict } from './evidence';
import type { Question } from './lesson';
import { type NamedQuantity, quantityOf } from './quantity-of';
import type { RunOfQuestion } from './run-of-question';
import { timeOf } from './time-of';

export interface Measured extends NamedQuantity {
  readonly interval: readonly [from: number, to: number] | null;
}

/** An interval over the lanes, and its texts from the fullest to the shortest. */
export interface Bracket {
  readonly fromPs: number;
  readonly toPs: number;
  readonly texts: readonly string[];
}

/** The brackets over the lanes: what the answer on the page is about. */
export const brackets = createStore<{ readonly shown: readonly Bracket[] }>({ shown: [] });

/** Reads counters at a time of the run; null if the run is replaced meanwhile. */
type CountersAt = (timePs: number) => Promise<ArrayLike<number> | null>;

/**
 * Final counters, or those of the time that the lesson names as that of the evidence, if they show the same answer:
 * what the run does afterwards may count as well.
 */
export async function countersAtEvidence(
  question: Question,
  run: RunOfQuestion,
  countersAt: CountersAt,
): Promise<ArrayLike<number>> {
  const seenPs = question.seen && timeOf(question.seen.time);
  const then = seenPs === null ? null : await countersAt(seenPs);
  const right = verdict(question, run.machine, run.counters);
  return then && verdict(question, run.machine, then) === right ? then : run.counters;
}

/** What the measures of a question count; one with an interval is read at its end. */
export async function measuredIn(
  question: Question,
  scenario: Parameters<typeof quantityOf>[1]['scenario'],
  run: RunOfQuestion,
  countersAt: CountersAt,
): Promise<readonly Measured[]> {
  const { machine } = run;
  const evidence = await countersAtEvidence(question, run, countersAt);
  const all: Measured[] = [];
  for (const { name, interval, title } of question.measures) {
    const counters = interval ? ((await countersAt(interval[1])) ?? run.counters) : evidence;
    const found = quantityOf(name, { machine, scenario, counters });
    if (typeof found !== 'string') all.push({ ...found, title: title || found.title, interval });
  }
  return all;
}
