import { useState } from 'react';
import { showOverlay } from '../../base/shell-state';
import { useStore } from '../../controllers/useStore';
import type { LessonFile } from '../../model/scenario/lesson-file';
import { placeOf } from '../../model/scenario/problems';
import { listScenarios, systemTitle } from '../../model/scenario/scenarios';
import { openLesson, withoutScenario } from '../../model/session/lone-lesson';
import { navigateInSession, session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Dialog, DialogActions, DialogBody } from '../../widgets/Dialog';
import styles from './ChooseScenario.module.css';

/** The list's value for the open session. */
const OPEN = '';

/** Asks which scenario a lesson belongs to, when its file does not say so. */
export default function ChooseScenario() {
  const { lesson } = useStore(withoutScenario);
  return lesson && <Choice lesson={lesson} />;
}

const close = () => showOverlay(null);

function Choice({ lesson }: { readonly lesson: LessonFile }) {
  const [open] = useState(() => session.getState());
  const isOpen = open.status === 'open';
  const [id, setId] = useState(isOpen ? OPEN : (listScenarios()[0]?.id ?? ''));
  const [problem, setProblem] = useState('');
  const named = id === OPEN ? open.scenario : id;
  async function go(): Promise<void> {
    const opened = await openLesson(lesson, id === OPEN ? null : id);
    if (!opened.ok) {
      setProblem(opened.problems.map((one) => `${placeOf(one)} ${one.message}`.trim()).join(' '));
      return;
    }
    close();
    if (!opened.overtaken) navigateInSession(session.getState().kind);
  }
  return (
    <Dialog title="Which scenario does this lesson belong to?" onClose={close}>
      <DialogBody>
        <p>
          <b>{lesson.name}</b> names none, and its title is that of none.
        </p>
        <label className={styles.scenario}>
          Scenario
          <select value={id} onChange={({ target }) => setId(target.value)}>
            {isOpen && <option value={OPEN}>{`The open one: ${open.title}`}</option>}
            {systems().map((system) => (
              <optgroup key={system} label={systemTitle(system)}>
                {listScenarios()
                  .filter((entry) => entry.system === system)
                  .map((entry) => (
                    <option key={entry.id} value={entry.id}>
                      {entry.title}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        {problem && <p role="alert">{problem}</p>}
        {named && (
          <>
            <p className={styles.how}>
              A file that begins with these lines is opened without a question:
            </p>
            <pre className={styles.front}>{`---\nscenario: ${named}\n---`}</pre>
          </>
        )}
        <DialogActions>
          <Button look="primary" onClick={() => void go()}>
            Open the lesson there
          </Button>
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
        </DialogActions>
      </DialogBody>
    </Dialog>
  );
}

const systems = (): string[] => [...new Set(listScenarios().map(({ system }) => system))];
