import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { navigate } from '../../base/route';
import { player } from '../../model/session/open-run';
import { openScenario } from '../../model/session/session-module';
import { standInForPage } from '../../widgets/page.fixture';
import { PanelContext } from '../../widgets/panels';
import Example from './Example';

vi.mock('../../engine/workers', async () =>
  (await import('../../widgets/page.fixture')).enginesOfPage(),
);

const WAIT = { timeout: 25_000, interval: 5 };

beforeAll(() => standInForPage(900));
afterEach(cleanup);

/** Opens a scenario without a lesson and shows the panel, as picture or as text, at the end of the run. */
async function show(asText: boolean) {
  navigate({ view: 'machine', scenario: 'gt/gfixit' });
  await openScenario('gt/gfixit');
  render(
    <PanelContext value={{ id: 'example', maximised: false, asText, canMaximise: false }}>
      <Example />
    </PanelContext>,
  );
  await vi.waitUntil(() => player.state.getState().complete, WAIT);
  await act(() => player.toTime(player.state.getState().endPs));
}

test.each([false, true])('counts events up to the playhead, as text: %s', async (asText) => {
  await show(asText);
  const events = () => Number(screen.getByText(/events up to/).textContent.replace(/\D/g, ''));
  await vi.waitFor(() => expect(events()).toBeGreaterThan(0), WAIT);
  const all = events();
  await act(() => player.toTime(0));
  await vi.waitFor(() => expect(events()).toBeLessThan(all), WAIT);
});
