import { useEffect, useRef } from 'react';
import { formatFragment, route } from '../../base/route';
import { useStore } from '../../controllers/useStore';
import { glossary, loadGlossary } from '../../model/lesson/glossary';
import { listScenarios } from '../../model/scenario/scenarios';
import type { Term } from '../../model/trace/terms';
import { Panel } from '../../widgets/Panel';
import styles from './Glossary.module.css';

/** All terms used in lessons: definition, where each occurs, and the lesson on it. */
export default function Glossary() {
  const terms = useStore(glossary, (state) => state.terms);
  useEffect(loadGlossary, []);
  const themes = [...new Set(terms.map(({ theme }) => theme))];
  return (
    <Panel title="Glossary" bare scroll>
      <div className={styles.page}>
        <p className={styles.lead}>
          Words of the field, as the lessons use them. In a lesson a dotted line marks the first
          occurrence of each: point at it, or reach it with Tab.
        </p>
        {themes.map((theme) => (
          <section key={theme} aria-labelledby={`theme-${theme}`}>
            <h3 id={`theme-${theme}`}>{theme}</h3>
            <dl>
              {terms
                .filter((term) => term.theme === theme)
                .map((term) => (
                  <Entry key={term.term} term={term} />
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Panel>
  );
}

function Entry({ term }: { readonly term: Term }) {
  const isWanted = useStore(route, ({ params }) => params.term === term.term);
  const word = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    word.current?.focus({ preventScroll: true });
    word.current?.scrollIntoView({ block: 'center' });
  }, [isWanted]);
  const lesson = listScenarios().find((entry) => entry.id === term.lesson);
  return (
    <div data-wanted={isWanted || undefined}>
      <dt ref={word} tabIndex={-1}>
        {term.term}
      </dt>
      <dd>{term.what}</dd>
      <dd className={styles.where}>{term.where}</dd>
      {lesson && (
        <dd className={styles.lesson}>
          <a href={formatFragment({ view: lesson.kind, scenario: lesson.id, params: {} })}>
            {lesson.title}
          </a>
        </dd>
      )}
    </div>
  );
}
