/** The clicker's key in a lecture of several lessons. */
import { act, fireEvent, render } from '@testing-library/react';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { commands } from '../base/commands';
import { navigate, route } from '../base/route';
import { shell } from '../base/shell-state';
import { openLesson } from '../model/lesson/open-lesson';
import { itemRoute } from '../model/lesson/playlists';
import { player } from '../model/session/open-run';
import { session, setView } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import Lesson from '../panels/lesson/Lesson';
import { timeCommands } from '../panels/transport/commands';
import { standInForPage } from '../widgets/page.fixture';
import { startKeyboard } from './keyboard';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

let stop = () => {};
beforeAll(() => {
  standInForPage(420);
  stop = startKeyboard();
  for (const command of timeCommands) commands.add(command);
  shell.setState({ lecture: true });
});
afterAll(() => {
  stop();
  shell.setState({ lecture: false });
});

const place = () => ({
  scenario: route.getState().scenario,
  step: session.getState().view.step,
  timePs: player.now().timePs,
});
const click = () => act(async () => void fireEvent.keyDown(document.body, { key: 'PageDown' }));

test('goes to the end of the run and of the lesson, and only then to the next lesson of the list', async () => {
  navigate(itemRoute('hp/interrupt,hp/at-work', 'hp/interrupt'));
  await openScenario('hp/interrupt');
  render(<Lesson />);
  await vi.waitUntil(() => player.state.getState().complete, WAIT);
  const last = (openLesson.getState()?.steps.length ?? 0) - 1;
  await act(async () => setView({ step: last }));
  const seen = [place()];
  while (route.getState().scenario === 'hp/interrupt' && seen.length < 100) {
    const before = JSON.stringify(place());
    await click();
    await vi.waitUntil(() => JSON.stringify(place()) !== before, WAIT);
    seen.push(place());
  }
  const [first, end] = [seen[0], seen.at(-2)];
  expect(first?.timePs).toBeLessThan(player.state.getState().endPs);
  expect(end).toEqual({
    scenario: 'hp/interrupt',
    step: last,
    timePs: player.state.getState().endPs,
  });
  expect(route.getState()).toEqual(itemRoute('hp/interrupt,hp/at-work', 'hp/at-work'));
});
