/** The form of the builder writes to the scenario text and reads from it. */
import { forEachDiagnostic } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PartType } from '../engine/manifest';
import { addPart, emptyFile, fileText } from '../model/builder/build-file';
import { type DraftPart, partIn } from '../model/builder/draft';
import { ENGINE_PARTS } from '../model/scenario/catalogue';
import type { CompiledParam } from '../model/scenario/compiled';
import { editableParam } from '../model/scenario/editable-param';
import { loadScenario } from '../model/scenario/load';
import { nearestLegal } from '../model/scenario/param-rules';
import { machineTexts } from '../model/scenario/scenarios';
import { toText } from '../model/scenario/values';
import { undoEdit } from '../model/session/editing';
import { session } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import Addresses from '../panels/builder/Addresses';
import Program from '../panels/builder/Program';
import Sheet from '../panels/builder/Sheet';
import { add, build, choose, commitText, remove, wireFrom, wireTo } from '../panels/builder/state';
import Text from '../panels/builder/Text';
import { PanelContext } from '../widgets/panels';

const machines = await machineTexts();
const place = { id: 'build-part', maximised: false, asText: false, canMaximise: false };

beforeAll(async () => {
  await openScenario('start/bus');
});

afterEach(cleanup);

const show = (panel: ReactNode) => render(<PanelContext value={place}>{panel}</PanelContext>);

/** Replaces the text being built. */
const from = (text: string): void => act(() => commitText(text));

/** The editor of the scenario's text. */
function editorIn(container: HTMLElement): EditorView {
  const root = container.querySelector('[data-editor]')?.shadowRoot;
  const editor = EditorView.findFromDOM(
    root?.querySelector<HTMLElement>('.cm-editor') as HTMLElement,
  );
  if (!editor) throw new Error('There is no editor.');
  return editor;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Text for a value other than the one shown. */
function otherText(part: DraftPart, { spec, value }: CompiledParam): string {
  const read = (name: string) => part.params.find((one) => one.spec.name === name)?.value ?? 0n;
  const all = [spec.min, spec.max].map((limit) => nearestLegal(BigInt(limit), spec, read));
  return toText(all.find((one) => one !== value) ?? value, spec.type, {});
}

/** Sets a parameter by its control: each choice, one step further, or another text. */
function setByHand(label: string, partName: string, param: CompiledParam): void {
  const part = partIn(build.getState().draft, partName);
  if (!part) throw new Error(`There is no ${partName}.`);
  const editable = editableParam(part, param);
  if (editable?.kind === 'choice')
    for (const { value } of [...editable.options, ...editable.options])
      fireEvent.change(screen.getByLabelText(label, { selector: 'select' }), { target: { value } });
  else if (editable) {
    const key = editable.value >= editable.max ? 'ArrowDown' : 'ArrowUp';
    fireEvent.keyDown(screen.getByLabelText(label, { selector: '[role="spinbutton"]' }), { key });
  } else {
    const field = screen.getByLabelText(label, { selector: 'input:not([type])' });
    fireEvent.change(field, { target: { value: otherText(part, param) } });
    fireEvent.blur(field);
  }
}

const types = [...ENGINE_PARTS.types.values()].filter(({ params }) => params.length > 0);

describe('every parameter of every kind of part is read as it was set', () => {
  test.each(types.map((type) => [type.name, type] as const))('%s', (_, type) => {
    const { file, name } = addPart(emptyFile(), type);
    show(<Sheet />);
    const all = () => partIn(build.getState().draft, name)?.params ?? [];
    const problems = (param: string) => {
      const loaded = loadScenario(build.getState().text, { file: 'test', machines });
      const problems = loaded.ok ? [] : loaded.problems;
      return problems.filter(({ pointer }) => pointer.endsWith(`/params/${param}`));
    };
    for (const { name: param, title, min, max } of type.params) {
      from(fileText(file));
      act(() => choose(name));
      const before = all().find(({ spec }) => spec.name === param);
      if (!before) throw new Error(`${param} is not shown.`);
      setByHand(capitalised(title), name, before);
      expect(problems(param), param).toEqual([]);
      const written = build.getState().file?.machine.parts[name]?.params?.[param];
      if (min !== max) expect(written, param).toBeDefined();
    }
  });
});

const COMMENTED = `{
  // mine
  "busyard": 1, "title": "Commented", "summary": "A machine.", "system": "own",
  "machine": {
    "parts": {
      "cpu": { "type": "processor" }, // one processor
      "cpu2": { "type": "processor" },
      "bridge": { "type": "bridge" }, // it posts
      "memory": { "type": "memory" },
      "pci": { "type": "pci" }
    },
    "wires": [
      // memory first
      ["bridge.memory", "memory.bridge"],
      ["bridge.pci", "pci.slot0"] // and the bus
    ]
  },
  "workload": {
    "cpu": [
      { "do": "spend", "time": "1 us" }, // work
      { "do": "end" } // no more
    ]
  },
  "until": "1 ms", // long
  "view": { "kind": "machine" }
}
`;

const commentsIn = (text: string): string[] => text.match(/\/\/ .*/g) ?? [];

describe('the machine being built', () => {
  test('keeps its comments after any change in the drawing or the form', () => {
    show(
      <>
        <Sheet />
        <Program />
      </>,
    );
    from(COMMENTED);
    const all = commentsIn(COMMENTED).sort();
    const isKept = () => expect(commentsIn(build.getState().text).sort()).toEqual(all);
    act(() => add('gt'));
    isKept();
    act(() => wireFrom({ part: 'cpu', port: 'front', index: 0 }));
    act(() => wireTo({ part: 'bridge', port: 'cpu', index: 0 }));
    isKept();
    act(() => choose('memory'));
    const title = screen.getByRole('textbox', { name: 'Title' });
    fireEvent.change(title, { target: { value: 'Store' } });
    fireEvent.blur(title);
    isKept();
    const time = screen.getByRole('textbox', { name: 'Row 1, time' });
    fireEvent.change(time, { target: { value: '3 us' } });
    fireEvent.blur(time);
    isKept();
    fireEvent.click(screen.getByRole('button', { name: 'Add a row' }));
    fireEvent.click(screen.getByRole('button', { name: 'Remove row 1' }));
    isKept();
    act(() => remove('pci'));
    isKept();
    expect(build.getState().text).toContain('Store');
  });

  test('is saved from the first letter typed in a field, and one visit of a field is one undo step', () => {
    show(<Sheet />);
    from(COMMENTED);
    act(() => choose('memory'));
    const title = screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' });
    const built = () => session.getState().built?.text ?? '';
    for (const value of ['S', 'St', 'Sto']) {
      fireEvent.change(title, { target: { value } });
      expect(built()).toContain(`"title": "${value}"`);
      expect(title.value).toBe(value);
    }
    fireEvent.blur(title);
    expect(built()).toContain('"title": "Sto"');
    act(undoEdit);
    expect(built()).toBe(COMMENTED);
    fireEvent.change(title, { target: { value: 'X' } });
    fireEvent.keyDown(title, { key: 'Escape' });
    expect(built()).toBe(COMMENTED);
    fireEvent.change(title, { target: { value: 'Y' } });
    cleanup();
    expect(built()).toContain('"title": "Y"');
    expect(session.getState().dragging).toBe(false);
  });

  test('has one history for typed text and drawing', async () => {
    const { container } = show(<Text />);
    from(COMMENTED);
    const editor = editorIn(container);
    const shown = () => editor.state.doc.toString();
    const typed = COMMENTED.replace('Commented', 'Typed');
    const at = COMMENTED.indexOf('Commented');
    act(() => editor.dispatch({ changes: { from: at, to: at + 9, insert: 'Typed' } }));
    expect(session.getState().built?.text).toBe(typed);
    await vi.waitFor(() => expect(build.getState().typed).toBeNull());
    act(() => add('gt'));
    expect(shown()).toContain('"gt"');
    fireEvent.keyDown(editor.contentDOM, { key: 'z', ctrlKey: true });
    expect(shown()).toBe(typed);
    fireEvent.keyDown(editor.contentDOM, { key: 'z', ctrlKey: true });
    expect(shown()).toBe(COMMENTED);
    fireEvent.keyDown(editor.contentDOM, { key: 'Z', keyCode: 90, ctrlKey: true, shiftKey: true });
    expect(shown()).toBe(typed);
  });

  test('marks the line of a problem in the text, with its reason', async () => {
    const { container } = show(<Text />);
    const wrong = COMMENTED.replace('"title"', '"titel"');
    from(wrong);
    await vi.waitFor(() => expect(build.getState().problems).not.toEqual([]));
    const line = build.getState().problems?.[0]?.line ?? 0;
    const { state } = editorIn(container);
    const marked: [string, string][] = [];
    forEachDiagnostic(state, ({ message }, start) => {
      marked.push([state.doc.lineAt(start).text, message]);
    });
    expect(marked[0]?.[0]).toBe(wrong.split('\n')[line - 1]);
    expect(marked[0]?.[1]).toBe(build.getState().problems?.[0]?.message);
  });

  test('shows the program of the last selected processor, wherever it was selected', () => {
    show(<Program />);
    from(COMMENTED);
    const shown = () =>
      screen.getByRole<HTMLSelectElement>('combobox', { name: 'Program of' }).value;
    act(() => choose('cpu2'));
    expect(shown()).toBe('cpu2');
    act(() => choose('memory'));
    expect(shown()).toBe('cpu2');
    fireEvent.change(screen.getByRole('combobox', { name: 'Program of' }), {
      target: { value: 'cpu' },
    });
    expect(shown()).toBe('cpu');
    act(() => choose(null));
    expect(shown()).toBe('cpu');
  });

  test('rows and loops are changed, moved, duplicated, repeated and copied', async () => {
    const loop = { for: 'i', count: 3, rows: [{ do: 'spend', time: '$i * 1 ns + 1 ns' }] };
    const processor = ENGINE_PARTS.types.get('processor') as PartType;
    const file = addPart(addPart(emptyFile(), processor).file, processor).file;
    const spend = { do: 'spend', time: '1 us' };
    from(fileText({ ...file, workload: { processor: [spend, loop], processor2: [spend] } }));
    show(<Program />);
    act(() => choose('processor'));
    const changed = (part = 'processor') => build.getState().file?.workload?.[part];
    const set = (label: string, value: string) => {
      const field = screen.getByLabelText(label);
      fireEvent.change(field, { target: { value } });
      fireEvent.blur(field);
    };
    const more = (label: string, action: string) => {
      fireEvent.click(screen.getByRole('button', { name: label }));
      fireEvent.click(screen.getByRole('menuitem', { name: action }));
    };
    const two = { do: 'spend', time: '2 us' };
    set('Row 1, time', '2 us');
    expect(changed()).toEqual([two, loop]);
    set('Loop 2, count', '5');
    set('Row 2.1, time', '$i * 2 ns');
    const longer = { for: 'i', count: 5, rows: [{ do: 'spend', time: '$i * 2 ns' }] };
    expect(changed()).toEqual([two, longer]);
    fireEvent.keyDown(screen.getByRole('button', { name: /^Loop 2: drag/ }), { key: 'ArrowUp' });
    expect(changed()).toEqual([longer, two]);
    // Into the loop beside it, and out again.
    const press = (name: RegExp, key: string) =>
      fireEvent.keyDown(screen.getByRole('button', { name }), { key });
    press(/^Row 2: drag/, 'ArrowRight');
    expect(changed()).toEqual([{ ...longer, rows: [...longer.rows, two] }]);
    press(/^Row 1\.2: drag/, 'ArrowUp');
    expect(changed()).toEqual([{ ...longer, rows: [two, ...longer.rows] }]);
    press(/^Row 1\.1: drag/, 'ArrowLeft');
    expect(changed()).toEqual([longer, two]);
    press(/^Row 1\.1: drag/, 'ArrowLeft');
    expect(changed()).toEqual([longer, two]);
    more('More for row 2', 'Duplicate');
    expect(changed()).toEqual([longer, two, two]);
    more('More for row 3', 'Repeat it in a loop');
    expect(changed()).toEqual([longer, two, { for: 'i', count: 4, rows: [two] }]);
    more('More for loop 3', 'Run its rows once');
    more('More for loop 1', 'Copy to Processor 2');
    expect(changed('processor2')).toEqual([spend, longer]);
    more('More for row 3', 'Insert a row above');
    expect(changed()).toEqual([longer, two, { do: 'spend', time: '1 us' }, two]);
    act(undoEdit);
    expect(changed()).toEqual([longer, two, two]);
    fireEvent.click(screen.getByRole('button', { name: 'Add a variable' }));
    set('Variable n1', '7');
    expect(build.getState().file?.variables).toEqual({ n1: 7 });
  });
});

test('a window is moved by keys, its overlap is told, and undo takes it back', async () => {
  await act(() => openScenario('start/bus'));
  show(<Addresses />);
  const card = () => screen.getByRole('slider', { name: 'Card, memory' });
  expect(card().getAttribute('aria-valuetext')).toMatch(/^0x80000000 to 0x87ffffff/);
  fireEvent.keyDown(card(), { key: 'ArrowUp' });
  expect(card().getAttribute('aria-valuetext')).toMatch(/^0x78000000 to 0x7fffffff/);
  expect(screen.getByRole('list', { name: 'Problems of addresses' }).textContent).toMatch(
    /claim the same addresses on "bus"/,
  );
  act(undoEdit);
  expect(screen.queryByRole('list', { name: 'Problems of addresses' })).toBeNull();
  fireEvent.keyDown(screen.getByRole('slider', { name: 'Card, memory: size' }), {
    key: 'ArrowDown',
  });
  expect(build.getState().file?.machine.parts.card?.params).toMatchObject({ size: '256 MiB' });
  act(undoEdit);
});
