/**
 * An editor for text files with line numbers, highlighting, completion, and problems at their lines and in a list
 * below. Undo is the caller's: the text is part of a larger document. Tab leaves the editor, as in any other field.
 */
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import {
  Annotation,
  EditorState,
  type Extension,
  type StateEffect,
  type Text,
} from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { Button } from './Button';
import styles from './CodeEditor.module.css';

interface CodeProblem {
  /** From 1; 0 if the problem has no place. */
  readonly line: number;
  readonly message: string;
}

export interface CodeEditorHandle {
  /** Replaces the selected text, and moves the focus behind it. */
  insert(make: (selected: string) => string): void;
  /** Shows what an extension marks in the text. */
  show(effect: StateEffect<unknown>): void;
}

interface CodeEditorProps {
  readonly label: string;
  readonly value: string;
  readonly problems: readonly CodeProblem[];
  /** Language, completion and hover; read when the editor appears. */
  readonly extensions: readonly Extension[];
  readonly handle?: Ref<CodeEditorHandle>;
  onType(text: string): void;
  onLeave?(): void;
  onUndo(): void;
  onRedo(): void;
}

/** Marks changes that came from outside the editor. */
const isFromOutside = Annotation.define<boolean>();

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink-1)', backgroundColor: 'var(--sheet)' },
  // The frame of the focus is the host's: here line numbers would cover it.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '400 11.5px / 1.55 var(--font-mono)' },
  '.cm-content': { caretColor: 'var(--ink-1)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sheet)',
    color: 'var(--ink-3)',
    border: '0',
  },
  '.cm-activeLine': { backgroundColor: 'transparent', boxShadow: 'inset 2px 0 var(--line-1)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-wash)',
  },
  '.cm-tooltip': {
    maxWidth: '360px',
    backgroundColor: 'var(--sheet)',
    color: 'var(--ink-1)',
    border: '1px solid var(--line-1)',
    font: '400 12px / 1.4 var(--font-ui)',
  },
  '.cm-tooltip-hover': { padding: '6px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-wash)',
    color: 'var(--ink-1)',
  },
  '.cm-completionDetail': { color: 'var(--ink-2)', fontStyle: 'normal' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
});

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.link, color: 'var(--accent)' },
  { tag: tags.keyword, color: 'var(--warn)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: tags.bool, color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
]);

function diagnosticsOf(doc: Text, problems: readonly CodeProblem[]): Diagnostic[] {
  return problems.flatMap(({ line, message }) => {
    if (line < 1 || line > doc.lines) return [];
    const { from, to } = doc.line(line);
    return [{ from, to, message, severity: 'error' as const }];
  });
}

/** The smallest replacement that makes one text of another, so that the cursor keeps its place. */
function replacement(before: string, after: string) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return {
    from: start,
    to: before.length - end,
    insert: after.slice(start, after.length - end),
  };
}

/**
 * The editor has a shadow root: there its style sheets are objects, which the page's policy allows, and not elements.
 */
const rootOf = (host: HTMLElement): ShadowRoot =>
  host.shadowRoot ?? host.attachShadow({ mode: 'open' });

function extensionsFor(latest: { readonly current: CodeEditorProps }): Extension[] {
  const act = (run: () => void) => () => {
    run();
    return true;
  };
  const undo = act(() => latest.current.onUndo());
  const redo = act(() => latest.current.onRedo());
  return [
    lineNumbers(),
    lintGutter(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    bracketMatching(),
    autocompletion({ icons: false }),
    syntaxHighlighting(colours),
    theme,
    [...latest.current.extensions],
    keymap.of([
      { key: 'Mod-z', run: undo, preventDefault: true },
      { key: 'Mod-y', run: redo, preventDefault: true },
      { key: 'Mod-Shift-z', run: redo, preventDefault: true },
      ...completionKeymap,
      ...lintKeymap,
      ...defaultKeymap,
    ]),
    EditorView.contentAttributes.of(() => ({
      'aria-label': latest.current.label,
      'aria-invalid': String(latest.current.problems.length > 0),
      tabindex: '0',
    })),
    EditorView.updateListener.of(({ state, transactions }) => {
      const isOwn = transactions.some((one) => one.docChanged && !one.annotation(isFromOutside));
      if (isOwn) latest.current.onType(state.doc.toString());
    }),
    EditorView.domEventHandlers({ blur: () => latest.current.onLeave?.() }),
  ];
}

export function CodeEditor(props: CodeEditorProps) {
  const { label, value, problems, handle } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (!host.current) return;
    const root = rootOf(host.current);
    const extensions = extensionsFor(latest);
    const state = EditorState.create({ doc: latest.current.value, extensions });
    const editor = new EditorView({ parent: root, root, state });
    view.current = editor;
    // The page focuses panels by their elements; inside, the text has the focus.
    host.current.focus = () => editor.focus();
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    const shown = editor?.state.doc.toString() ?? value;
    if (!editor || shown === value) return;
    editor.dispatch({
      changes: replacement(shown, value),
      annotations: isFromOutside.of(true),
    });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor)
      editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems)));
  }, [problems]);

  const goTo = (line: number) => {
    const editor = view.current;
    if (!editor) return;
    const { from, to } = editor.state.doc.line(Math.min(line, editor.state.doc.lines));
    editor.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    editor.focus();
  };

  useImperativeHandle(handle, () => ({
    show(effect) {
      view.current?.dispatch({ effects: effect });
    },
    insert(make) {
      const editor = view.current;
      if (!editor) return;
      const { from, to } = editor.state.selection.main;
      const text = make(editor.state.sliceDoc(from, to));
      editor.dispatch({
        changes: { from, to, insert: text },
        selection: { anchor: from + text.length },
        scrollIntoView: true,
      });
      editor.focus();
    },
  }));

  return (
    <>
      <p className="visually-hidden">
        Tab leaves the editor. Control and Space completes a name. F8 goes to the next problem.
      </p>
      <div ref={host} className={styles.editor} data-editor={label} data-own-keys />
      {problems.length > 0 && (
        <ul className={styles.problems} aria-label={`Problems of the ${label.toLowerCase()}`}>
          {problems.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              {line > 0 && (
                <Button look="link" onClick={() => goTo(line)}>
                  line {line}
                </Button>
              )}{' '}
              {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
