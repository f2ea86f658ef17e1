/** A lesson's file that is opened alone finds its scenario, or its reader is asked for it. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { notices } from '../base/notices';
import { navigate } from '../base/route';
import { shell, showOverlay } from '../base/shell-state';
import { currentDocument } from '../model/session/editing';
import { session } from '../model/session/session';
import { openFiles } from './opening/open';
import { overlayPanel } from './panels';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

beforeEach(() => {
  navigate({ view: 'gallery' });
  notices.setState({ banners: [] });
  showOverlay(null);
});
afterEach(cleanup);

const open = (text: string, name = 'mine.md') => openFiles([new File([text], name)]);
const refusals = () =>
  notices.getState().banners.map(({ title, place, detail }) => `${title} ${place ?? ''} ${detail}`);

test('a lesson opens in the scenario that its first lines name', async () => {
  await open(
    '\uFEFF---\r\nscenario: start/bus\r\n---\r\n\r\n# Mine\r\n\r\n## One\r\n\r\nA step.\r\n',
  );
  expect(refusals()).toEqual([]);
  const { scenario, lesson } = session.getState();
  expect(scenario).toBe('start/bus');
  expect(lesson).toMatch(/^# Mine/);
  expect(currentDocument().lesson).toBe(lesson);
});

test('without such lines, a lesson opens in the scenario with its title', async () => {
  await open('# What a bus is\n\n## One\n\nMy words.\n');
  expect(session.getState()).toMatchObject({
    scenario: 'start/bus',
    lesson: expect.stringContaining('My words.'),
  });
});

test('otherwise its reader chooses', async () => {
  await open('# My own title\n\n## One\n\nA step.\n');
  const panel = overlayPanel(shell.getState().overlay);
  if (!panel) return expect.unreachable('Nothing asks.');
  render(
    <Suspense>
      <panel.component />
    </Suspense>,
  );
  const list = await screen.findByRole('combobox', { name: 'Scenario' }, WAIT);
  fireEvent.change(list, { target: { value: 'gt/crossover' } });
  expect(screen.getByText(/^---\s+scenario: gt\/crossover\s+---$/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Open the lesson there' }));
  await vi.waitFor(() => expect(shell.getState().overlay).toBeNull(), WAIT);
  expect(session.getState()).toMatchObject({
    scenario: 'gt/crossover',
    lesson: expect.stringMatching(/^# My own title/),
  });
});

test.each([
  [
    '---\nscenario: start/bsu\n---\n# A',
    /mine\.md could not be opened.* line 2.* There is no scenario "start\/bsu"; did you mean "start\/bus"\?/,
  ],
  ['---\nscenario: lab.json\n---\n# A', /line 2.* "lab.json" is a file: choose or drop both/],
  [
    '---\nauthor: me\n---\n# A',
    /line 2.* Front matter has one line, "scenario: ID", not "author: me"/,
  ],
  ['no title', /A lesson begins with "# " and its title/],
])('a lesson that belongs nowhere is refused with its line: %j', async (text, reason) => {
  const before = session.getState();
  await open(text);
  expect(refusals()).toEqual([expect.stringMatching(reason)]);
  expect(session.getState()).toBe(before);
});

test('two lessons without a scenario are one too many', async () => {
  await openFiles([new File(['# A'], 'a.md'), new File(['# B'], 'b.md')]);
  expect(refusals()).toEqual([
    expect.stringMatching(/a\.md cannot be opened.*Open one scenario, session, lesson or table/),
  ]);
});
