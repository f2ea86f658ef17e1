/**
 * How far a run can be played before its counts tell the options of a question apart. Two things tell them: an event
 * that an option does not allow ("none", and here is one), and the rate at which events come ("a few" or "a thousand",
 * seen after a tenth of the run).
 */
import { conditionAt, decidesAt, verdict } from './evidence';
import type { Condition, Question } from './lesson';
import type { RunOfQuestion } from './run-of-question';

/** What an option allows a count to be at the end of the run; what it does not limit is null. */
interface Allowed {
  readonly option: number;
  readonly place: number;
  readonly least: number | null;
  readonly most: number | null;
}

function allowedBy(
  { operator }: Condition,
  limit: number,
): { readonly least: number | null; readonly most: number | null } {
  switch (operator) {
    case '<':
      return { least: null, most: Math.ceil(limit) - 1 };
    case '<=':
      return { least: null, most: limit };
    case '>':
      return { least: Math.floor(limit) + 1, most: null };
    case '>=':
      return { least: limit, most: null };
    case '=':
      return { least: limit, most: limit };
  }
}

/** The counts that the options of a question compare. Durations are none, and bytes do not come one by one. */
function countsOf(
  { options }: Question,
  { machine, counters }: RunOfQuestion,
): readonly (Allowed & { readonly isBytes: boolean })[] {
  return options.flatMap(({ when }, option) =>
    when.flatMap((condition) => {
      const found = conditionAt(machine, condition);
      if (!found || found.unit === 'ps') return [];
      const { place, unit } = found;
      const allowed = allowedBy(condition, found.limitIn(counters));
      return [{ option, place, ...allowed, isBytes: unit === 'B' }];
    }),
  );
}

/** Whether a question compares a count. */
export const asksCount = (question: Question, run: RunOfQuestion): boolean =>
  countsOf(question, run).length > 0;

/**
 * Time of the first event that an option does not allow, or that decides the question; infinite if there is none. What
 * the machine has counted before anything happens tells nothing.
 */
export async function exclusionPs(question: Question, run: RunOfQuestion): Promise<number> {
  const { machine, counters, find } = run;
  const passed = countsOf(question, run).flatMap(({ place, most }) =>
    most !== null && (counters[place] ?? 0) > most
      ? [(now: ArrayLike<number>) => (now[place] ?? 0) > most]
      : [],
  );
  const option = question.options[verdict(question, machine, counters)];
  const decides = option && !question.seen ? decidesAt(option, machine, counters) : null;
  const telling = decides ? [...passed, decides] : passed;
  if (telling.length === 0) return Number.POSITIVE_INFINITY;
  const first = await find((now) => telling.some((tells) => tells(now)));
  if (first && first.timePs > 0) return first.timePs;
  const times: number[] = [];
  for (const tells of telling) {
    const { timePs = 0 } = (await find(tells)) ?? {};
    if (timePs > 0) times.push(timePs);
  }
  return Math.min(...times);
}

/**
 * Share of a run after which a rate tells two options apart. Of events that come evenly, a number n varies by its square
 * root; two options with `most` and `least` events in the whole run differ by two such deviations after this share of it.
 */
const shareBetween = (most: number, least: number): number => (4 * least) / (least - most) ** 2;

/** The smallest such share of all pairs of options; at most 1. */
export function fairShare(question: Question, run: RunOfQuestion): number {
  const counts = countsOf(question, run).filter(({ isBytes }) => !isBytes);
  let share = 1;
  for (const { option, place, most } of counts)
    for (const other of counts) {
      if (other.option === option || other.place !== place) continue;
      if (most === null || other.least === null || other.least <= most) continue;
      share = Math.min(share, shareBetween(most, other.least));
    }
  return share;
}
