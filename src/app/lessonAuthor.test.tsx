/** A lesson is written in every view that shows one: beside a machine, and beside the curves of a lab. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runCommand } from '../base/commands';
import { navigate, type View } from '../base/route';
import { session } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import { standInForPage } from '../widgets/page.fixture';
import { panelsOf } from './panels';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

beforeAll(() => standInForPage(420));
afterEach(cleanup);

test.each<[view: View, id: string, moments: boolean]>([
  ['machine', 'start/bus', true],
  ['lab', 'pools/rds', true],
  ['lab', 'gt/crossover', false],
])('in the view "%s" of %s', async (view, id, moments) => {
  navigate({ view, scenario: id });
  await openScenario(id);
  runCommand('lesson.write');
  const panel = panelsOf(view, false).find((one) => one.id === 'lesson-text');
  if (!panel) return expect.unreachable('There is no editor.');
  expect(panel.shown?.getState()).toBe(true);
  render(
    <Suspense>
      <panel.component />
    </Suspense>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Insert' }, WAIT));
  // Where curves of many runs are shown, there is no moment to link to.
  expect(screen.queryByRole('button', { name: 'Link to this moment' }) !== null).toBe(moments);
  const items = screen.getAllByRole('menuitem').map(({ textContent }) => textContent ?? '');
  expect(items.some((item) => item.startsWith('Scene of this moment'))).toBe(moments);
  const title = session.getState().machine?.parts[0]?.title ?? '';
  expect(items.some((item) => item.startsWith(`Link to ${title}`))).toBe(true);
  await screen.findByText('correct', {}, WAIT);
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(panel.shown?.getState()).toBe(false);
});
