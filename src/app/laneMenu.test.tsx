/** The choice of lanes: which are shown, in which order, folded or not; and the totals of an area of them. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { navigate } from '../base/route';
import { laneGroups, sharedUse } from '../draw/run/folded-lanes';
import { lanesOf } from '../draw/run/run-lanes';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import { areaTotals } from '../model/trace/area-totals';
import { eventWords } from '../model/trace/event-words';
import Lanes from '../panels/timeline/Lanes';
import { laneArea } from '../panels/timeline/lane-area';
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

test('folds the lanes of one type into one line of their use', async () => {
  await openScenario('hp/at-work');
  render(<Lanes />);
  await vi.waitUntil(() => player.state.getState().complete, WAIT);
  const { machine } = session.getState();
  const trace = player.trace();
  if (!machine || !trace) throw new Error('There is no run.');
  const [group] = laneGroups(machine, trace.lanes);
  if (!group) throw new Error('No two lanes are of one type.');
  fireEvent.click(screen.getByRole('button', { name: 'Lanes…' }));
  const list = within(await screen.findByRole('dialog', { name: 'Lanes' }));
  const before = drawn(100, []);
  fireEvent.click(list.getByRole('checkbox', { name: group.title }));
  const folded = drawn(100, []);
  expect(folded).toContain(group.title);
  expect(folded).toHaveLength(before.length - group.lanes.length + 1);
  const { endPs } = player.state.getState();
  const busy = sharedUse(group.lanes, 0, endPs);
  const timeOf = (spans: readonly { from: number; to: number }[]) =>
    spans.reduce((sum, { from, to }) => sum + Math.min(to, endPs) - from, 0);
  const shared = busy.reduce(
    (sum, { from, to, title }) => sum + (to - from) * Number.parseInt(title, 10),
    0,
  );
  const single = group.lanes.map((lane) =>
    timeOf(lane.between(0, endPs).filter(({ state }) => state.style !== 'hatch')),
  );
  expect(shared).toBe(single.reduce((sum, one) => sum + one, 0));
  fireEvent.click(list.getByRole('checkbox', { name: group.title }));
  expect(drawn(100, [])).toEqual(before);
});

test('adds up what happened in an area between two keys, and clears it', async () => {
  await openScenario('start/translation');
  const { container } = render(<Lanes />);
  await vi.waitUntil(() => player.state.getState().complete, WAIT);
  await act(() => player.toTime(2e6));
  const sheet = within(container).getByRole('group', { name: /W and S zoom/ });
  await vi.waitFor(() => {
    fireEvent.keyDown(sheet, { key: '[' });
    expect(laneArea.getState().area?.lanes.length).toBeGreaterThan(1);
  }, WAIT);
  await act(() => player.toTime(4e6));
  fireEvent.keyDown(sheet, { key: ']' });
  const { area } = laneArea.getState();
  expect(area).toMatchObject({ from: 2e6, to: 4e6 });
  const { machine } = session.getState();
  const trace = player.trace();
  if (!machine || !trace || !area) throw new Error('There is no area.');
  const rows = areaTotals(machine, trace, trace.lanes, area);
  const spans = trace.lanes.flatMap((lane) => lane.between(2e6, 4e6));
  const timePs = rows.reduce((sum, row) => sum + row.timePs, 0);
  const expected = spans.reduce(
    (sum, { from, to }) => sum + Math.min(to, 4e6) - Math.max(from, 2e6),
    0,
  );
  expect(timePs).toBe(expected);
  expect(Math.max(...rows.map(({ longestPs }) => longestPs))).toBeLessThanOrEqual(2e6);
  fireEvent.click(await screen.findByRole('button', { name: 'Totals' }, WAIT));
  const dialog = await screen.findByRole('dialog', { name: 'Totals of the area' });
  expect(within(dialog).getAllByRole('row').length).toBeGreaterThan(2);
  fireEvent.click(screen.getByRole('button', { name: 'Search within' }));
  expect(eventWords.getState().words).toMatch(/^at:2000000ps-4000000ps \(?part=/);
  // The first closes the totals.
  fireEvent.keyDown(sheet, { key: 'Escape' });
  fireEvent.keyDown(sheet, { key: 'Escape' });
  expect(laneArea.getState().area).toBeNull();
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
