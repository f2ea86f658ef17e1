/** Two runs side by side: their alignment, and the published values of both. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { navigate, route } from '../base/route';
import { maskEnabled } from '../model/lesson/answer-mask';
import { addCommand } from '../model/session/editing';
import { session } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import Compare from '../panels/compare/Compare';
import { comparing, lead, movePlayhead } from '../panels/compare/comparing';
import { standInForPage } from '../widgets/page.fixture';
import { PanelContext } from '../widgets/panels';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

beforeAll(() => standInForPage(900));
afterEach(cleanup);

async function compare(scenario: string, params: Record<string, string>) {
  maskEnabled.setState({ on: false });
  navigate({ view: 'compare', scenario, params });
  await openScenario(scenario);
  render(
    <PanelContext value={{ id: 'compare', maximised: false, asText: false, canMaximise: false }}>
      <Compare />
    </PanelContext>,
  );
  await vi.waitFor(() => expect(comparing.state.getState().status).toBe('done'), WAIT);
}

const choose = (name: string) => fireEvent.click(screen.getByRole('radio', { name }));

test('two runs are aligned by their start, by an event of both, or where they diverge', async () => {
  await compare('gt/crossover', { a: '7.0', b: '7.1' });
  act(() => movePlayhead(60e6));
  choose('event');
  await vi.waitFor(() => expect(lead.getState()).not.toEqual({ a: 0, b: 0 }), WAIT);
  const chosen = screen.getByRole('combobox', { name: 'Event that comes at the same time' });
  expect(within(chosen).getByRole('option', { selected: true }).textContent).toMatch(/^CPU/);
  expect(route.getState().params.align).toMatch(/^\d+$/);
  const readout = document.querySelector('[data-readout]');
  await vi.waitFor(() => expect(readout?.textContent).toMatch(/^A .*, B /), WAIT);
  choose('start');
  await vi.waitFor(() => expect(lead.getState()).toEqual({ a: 0, b: 0 }), WAIT);
  expect(route.getState().params.align).toBeUndefined();
  choose('divergence');
  expect(route.getState().params.align).toBe('parting');
});

test('one machine is drawn over the other at the playhead, either way', async () => {
  await compare('gt/crossover', { a: '7.0', b: '7.1', when: 'now' });
  act(() => movePlayhead(3e6));
  await screen.findByRole('img', { name: /^The machine of A .* only B shows/ }, WAIT);
  const doing = () => screen.getByRole('heading', { name: /^What the parts do/ }).parentElement;
  const cpu = await within(doing() as HTMLElement).findByRole('rowheader', { name: 'CPU' });
  const words = () =>
    [...(cpu.parentElement?.querySelectorAll('td') ?? [])].map((td) => td.textContent);
  const [a, b] = words();
  expect(a).not.toBe(b);
  choose('B, ghost of A');
  await screen.findByRole('img', { name: /^The machine of B .* only A shows/ }, WAIT);
  expect(words()).toEqual([b, a]);
  expect(screen.getByRole('heading', { name: /^Counters at the playhead/ })).toBeTruthy();
});

test('published values are below the values of both runs', async () => {
  await compare('gt/crossover', { a: '7.0', b: '7.1' });
  const row = await screen.findByRole('row', { name: /^throughput/ });
  expect(row.textContent).toMatch(/61\.4\d*published 61\.45, .*published 38\.39/);
});

test('a change during the open run is made in that run only', async () => {
  await compare('gt/crossover', { a: '8.0', b: '8.1' });
  const elsewhere = /^Changes made during the run belong to the open run/;
  expect(screen.queryByText(elsewhere)).toBeNull();
  const value = '3 us';
  expect(addCommand({ at: 40, param: 'bridge.crossing', value }, { commit: true })).toBeNull();
  await screen.findByText(elsewhere);
});

test('a run with changes during the run counts as different from the published machine', async () => {
  await compare('gt/gfixit', { a: '0o', b: '0' });
  await screen.findByText('Both are the same run.');
  const live = session
    .getState()
    .machine?.parts.flatMap(({ params }) => params)
    .find(({ spec }) => spec.change === 'live' && spec.type === 'time');
  const command = { at: 40, param: live?.path ?? '', value: '3 us' };
  expect(addCommand(command, { commit: true })).toBeNull();
  const row = await screen.findByRole('row', { name: /after 40\sevents/ });
  expect(row.textContent).toMatch(/no change3 µs$/);
  await vi.waitFor(() => expect(comparing.state.getState().divergence).not.toBeNull(), WAIT);
});
