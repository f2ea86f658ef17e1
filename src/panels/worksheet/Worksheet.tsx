import { useEffect, useState } from 'react';
import { runCommand } from '../../base/commands';
import { formatFragment, route, setParams } from '../../base/route';
import { useStore } from '../../controllers/useStore';
import { createWorkerEngine } from '../../engine/workers';
import type { Lesson } from '../../model/lesson/lesson';
import { openLesson } from '../../model/lesson/open-lesson';
import { type Solutions, solve } from '../../model/lesson/worksheet';
import type { Scenario } from '../../model/scenario/scenario-types';
import { scenarioKey } from '../../model/session/answers';
import { navigateInSession, session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { pageAddress } from '../../widgets/page-address';
import { CardPage, NotesPage, type SheetProps, SolutionsPage, WorksheetPage } from './Sheets';
import styles from './Worksheet.module.css';

/** Sheets beside the worksheet itself; two of them show the answers. */
const EXTRA = [
  { id: 'solutions', title: 'Solutions' },
  { id: 'card', title: 'Summary card' },
  { id: 'notes', title: 'Lecturer’s notes' },
] as const;

/** The lesson on paper: worksheet, solutions, summary card, lecturer's notes. */
export default function Worksheet() {
  const scenario = useStore(session, ({ data }) => data);
  const machine = useStore(session, (state) => state.machine);
  const id = useStore(session, (state) => state.scenario);
  const kind = useStore(session, (state) => state.kind);
  const name = useStore(session, scenarioKey);
  const lesson = useStore(openLesson);
  const chosen = useStore(route, ({ params }) => params.sheets ?? '').split(',');
  const isSolved = chosen.includes('solutions') || chosen.includes('card');
  const solutions = useSolutions(scenario, isSolved ? lesson : null);
  if (!scenario || !lesson || !machine) {
    return (
      <Panel title="Worksheet" bare>
        <EmptyState title="No lesson">This scenario has no lesson to print.</EmptyState>
      </Panel>
    );
  }
  const address = (step: number): string | null => {
    if (!id) return null;
    const params = { step: String(step) };
    return pageAddress(formatFragment({ view: kind, scenario: id, params }));
  };
  const sheet: SheetProps = { scenario, lesson, machine, name, address };
  return (
    <Panel title="Worksheet" bare scroll className={styles.panel ?? ''}>
      <Tools chosen={chosen} />
      <div className={styles.desk}>
        <WorksheetPage {...sheet} />
        {isSolved && !solutions && <p className={styles.wait}>The answers are being computed.</p>}
        {solutions && chosen.includes('solutions') && (
          <SolutionsPage {...sheet} solutions={solutions} />
        )}
        {solutions && chosen.includes('card') && <CardPage {...sheet} solutions={solutions} />}
        {chosen.includes('notes') && <NotesPage {...sheet} />}
      </div>
    </Panel>
  );
}

function Tools({ chosen }: { readonly chosen: readonly string[] }) {
  const kind = useStore(session, (state) => state.kind);
  const choose = (id: string, is: boolean) => {
    const all = EXTRA.map((sheet) => sheet.id).filter((one) =>
      one === id ? is : chosen.includes(one),
    );
    setParams({ sheets: all.length > 0 ? all.join(',') : null });
  };
  return (
    <div className={styles.tools}>
      <Button size="small" icon="back" onClick={() => navigateInSession(kind)}>
        To the lesson
      </Button>
      <fieldset>
        <legend className="visually-hidden">Sheets beside the worksheet</legend>
        {EXTRA.map(({ id, title }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) => choose(id, target.checked)}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <Button look="primary" onClick={() => runCommand('print')}>
        Print
      </Button>
    </div>
  );
}

/** What the runs say, from an engine of its own; null until it is known, and without a lesson. */
function useSolutions(scenario: Scenario | null, lesson: Lesson | null): Solutions | null {
  const [found, setFound] = useState<{ lesson: Lesson; solutions: Solutions } | null>(null);
  useEffect(() => {
    if (!scenario || !lesson) return;
    let isOver = false;
    const engine = createWorkerEngine();
    solve(engine, scenario, lesson)
      .then((solutions) => {
        if (!isOver) setFound({ lesson, solutions });
      })
      // A run that stops leaves the sheet without answers.
      .catch(() => undefined);
    return () => {
      isOver = true;
      engine.dispose();
    };
  }, [scenario, lesson]);
  return found && found.lesson === lesson ? found.solutions : null;
}
