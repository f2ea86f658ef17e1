/** The panel of the critical path over a run in this process. */
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openLesson } from '../model/lesson/open-lesson';
import { saveAnswer, scenarioKey } from '../model/session/answers';
import { player } from '../model/session/open-run';
import { clearSelection, select, selection } from '../model/session/selection';
import { session } from '../model/session/session';
import { endsOperation, operationEnding } from '../model/trace/operations';
import CriticalPath from '../panels/critical-path/CriticalPath';
import { standInForPage } from '../widgets/page.fixture';
import { ended, openMachine, renderPanel, WAIT } from './view.fixture';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());
vi.mock('../model/session/path-page', async () =>
  (await import('../widgets/page.fixture')).pathsOfPage(),
);

beforeAll(() => standInForPage(900));

afterEach(() => {
  cleanup();
  clearSelection();
});

async function show(id: string, { answered = true, asText = false } = {}) {
  await openMachine(id, answered ? Number.POSITIVE_INFINITY : 0);
  renderPanel(<CriticalPath />, asText);
  await ended();
  await act(() => player.toTime(player.state.getState().endPs));
}

const rows = () =>
  [...document.querySelectorAll('ol')].flatMap((list) =>
    'beside' in list.dataset ? [] : within(list).getAllByRole('listitem'),
  );

/** The present operation, by the heading. */
const heading = () => screen.getByRole('heading', { level: 3 }).textContent;

test('shows the chain of the selected operation, whose rows are its whole time', async () => {
  await show('start/translation');
  const { machine } = session.getState();
  const trace = player.trace();
  if (!machine || !trace) throw new Error('There is no run.');
  const end = [...trace.matching(({ name }) => name === 'lap')].at(-1) ?? 0;
  act(() => select({ event: end }));
  await screen.findByRole('heading', { name: trace.sentence(end) }, WAIT);
  const shares = rows().map((row) => Number(/(\d+)\s*%/.exec(row.textContent ?? '')?.[1]));
  const sum = shares.reduce((all, one) => all + one, 0);
  // Each share is rounded to whole percent.
  expect(Math.abs(sum - 100)).toBeLessThanOrEqual(rows().length / 2);
  expect(
    rows()
      .map((row) => row.textContent)
      .join(),
  ).toMatch(/software, .*data, |data, .*software, /);

  fireEvent.click(screen.getByRole('button', { name: 'Previous operation' }));
  await vi.waitFor(() => expect(heading()).not.toBe(trace.sentence(end)), WAIT);
  const before = selection.getState().event ?? 0;
  expect(before).toBeLessThan(end);
  expect(endsOperation(machine, trace, before)).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Next operation' }));
  await vi.waitFor(() => expect(heading()).toBe(trace.sentence(end)), WAIT);
});

test('runs the machine with a part free, and says how long the operation takes then', async () => {
  await show('start/translation');
  const { machine } = session.getState();
  const trace = player.trace();
  const end = [...(trace?.matching(({ name }) => name === 'lap') ?? [])].at(-1) ?? 0;
  const operation = machine && trace && operationEnding(machine, trace, end);
  if (!operation) throw new Error('No lap was recorded.');
  act(() => select({ event: end }));
  await screen.findByRole('heading', { name: trace.sentence(end) }, WAIT);
  const [offer] = screen.getAllByRole('button', { name: /^If Processor were free$/ });
  fireEvent.click(offer as HTMLElement);
  const result = await screen.findByText(/^were it free: [\d.]+/, undefined, WAIT);
  // A processor at its fastest cannot make it longer.
  expect(result.textContent).toMatch(/, −\d+\.\d\s*%$/);
});

test('says the same in sentences', async () => {
  await show('start/translation', { asText: true });
  await screen.findByText(/ It took .*, from .* to /, undefined, WAIT);
  const sentences = screen.getAllByRole('listitem').map(({ textContent }) => textContent ?? '');
  expect(sentences[0]).toMatch(/^\w+, [\w/ ]+: .*%, first at .*\.$/);
});

test('is sealed while a question is open, and offers no run while one is ahead', async () => {
  await show('hp/lan-buffers', { answered: false });
  const questions = (openLesson.getState()?.steps ?? []).flatMap(({ question }) => question ?? []);
  expect(questions.length).toBeGreaterThan(1);
  expect(screen.getByText(/sealed until you answer/)).toBeTruthy();
  expect(screen.queryByRole('list')).toBeNull();
  const answer = (question: (typeof questions)[number]) =>
    act(() => saveAnswer(scenarioKey(session.getState()), question, { option: null, right: null }));
  answer(questions[0] as (typeof questions)[number]);
  await vi.waitUntil(() => rows().length > 0, WAIT);
  expect(screen.queryByRole('button', { name: /were free$/ })).toBeNull();
  questions.forEach(answer);
  await screen.findAllByRole('button', { name: /were free$/ }, WAIT);
});
