/** No file shows what an open question seals. */
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { notices } from '../base/notices';
import { navigate } from '../base/route';
import { shownWindow } from '../controllers/usePlayheadWindow';
import { decisionTime } from '../model/lesson/answer-mask';
import { trackDecision } from '../model/lesson/decision';
import { player } from '../model/session/open-run';
import { setView } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import Lesson from '../panels/lesson/Lesson';
import FilmSheet from '../panels/machine/FilmSheet';
import { saveLanes } from '../panels/timeline/save-lanes';
import { standInForPage } from '../widgets/page.fixture';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

let stopWatching = () => {};
beforeAll(() => standInForPage(420));
beforeEach(() => {
  stopWatching = trackDecision();
});
afterEach(() => {
  stopWatching();
  cleanup();
});

/** Whether a film from the start of the run is offered at this speed, in picoseconds per second. */
function offered(speed: number): boolean {
  player.setSpeed(speed);
  const { container, unmount } = render(<FilmSheet />);
  const button = [...container.querySelectorAll('button')].find(
    ({ textContent }) => textContent === 'Save the film',
  );
  const isRefused = screen.queryByText(/^Answer the question first/) !== null;
  expect(isRefused).toBe(button?.disabled);
  unmount();
  return button?.disabled === false;
}

/** The first lesson before its question is answered, once it is known where its seal begins. */
async function openSealed(): Promise<void> {
  navigate({ view: 'machine', scenario: 'start/bus' });
  await openScenario('start/bus');
  setView({ step: 0 });
  render(<Lesson />);
  await vi.waitUntil(
    () => player.state.getState().complete && decisionTime.getState().ps !== null,
    WAIT,
  );
}

test('a film that ends before the seal is offered, one that reaches it is refused', async () => {
  await openSealed();
  await act(() => player.first());
  player.setPace('clock');
  // The seal is at 1.06 µs; a film of ten seconds has 1 µs at this speed.
  expect(offered(1e5)).toBe(true);
  expect(offered(2e5)).toBe(false);
});

test('lanes are not saved with what their seal hides', async () => {
  await openSealed();
  shownWindow.setState({ from: 0, to: player.state.getState().endPs });
  await saveLanes();
  expect(notices.getState().toasts.at(-1)?.text).toMatch(/^Answer the question first/);
});
