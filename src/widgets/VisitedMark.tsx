import { count } from '../base/format';
import { visitedScenarios } from '../base/recent';
import { useStore } from '../controllers/useStore';
import type { ScenarioEntry } from '../model/scenario/scenarios';
import { answers, tallyOf } from '../model/session/answers';

/** Nothing: never opened. Half disc: opened. Disc: all questions answered. */
export function VisitedMark({ entry }: { readonly entry: ScenarioEntry }) {
  const visited = useStore(visitedScenarios, (ids) => ids.includes(entry.id));
  const tally = useStore(answers, (all) => all[entry.id]);
  const { answered, right } = tallyOf(tally ? { [entry.id]: tally } : {});
  const all = answered > 0 && answered >= entry.questions;
  const words =
    answered > 0
      ? `${answered} of ${count(entry.questions, 'question')} answered, ${right} predicted`
      : visited
        ? 'opened before'
        : 'new';
  return (
    <svg
      width="10"
      height="10"
      viewBox="0 0 10 10"
      role="img"
      aria-label={words}
      data-new={(!visited && answered === 0) || undefined}
    >
      <title>{words}</title>
      {(visited || answered > 0) && (
        <circle cx="5" cy="5" r="3.7" fill="none" stroke="currentColor" strokeWidth="1.1" />
      )}
      {all && <circle cx="5" cy="5" r="3.7" fill="currentColor" />}
      {!all && visited && <path d="M5 1A4 4 0 0 1 5 9z" fill="currentColor" />}
    </svg>
  );
}
