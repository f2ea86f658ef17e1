/** A run that ends in a deadlock names the blocked threads and what they wait for. */
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { navigate } from '../base/route';
import { setPrograms } from '../model/session/editing';
import { player } from '../model/session/open-run';
import { openScenario } from '../model/session/session-module';
import { LongRun } from '../panels/transport/LongRun';
import { standInForPage } from '../widgets/page.fixture';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

beforeAll(() => standInForPage(900));
afterEach(cleanup);

const ended = () => vi.waitUntil(() => player.state.getState().complete, WAIT);

test('deadlocked threads are named at the end of the run, and only there', async () => {
  navigate({ view: 'machine', scenario: 'start/bus' });
  await openScenario('start/bus');
  render(<LongRun />);
  await ended();
  await act(() => player.last());
  expect(player.state.getState().stuck).toEqual([]);
  const program = [
    { do: 'spend', time: '1 us' },
    { do: 'wait', tag: 3 },
  ];
  let problem: unknown;
  act(() => {
    problem = setPrograms({ both: program }, {});
  });
  expect(problem).toBeNull();
  await vi.waitFor(() => expect(player.state.getState().stuck).toHaveLength(2), WAIT);
  await act(() => player.last());
  await screen.findByText(/threads are blocked and no event is pending/, {}, WAIT);
  expect(
    screen.getByText(/^Processor, thread 0: waiting for a semaphore, in row 2 \(wait, tag 3\)\./),
  ).toBeTruthy();
  expect(screen.getByText(/waits forever: no "signal" adds to semaphore 3/)).toBeTruthy();
  await act(() => player.first());
  await vi.waitFor(() => expect(screen.queryByText(/in row 2/)).toBeNull(), WAIT);
});
