/** The page in a frame: the panels that the address names, without their headers, and the way out. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { navigate } from '../base/route';
import { shell } from '../base/shell-state';
import { player } from '../model/session/open-run';
import { openScenario } from '../model/session/session-module';
import { standInForPage } from '../widgets/page.fixture';
import Embedded from './Embedded';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

beforeAll(() => standInForPage(300));
afterEach(() => {
  cleanup();
  shell.setState({ embed: null });
});

async function open(...embed: string[]): Promise<void> {
  shell.setState({ embed });
  navigate({ view: 'machine', scenario: 'start/bus', params: { step: '2' } });
  await openScenario('start/bus');
  render(
    <Suspense>
      <Embedded heading={{ system: 'Start here', title: 'What a bus is', note: null }} />
    </Suspense>,
  );
}

test('a frame shows the named panels without buttons of their own, and can be played and stepped', async () => {
  await open('machine', 'lanes');
  await vi.waitFor(
    () => expect(screen.getByRole('region', { name: 'Machine' })).toBeTruthy(),
    WAIT,
  );
  await vi.waitFor(
    () => expect(screen.getByRole('region', { name: 'Timeline' })).toBeTruthy(),
    WAIT,
  );
  expect(screen.queryByRole('button', { name: /Maximise|Show as text/ })).toBeNull();
  expect(screen.queryByRole('region', { name: 'Lesson' })).toBeNull();
  const play = screen.getByRole('button', { name: 'Play' }) as HTMLButtonElement;
  await vi.waitFor(() => expect(play.disabled).toBe(false), WAIT);
  const link = screen.getByRole('link', { name: 'Open in Busyard' }) as HTMLAnchorElement;
  // The address has the time once the playhead has come to rest.
  await vi.waitFor(
    () => expect(link.href).toMatch(/#\/machine\/start\/bus\?step=2&t=22000$/),
    WAIT,
  );
  expect(link.href).not.toContain('embed');
  const film = vi.spyOn(player, 'playStep');
  shell.setState({ reducedMotion: false });
  fireEvent.click(screen.getByRole('button', { name: 'Step forward' }));
  expect(film).toHaveBeenCalledTimes(1);
  shell.setState({ reducedMotion: true });
});

test('a name that the view lacks is answered with those that it has', async () => {
  await open('machine', 'lane');
  expect(screen.getByText(/no panel "lane"/)).toBeTruthy();
  expect(screen.getByText(/machine, .*lanes/)).toBeTruthy();
});
