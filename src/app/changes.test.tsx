/**
 * Parameter changes during a run: where they apply, where they are marked, and what undo and a saved session
 * keep.
 */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { notices } from '../base/notices';
import { navigate } from '../base/route';
import { redoEdit, resetAll, saveText, undoEdit } from '../model/session/editing';
import { player } from '../model/session/open-run';
import { clearSelection, select } from '../model/session/selection';
import { session } from '../model/session/session';
import { openScenario, openText } from '../model/session/session-module';
import { actsFrom } from '../panels/inspector/acts-from';
import Inspector from '../panels/inspector/Inspector';
import Overview from '../panels/timeline/Overview';
import { standInForPage } from '../widgets/page.fixture';
import { PanelContext } from '../widgets/panels';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };
const SCENARIO = 'gt/gfixit';
const TITLE = 'PIO read, per load';

beforeAll(() => standInForPage(900));
beforeEach(async () => {
  actsFrom.setState({ from: 'start' });
  navigate({ view: 'machine', scenario: SCENARIO });
  await openScenario(SCENARIO);
  for (const [id, Panel] of [
    ['inspector', Inspector],
    ['overview', Overview],
  ] as const)
    render(
      <PanelContext value={{ id, maximised: false, asText: false, canMaximise: false }}>
        <Panel />
      </PanelContext>,
    );
  await complete();
  const cpu = session.getState().machine?.parts.find(({ name }) => name === 'cpu');
  act(() => select({ part: cpu?.index ?? -1 }));
});
afterEach(() => {
  cleanup();
  clearSelection();
});

const complete = () => vi.waitUntil(() => player.state.getState().complete, WAIT);

async function goTo(timePs: number): Promise<void> {
  await complete();
  await act(() => player.toTime(timePs));
}

/** Types a value for the parameter and waits for the run. */
async function type(text: string, name = TITLE): Promise<void> {
  const field = screen.getByRole('spinbutton', { name });
  await act(async () => {
    fireEvent.focus(field);
    fireEvent.change(field, { target: { value: text } });
    fireEvent.keyDown(field, { key: 'Enter' });
  });
  await complete();
}

const shown = () => (screen.getByRole('spinbutton', { name: TITLE }) as HTMLInputElement).value;
const choose = (name: string) => fireEvent.click(screen.getByRole('radio', { name }));
const marks = () => {
  const list = screen.queryByRole('list', { name: 'Changes during the run' });
  return list ? within(list).queryAllByRole('button') : [];
};

test('a change applies from the start unless requested from here on', async () => {
  const before = shown();
  await goTo(20e6);
  await type('500');
  expect(session.getState()).toMatchObject({ commands: [], changes: 1 });
  expect(marks()).toHaveLength(0);
  await goTo(0);
  expect(shown()).toBe('500.0');
  act(undoEdit);
  expect(shown()).toBe(before);
});

test('a change from here keeps what came before, and the time bar marks it', async () => {
  const before = shown();
  choose('from here');
  await goTo(20e6);
  const { events } = player.now();
  await type('500');
  expect(session.getState()).toMatchObject({ edits: {}, commands: [{ at: events }] });
  await vi.waitFor(() => expect(marks()).toHaveLength(1), WAIT);
  const [mark] = marks() as [HTMLElement];
  expect(mark.getAttribute('aria-label')).toMatch(/^At .*\sµs, after .*\sevents: CPU: PIO read/);
  expect(mark.getAttribute('aria-label')).toMatch(/500\sns$/);
  await goTo(0);
  await vi.waitFor(() => expect(shown()).toBe(before), WAIT);
  await act(async () => fireEvent.click(mark));
  await vi.waitFor(() => expect(player.now()).toMatchObject({ events }), WAIT);
  await vi.waitFor(() => expect(shown()).toBe('500.0'), WAIT);
});

test('a change from the start replaces those up to here and keeps later ones', async () => {
  choose('from here');
  await goTo(10e6);
  await type('500');
  await goTo(30e6);
  await type('600');
  await goTo(20e6);
  choose('from the start');
  await type('700');
  expect(shown()).toBe('700.0');
  expect(session.getState().commands).toMatchObject([{ value: '600 ns' }]);
  act(undoEdit);
  expect(session.getState().commands).toHaveLength(2);
  expect(session.getState().edits).toEqual({});
});

test('a parameter that cannot change during a run says that it changed from the start', async () => {
  choose('from here');
  await goTo(20e6);
  const machine = session.getState().machine;
  act(() => select({ part: machine?.parts.findIndex(({ name }) => name === 'bridge') ?? -1 }));
  await type('1000000', 'Posting buffer');
  expect(notices.getState().toasts).toEqual([]);
  await type('5', 'Posting buffer');
  expect(session.getState()).toMatchObject({ commands: [], changes: 1 });
  expect(notices.getState().toasts.map(({ text }) => text)).toEqual([
    'Posting buffer cannot change during a run: it has the new value from the start.',
  ]);
});

test('a change from here to the present value is no change', async () => {
  const before = shown();
  choose('from here');
  await goTo(20e6);
  await type('500');
  await type(before);
  expect(session.getState()).toMatchObject({ commands: [], changes: 0 });
});

test('undo, redo and a saved session keep both kinds', async () => {
  await type('400');
  choose('from here');
  await goTo(20e6);
  await type('500');
  const both = saveText();
  act(undoEdit);
  expect(session.getState().commands).toEqual([]);
  expect(Object.keys(session.getState().edits)).toHaveLength(1);
  act(redoEdit);
  expect(saveText()).toBe(both);
  act(resetAll);
  await act(async () => void (await openText(both, 'mine.json')));
  expect(saveText()).toBe(both);
  await vi.waitFor(() => expect(marks()).toHaveLength(1), WAIT);
});
