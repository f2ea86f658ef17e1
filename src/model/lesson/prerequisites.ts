/** Prerequisites of lessons, maintained by hand in prerequisites.json. */

import { listScenarios, type ScenarioEntry } from '../scenario/scenarios';
import { type Answers, tallyOf } from '../session/answers';
import needs from './prerequisites.json';

const NEEDS: Readonly<Record<string, readonly string[]>> = needs;

export interface MappedLesson {
  readonly entry: ScenarioEntry;
  readonly needs: readonly ScenarioEntry[];
  readonly leadsTo: readonly ScenarioEntry[];
  /** Longest chain of lessons before it. */
  readonly level: number;
  /** The same, within its own system. */
  readonly column: number;
}

type Counts = (need: string) => boolean;

function levelOf(id: string, counts: Counts, seen: readonly string[] = []): number {
  const before = (NEEDS[id] ?? []).filter((one) => counts(one) && !seen.includes(one));
  return before.length === 0
    ? 0
    : 1 + Math.max(...before.map((one) => levelOf(one, counts, [...seen, id])));
}

/** All lessons, each after those that it needs. */
export function lessonMap(): readonly MappedLesson[] {
  const entries = listScenarios();
  const named = (ids: readonly string[]) => entries.filter(({ id }) => ids.includes(id));
  const systemOf = new Map(entries.map(({ id, system }) => [id, system]));
  return entries
    .map((entry) => ({
      entry,
      needs: named(NEEDS[entry.id] ?? []),
      leadsTo: entries.filter(({ id }) => NEEDS[id]?.includes(entry.id)),
      level: levelOf(entry.id, () => true),
      column: levelOf(entry.id, (need) => systemOf.get(need) === entry.system),
    }))
    .sort((a, b) => a.level - b.level);
}

/** Whether all questions of a lesson are answered or revealed. */
export function isDone({ id, questions }: ScenarioEntry, given: Answers): boolean {
  const { answered, shown } = tallyOf({ [id]: given[id] ?? {} });
  return questions > 0 && answered + shown >= questions;
}

/** Whether a lesson is not done, but all lessons that it needs are. */
export const isNext = ({ entry, needs: before }: MappedLesson, given: Answers): boolean =>
  !isDone(entry, given) && before.every((one) => one.questions === 0 || isDone(one, given));
