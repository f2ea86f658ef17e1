import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { useEffect, useRef, useState } from 'react';
import { showToast } from '../../base/notices';
import { showsOneRun } from '../../controllers/machine-features';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import {
  countedIn,
  momentLink,
  outline,
  paramLink,
  partLink,
  questionLines,
  sceneLine,
  settingLink,
  suggestionsAt,
} from '../../model/lesson/author';
import { MAX_FILE_BYTES } from '../../model/scenario/json-text';
import { lessonText, namingLesson } from '../../model/scenario/lesson-file';
import { frontOf, withFront } from '../../model/scenario/lesson-front';
import type { Scenario } from '../../model/scenario/scenario-types';
import { listScenarios } from '../../model/scenario/scenarios';
import { redoEdit, scenarioFileText, setLesson, undoEdit } from '../../model/session/editing';
import { player } from '../../model/session/open-run';
import { selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { CodeEditor, type CodeEditorHandle } from '../../widgets/CodeEditor';
import { download, fileName } from '../../widgets/download';
import { Menu, type MenuItem } from '../../widgets/Menu';
import { Panel } from '../../widgets/Panel';
import styles from './Author.module.css';
import { closeAuthor } from './author-state';
import { lessonLanguage } from './lesson-language';
import { useLessonCheck } from './useLessonCheck';

/** Delay after the last key before a burst of typing becomes a step of undo, and is checked. */
const PAUSE_MS = 500;

/** The time of the last event at the playhead: a link leads to an event. */
function momentPs(): number {
  const { seq, timePs } = player.now();
  return player.trace()?.record(seq)?.timePs ?? timePs;
}

const selectedPart = () => {
  const { machine } = session.getState();
  const { part } = selection.getState();
  return part === null ? null : (machine?.parts[part] ?? null);
};

function complete({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const { machine, data, bookmarks } = session.getState();
  if (!machine || !data) return null;
  const line = state.doc.lineAt(pos);
  const found = suggestionsAt(line.text.slice(0, pos - line.from), {
    machine,
    scenario: data,
    known: listScenarios(),
    times: showsOneRun.getState() ? [momentPs(), ...bookmarks] : [],
  });
  if (!found || (found.options.length === 0 && !explicit)) return null;
  return { from: line.from + found.from, options: [...found.options], validFor: /^[\w.:/-]*$/ };
}

const extensions = [lessonLanguage, lessonLanguage.data.of({ autocomplete: complete })];

/** Typed text belongs to the session at once; after a pause, or when the editor is left, it is one step of undo. */
function createTyping() {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let typed: string | null = null;
  const settle = () => {
    clearTimeout(timer);
    const { lesson, dragging } = session.getState();
    if (typed !== null && lesson === typed && dragging) setLesson(typed);
    typed = null;
  };
  return {
    settle,
    type(text: string) {
      typed = text;
      setLesson(text, { commit: false });
      clearTimeout(timer);
      timer = setTimeout(settle, PAUSE_MS);
    },
    replace(text: string) {
      settle();
      if (text !== session.getState().lesson) setLesson(text);
    },
  };
}

/** The lesson's text beside the machine and the lesson as its readers see it. */
export default function Author() {
  const data = useStore(session, (state) => state.data);
  if (!data) return <Panel title="Lesson text">{null}</Panel>;
  return <Editor scenario={data} />;
}

function Editor({ scenario }: { readonly scenario: Scenario }) {
  const text = useStore(session, ({ lesson }) => lesson) ?? '';
  const editor = useRef<CodeEditorHandle>(null);
  const [typing] = useState(createTyping);
  useEffect(() => typing.settle, [typing]);
  // Moments are those of one run: beside curves of many there is none.
  const showsRun = useStore(showsOneRun);
  useRun(showsRun);
  const check = useLessonCheck(scenario, text, PAUSE_MS);
  const { problems } = check;
  const state =
    check.failed ??
    (check.text !== text
      ? 'being checked'
      : problems.length > 0
        ? `${problems.length} to fix`
        : 'correct');
  const insert = (make: (selected: string) => string) => editor.current?.insert(make);
  const tools = (
    <Button look="link" onClick={closeAuthor}>
      Close
    </Button>
  );
  return (
    <Panel title="Lesson text" sub={<span role="status">{state}</span>} tools={tools}>
      <div className={styles.author}>
        <div className={styles.tools}>
          {showsRun && (
            <Button size="small" onClick={() => insert((words) => momentLink(momentPs(), words))}>
              Link to this moment
            </Button>
          )}
          <Menu className={styles.menu} label="Insert" items={() => insertions(insert)}>
            Insert…
          </Menu>
          <Menu
            className={styles.menu}
            label="Lesson file"
            items={() => files(scenario, typing.replace)}
          >
            File…
          </Menu>
        </div>
        <CodeEditor
          handle={editor}
          label="Lesson text"
          value={text}
          problems={problems}
          extensions={extensions}
          onType={typing.type}
          onLeave={typing.settle}
          onUndo={undoEdit}
          onRedo={redoEdit}
        />
      </div>
    </Panel>
  );
}

/** A question about what the selected part, or else any, counts in the run. */
function questions(insert: Insert): MenuItem[] {
  const { machine } = session.getState();
  const part = selectedPart();
  const end = player.recording()?.overview.at(-1)?.counters;
  if (!machine || !end) return [];
  const flat = [...end];
  const all = machine.parts.map(({ type }) => flat.splice(0, type.counters.length));
  const [counted] = countedIn(part ? [part] : machine.parts, all);
  if (!counted) return [];
  const hint = `${counted.part.name}.${counted.counter.name}`;
  return [
    { id: 'question', title: 'Question', hint, run: () => insert(() => questionLines(counted)) },
  ];
}

type Insert = (make: (selected: string) => string) => void;

/** What can be inserted for the selected part; without one, for each part. */
function insertions(insert: Insert): MenuItem[] {
  const part = selectedPart();
  const { title, lesson } = session.getState();
  const first: MenuItem = {
    id: 'outline',
    title: 'Outline of a lesson',
    hint: 'three steps',
    run: () => insert(() => outline(title)),
  };
  const scene: MenuItem = {
    id: 'scene',
    title: 'Scene of this moment',
    hint: 'a line of its own',
    run: () => insert(() => sceneLine(momentPs(), part)),
  };
  const scenes = [
    ...(lesson?.trim() ? [] : [first]),
    ...(showsOneRun.getState() ? [scene, ...questions(insert)] : []),
  ];
  if (!part) {
    const parts = session.getState().machine?.parts ?? [];
    return [
      ...scenes,
      ...parts.map((one) => ({
        id: one.name,
        title: `Link to ${one.title}`,
        hint: one.name,
        run: () => insert((words) => partLink(one, words)),
      })),
    ];
  }
  return [
    ...scenes,
    {
      id: 'part',
      title: `Link to ${part.title}`,
      hint: part.name,
      run: () => insert((words) => partLink(part, words)),
    },
    ...part.params.map((param) => ({
      id: param.path,
      title: `Parameter: ${param.spec.title}`,
      hint: param.path,
      run: () => insert((words) => paramLink(part, param, words)),
    })),
    ...part.params
      .filter(({ edited }) => edited)
      .map((param) => ({
        id: `set ${param.path}`,
        title: `Setting: ${param.spec.title} as it is now`,
        hint: param.path,
        run: () => insert((words) => settingLink(part, param, words)),
      })),
  ];
}

/** A lesson and its scenario have the same name; the scenario names the lesson. */
function files(scenario: Scenario, replace: (text: string) => void): MenuItem[] {
  const { lesson, scenario: included } = session.getState();
  const text = lesson ?? '';
  const name = scenario.id ? (scenario.id.split('/').at(-1) ?? '') : fileName(scenario.title);
  return [
    { id: 'open', title: 'Open a lesson', hint: '.md', run: () => choose(replace) },
    {
      id: 'save',
      title: 'Save the lesson',
      hint: `${name}.md`,
      run: () =>
        download(
          `${name}.md`,
          included && frontOf(text).lines === 0 ? withFront(text, included) : text,
          'text/markdown',
        ),
    },
    {
      id: 'save-scenario',
      title: 'Save the scenario that names it',
      hint: `${name}.json`,
      run: () =>
        download(
          `${name}.json`,
          namingLesson(scenarioFileText(), `${name}.md`),
          'application/json',
        ),
    },
  ];
}

function choose(replace: (text: string) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.md,text/markdown';
  input.addEventListener('change', async () => {
    const file = input.files?.[0];
    if (!file) return;
    if (file.size <= MAX_FILE_BYTES) return replace(lessonText(await file.text()));
    showToast(`${file.name} is larger than any lesson. Yours is untouched.`);
  });
  input.click();
}
