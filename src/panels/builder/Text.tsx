import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useStore } from '../../controllers/useStore';
import { lineOf } from '../../model/scenario/problems';
import { redoEdit, undoEdit } from '../../model/session/editing';
import { Button } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import { type BuildState, build, commitText, settle, typeText } from './state';
import styles from './Text.module.css';
import { useBuild } from './useBuild';

/** Delay after the last key before the text is read. */
const PAUSE_MS = 500;

/** Undo covers typing and drawing; the browser's own undo knows only the text. */
function onKeyDown(event: KeyboardEvent): void {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== 'z' && key !== 'y')) return;
  event.preventDefault();
  if (key === 'y' || event.shiftKey) redoEdit();
  else undoEdit();
}

/** The machine as the text of its file, editable. */
export default function Text() {
  const text = useBuild((state: BuildState) => state.text);
  const { problems, typed, typedIn } = useStore(build);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (typed === null || typedIn !== 'text') return;
    const timer = setTimeout(() => commitText(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, typedIn]);
  useEffect(() => settle, []);
  const goTo = (line: number) => {
    const area = field.current;
    if (!area) return;
    const lines = area.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    area.focus();
    area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  const count = problems?.length ?? 0;
  const sub = count > 0 ? `${count} to fix` : problems && 'runs';
  return (
    <Panel title="Scenario text" sub={sub}>
      <div className={styles.text}>
        <textarea
          ref={field}
          aria-label="Scenario text"
          aria-invalid={count > 0}
          spellCheck={false}
          wrap="off"
          value={typed ?? text}
          onChange={(event) => typeText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {count > 0 && (
          <ul>
            {problems?.map((found) => (
              <li key={lineOf(found)}>
                {found.line > 0 && (
                  <Button look="link" onClick={() => goTo(found.line)}>
                    line {found.line}
                  </Button>
                )}{' '}
                {found.message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}
