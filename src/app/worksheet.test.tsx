/** The lesson on paper: what the worksheet asks, and which sheets answer. */
import { cleanup, render, screen, within } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { navigate } from '../base/route';
import { plainText } from '../model/lesson/lesson';
import { openLesson } from '../model/lesson/open-lesson';
import { openScenario } from '../model/session/session-module';
import Worksheet from '../panels/worksheet/Worksheet';
import { standInForPage } from '../widgets/page.fixture';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

beforeAll(() => standInForPage(420));
afterEach(cleanup);

async function open(id: string, sheets = ''): Promise<void> {
  navigate({ view: 'worksheet', scenario: id, params: sheets ? { sheets } : {} });
  await openScenario(id);
  render(
    <Suspense>
      <Worksheet />
    </Suspense>,
  );
}

const sheet = (sub: RegExp): HTMLElement =>
  screen.getByText(sub, { selector: 'article p' }).closest('article') as HTMLElement;

test('the worksheet asks every question with its options, and answers none', async () => {
  await open('start/bus');
  const paper = within(sheet(/Predict first/));
  const asked = openLesson.getState()?.steps.flatMap(({ question }) => question ?? []) ?? [];
  expect(asked).toHaveLength(2);
  const words = sheet(/Predict first/).textContent?.replaceAll(/\s+/g, ' ');
  for (const { prompt, options } of asked)
    for (const inlines of [prompt, ...options.map((option) => option.inlines)])
      expect(words).toContain(plainText(inlines));
  expect(paper.getByText(/compare what a store and a load cost/)).toBeTruthy();
  expect(paper.getByLabelText('The machine').textContent).toContain('Bridge');
  expect(paper.getByLabelText('QR code to step 4: see it happen')).toBeTruthy();
  expect(screen.getAllByRole('article')).toHaveLength(1);
  // The step of the second question explains the first one's answer.
  for (const answer of ['22 times', '348 ns'])
    expect(document.body.textContent).not.toContain(answer);
  expect(document.body.textContent).not.toMatch(/✓|what happened/);
  expect(document.body.textContent).not.toContain('write the guess down');
});

test('solutions and card say what the runs confirm; the notes are those of the lesson', async () => {
  await open('start/bus', 'solutions,card,notes');
  const solved = await vi.waitFor(() => sheet(/from the runs/), WAIT);
  const right = within(solved).getAllByText('what happened');
  expect(right).toHaveLength(2);
  expect(right[0]?.parentElement?.textContent).toContain('More than ten times as long');
  const card = within(sheet(/^Summary card$/));
  expect(card.getByText('four loads').parentElement?.textContent).toContain('1.393 µs');
  expect(card.getByText(/A bus carries one transaction/)).toBeTruthy();
  const notes = within(sheet(/Lecturer’s notes\./));
  expect(notes.getByText(/write the guess down/)).toBeTruthy();
});
