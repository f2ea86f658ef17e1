import { type DragEvent, useState } from 'react';
import { useStore } from '../../controllers/useStore';
import { parseGttp } from '../../model/scenario/gttp-import';
import { type Problem, placeOf } from '../../model/scenario/problems';
import { session, setMeasured } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Dialog } from '../../widgets/Dialog';
import styles from './OwnTable.module.css';

/** The user's own measurements: pasted, dropped or chosen. Errors name place and reason. */
export function OwnTable({ onClose }: { onClose(): void }) {
  const before = useStore(session, (state) => state.measured);
  const [text, setText] = useState(before?.text ?? '');
  const [name, setName] = useState(before?.name ?? 'pasted table');
  const [problems, setProblems] = useState<readonly Problem[]>([]);

  function show(contents: string, file: string): void {
    const table = parseGttp(contents);
    if (!table.ok) {
      setProblems(table.problems);
      return;
    }
    setMeasured({ name: file, text: contents, table: table.value });
    onClose();
  }

  async function take(file: File | undefined): Promise<void> {
    if (!file) return;
    const contents = await file.text();
    setText(contents);
    setName(file.name);
    show(contents, file.name);
  }

  function onDrop(event: DragEvent): void {
    event.preventDefault();
    event.stopPropagation();
    void take(event.dataTransfer.files[0]);
  }

  return (
    <Dialog title="Your own gttp table" className={styles.dialog} onClose={onClose}>
      <div className={styles.body}>
        <p className={styles.how}>
          Paste what <code>gttp -GA</code> prints, drop a file here, or choose one. Its values
          appear as diamonds beside the model. They stay in this browser.
        </p>
        <textarea
          className={styles.text}
          aria-label="gttp output"
          aria-invalid={problems.length > 0}
          spellCheck={false}
          rows={12}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setName('pasted table');
            setProblems([]);
          }}
          onDrop={onDrop}
        />
        {problems.length > 0 && (
          <ul className={styles.problems} role="alert">
            {problems.map((problem) => (
              <li key={`${problem.line} ${problem.column} ${problem.message}`}>
                <b>{placeOf(problem)}</b> {problem.message}
              </li>
            ))}
          </ul>
        )}
        <div className={styles.actions}>
          <Button look="primary" disabled={text.trim() === ''} onClick={() => show(text, name)}>
            Show beside the model
          </Button>
          <label className={styles.file}>
            Choose a file…
            <input
              className="visually-hidden"
              type="file"
              accept=".txt,.csv,.log,text/plain"
              onChange={(event) => void take(event.target.files?.[0])}
            />
          </label>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
