import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { type EditorView, hoverTooltip } from '@codemirror/view';
import { useEffect } from 'react';
import { useStore } from '../../controllers/useStore';
import { partIn, socketText } from '../../model/builder/draft';
import type { Problem } from '../../model/scenario/problems';
import { explanationAt, helpAt, type TextContext } from '../../model/scenario/text-help';
import { redoEdit, undoEdit } from '../../model/session/editing';
import { CodeEditor } from '../../widgets/CodeEditor';
import { Panel } from '../../widgets/Panel';
import { scenarioLanguage } from './scenario-language';
import { type BuildState, build, commitText, settle, typeText } from './state';
import styles from './Text.module.css';
import { useBuild } from './useBuild';

const NO_PROBLEMS: readonly Problem[] = [];

/** Delay after the last key before the text is read. */
const PAUSE_MS = 500;

/** Names of the machine that the drawing shows. */
function contextNow(): TextContext {
  const { draft } = build.getState();
  return {
    typeOf: (name) => partIn(draft, name)?.type.name ?? null,
    sockets: draft.parts.flatMap(({ name, type }) =>
      type.ports.flatMap((port) =>
        Array.from({ length: port.count }, (_, index) =>
          socketText(draft, { part: name, port: port.name, index }),
        ),
      ),
    ),
  };
}

function complete({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const found = helpAt(state.doc.toString(), pos, contextNow());
  if (!found || (!explicit && found.from === pos)) return null;
  return {
    from: found.from,
    to: found.to,
    options: found.options.map(({ name, text, info }) => ({
      label: JSON.stringify(name),
      displayLabel: name,
      apply: text,
      ...(info ? { info } : {}),
    })),
  };
}

/** What a name or value means, where the pointer rests. */
const explain = hoverTooltip((view: EditorView, at: number) => {
  const found = explanationAt(view.state.doc.toString(), at, contextNow());
  if (!found) return null;
  return {
    pos: found.from,
    end: found.to,
    create() {
      const dom = document.createElement('div');
      dom.textContent = found.info;
      return { dom };
    },
  };
});

const extensions = [
  scenarioLanguage,
  scenarioLanguage.data.of({ autocomplete: complete }),
  explain,
];

/** The machine as the text of its file, editable. */
export default function Text() {
  const text = useBuild((state: BuildState) => state.text);
  const { problems, typed, typedIn } = useStore(build);
  useEffect(() => {
    if (typed === null || typedIn !== 'text') return;
    const timer = setTimeout(() => commitText(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, typedIn]);
  useEffect(() => settle, []);
  const count = problems?.length ?? 0;
  const sub = count > 0 ? `${count} to fix` : problems && 'runs';
  return (
    <Panel title="Scenario text" sub={sub}>
      <div className={styles.text}>
        <CodeEditor
          label="Scenario text"
          value={typed ?? text}
          problems={problems ?? NO_PROBLEMS}
          extensions={extensions}
          onType={typeText}
          onUndo={undoEdit}
          onRedo={redoEdit}
        />
      </div>
    </Panel>
  );
}
