/** The choice of lanes: which are shown, and in which order. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { navigate } from '../base/route';
import { lanesOf } from '../draw/run/run-lanes';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import Lanes from '../panels/timeline/Lanes';
import { laneChoice } from '../panels/timeline/lane-choice';
import { standInForPage } from '../widgets/page.fixture';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

beforeAll(() => standInForPage(300));

afterEach(cleanup);

/** Titles of the lanes as they are drawn, with room for so many; those of the scenario, or all if `tracks` is empty. */
function drawn(most = 100, tracks = session.getState().data?.view.lanes ?? []): string[] {
  const { machine } = session.getState();
  const trace = player.trace();
  if (!machine || !trace) throw new Error('There is no run.');
  const window = { from: 0, to: player.state.getState().endPs };
  const choice = laneChoice.getState();
  return lanesOf(machine, trace, window, { tracks, most, choice }).map(({ title }) => title);
}

test('hides, moves and pins lanes, and goes back to those of the scenario', async () => {
  navigate({ view: 'machine', scenario: 'start/translation' });
  await openScenario('start/translation');
  render(<Lanes />);
  await vi.waitUntil(() => player.state.getState().complete, WAIT);
  await act(() => player.toTime(1e6));
  const before = drawn();
  const [first = '', second = ''] = before;
  const last = before.at(-1) ?? '';
  fireEvent.click(screen.getByRole('button', { name: 'Lanes…' }));
  const list = within(await screen.findByRole('dialog', { name: 'Lanes' }));
  fireEvent.click(list.getByRole('checkbox', { name: second }));
  expect(drawn()).toEqual(before.filter((title) => title !== second));
  fireEvent.click(list.getByRole('checkbox', { name: second }));
  fireEvent.click(list.getByRole('button', { name: `Move ${first} down` }));
  expect(drawn()).toEqual([second, first, ...before.slice(2)]);
  const pin = list.getByRole('button', { name: `Pin ${last}` });
  fireEvent.click(pin);
  expect(pin.getAttribute('aria-pressed')).toBe('true');
  expect(drawn()[0]).toBe(last);
  // With room for two lanes the pinned one stays, however little it did.
  expect(drawn(2)[0]).toBe(last);
  fireEvent.click(list.getByRole('button', { name: 'As the scenario shows them' }));
  expect(drawn()).toEqual(before);
  fireEvent.click(list.getByRole('checkbox', { name: first }));
  await openScenario('start/bus');
  expect(laneChoice.getState().hidden).toEqual([]);
});

test('names the card where two cards have the same tracks', async () => {
  render(<Lanes />);
  await openScenario('one/two-cards');
  await vi.waitUntil(() => player.trace() && drawn(100, []).includes('GT card 0, write'), WAIT);
  const titles = drawn(100, []);
  expect(titles).toContain('GT card 1, read');
  expect(titles).toEqual([...new Set(titles)]);
  await openScenario('gt/gfixit');
  await vi.waitUntil(() => player.trace() && drawn(100, []).includes('DMA write engine'), WAIT);
});
