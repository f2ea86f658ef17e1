import { unbroken } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import { answerMask } from '../../model/lesson/answer-mask';
import { quantityOf } from '../../model/lesson/quantity-of';
import type { Scenario } from '../../model/scenario/scenario-types';
import { player } from '../../model/session/open-run';
import { runBefore } from '../../model/session/run-before';
import { session } from '../../model/session/session';
import { quantityText } from './deciding-text';
import styles from './Question.module.css';

/** Measures beyond these would push the text away. */
const MOST = 4;

/** The scenario's measures, those that its lesson compares first. */
function measuresOf({ metrics, experiment }: Scenario) {
  const first = experiment?.metrics ?? [];
  const all = [...metrics.values()];
  return all.toSorted((a, b) => rank(first, a.name) - rank(first, b.name));
}

const rank = (names: readonly string[], name: string): number => {
  const at = names.indexOf(name);
  return at < 0 ? names.length : at;
};

/** "97.9 → 76.8 µs", "4 → 2 half lines": the unit once, if it is the same. */
function changeText(before: string, after: string): string {
  const unitOf = (text: string) => /[^\d\s.,][^\d]*$/u.exec(text)?.[0] ?? '';
  const [unit, same] = [unitOf(before), unitOf(before) === unitOf(after)];
  return `${same && unit ? before.slice(0, -unit.length).trim() : before} → ${after}`;
}

/** What a change of the machine has done to the measures; nothing is shown without a change. */
export function Change() {
  const data = useStore(session, (state) => state.data);
  const machine = useStore(session, (state) => state.machine);
  const before = useStore(runBefore);
  const mask = useStore(answerMask);
  useStore(player.state, (state) => state.complete);
  const counters = player.state.getState().complete
    ? player.recording()?.overview.at(-1)?.counters
    : undefined;
  const then = before?.recording.overview.at(-1)?.counters;
  if (!data || !machine || !before || !then || !counters || data.metrics.size === 0) return null;
  const changed = measuresOf(data)
    .filter((metric) => !mask?.masksMetric(metric))
    .flatMap(({ name, title }) => {
      const [was, is] = [
        quantityOf(name, { machine: before.machine, scenario: data, counters: then }),
        quantityOf(name, { machine, scenario: data, counters }),
      ];
      if (typeof was === 'string' || typeof is === 'string') return [];
      const [wasText, isText] = [quantityText(was), quantityText(is)];
      return wasText === isText ? [] : [{ title, text: changeText(wasText, isText) }];
    })
    .slice(0, MOST);
  if (changed.length === 0)
    return <p className={styles.running}>The change leaves all measures as they were.</p>;
  return (
    <dl className={styles.settings} aria-label="Before and after the change">
      {changed.map(({ title, text }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            <b>{unbroken(text)}</b>
          </dd>
        </div>
      ))}
    </dl>
  );
}
