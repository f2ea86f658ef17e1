import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { type EditorView, hoverTooltip } from '@codemirror/view';
import { useEffect, useMemo, useRef } from 'react';
import { time, text as unitText } from '../../base/format';
import { useBreakpoints, usePresentRows, useProgramCosts } from '../../controllers/useProgramRows';
import { useStore } from '../../controllers/useStore';
import { runsPrograms } from '../../model/builder/build-file';
import { partIn, socketText } from '../../model/builder/draft';
import { type RowLine, rowLines } from '../../model/builder/row-lines';
import { totalCost } from '../../model/drivers/row-costs';
import type { Problem } from '../../model/scenario/problems';
import { isSameItem } from '../../model/scenario/program-loops';
import { explanationAt, helpAt, type TextContext } from '../../model/scenario/text-help';
import { redoEdit, undoEdit } from '../../model/session/editing';
import { CodeEditor, type CodeEditorHandle } from '../../widgets/CodeEditor';
import { Panel } from '../../widgets/Panel';
import { type RowMark, rowMarks, setRowMarks } from './row-marks';
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

/** The rows of the text with what they do at the playhead and cost; rows are known once a text has been read. */
function useRowMarks(text: string, isTyped: boolean) {
  const draft = useStore(build, (state) => state.draft);
  const present = usePresentRows();
  const costs = useProgramCosts();
  const breakpoints = useBreakpoints();
  const lines = useMemo(() => {
    const workers = draft.parts.filter(({ type }) => runsPrograms(type));
    return isTyped
      ? []
      : rowLines(
          text,
          workers.map(({ name }) => name),
        );
  }, [text, isTyped, draft]);
  const byLine = new Map<number, RowLine[]>();
  for (const row of lines) byLine.set(row.line, [...(byLine.get(row.line) ?? []), row]);
  const toggle = (line: number) => breakpoints.toggle(byLine.get(line) ?? []);
  const marks = [...byLine].map(([line, places]): RowMark => {
    const now = places.flatMap(
      ({ part, thread, item }) =>
        present.find(
          (one) => one.program.name === part && one.thread === thread && isSameItem(one.item, item),
        )?.state ?? [],
    );
    const stopping = places.filter((place) => breakpoints.canStop(place));
    const cost = totalCost(places.flatMap((place) => costs.of(place) ?? []));
    return {
      line,
      now: (['running', 'waiting', 'ready'] as const).find((state) => now.includes(state)) ?? null,
      stops: stopping.length > 0 ? stopping.every((place) => breakpoints.has(place)) : null,
      cost: cost && cost.ended > 0 ? unitText(time(cost.time)) : '',
    };
  });
  return { marks, toggle };
}

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
  const editor = useRef<CodeEditorHandle>(null);
  const { marks, toggle } = useRowMarks(text, typed !== null);
  const latestToggle = useRef(toggle);
  latestToggle.current = toggle;
  const all = useMemo(() => [...extensions, rowMarks((line) => latestToggle.current(line))], []);
  const shownMarks = JSON.stringify(marks);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marks are compared by their contents
  useEffect(() => editor.current?.show(setRowMarks.of(marks)), [shownMarks]);
  const count = problems?.length ?? 0;
  const sub = count > 0 ? `${count} to fix` : problems && 'runs';
  return (
    <Panel title="Scenario text" sub={sub}>
      <div className={styles.text}>
        <CodeEditor
          label="Scenario text"
          value={typed ?? text}
          problems={problems ?? NO_PROBLEMS}
          extensions={all}
          handle={editor}
          onType={typeText}
          onUndo={undoEdit}
          onRedo={redoEdit}
        />
      </div>
    </Panel>
  );
}
