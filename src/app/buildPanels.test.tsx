/** Panels of the builder: parts found by name and by their description, and a text that cannot be read. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { openScenario } from '../model/session/session-module';
import Build from '../panels/builder/Build';
import Palette from '../panels/builder/Palette';
import { build, commitText } from '../panels/builder/state';
import { PanelContext } from '../widgets/panels';

afterEach(cleanup);

const place = { id: 'build-parts', maximised: false, asText: false, canMaximise: false };
const offered = () =>
  screen
    .queryAllByRole('button', { name: /^Add / })
    .map((button) => button.getAttribute('aria-label'));

test.each([
  ['runway', /^Add Runway/],
  ['posting buffer', /^Add Host bridge/],
  ['programmed I/O', /^Add GT card/],
  ['direct memory access', /^Add GT card/],
  ['TLB', /^Add I\/O adapter/],
])('“%s” finds a part', async (words, expected) => {
  render(
    <PanelContext value={place}>
      <Palette />
    </PanelContext>,
  );
  const all = offered().length;
  expect(screen.queryByText(/A shared-memory network card/)).toBeNull();
  fireEvent.change(screen.getByRole('searchbox', { name: 'Find a part' }), {
    target: { value: words },
  });
  await vi.waitFor(() => expect(offered().some((name) => expected.test(name ?? ''))).toBe(true));
  expect(offered().length).toBeLessThan(all / 2);
  const found = screen.getByRole('button', { name: expected });
  expect(within(found).getByText(/\.$/)).toBeTruthy();
});

test('words that match nothing find nothing, and a message says so', () => {
  render(
    <PanelContext value={place}>
      <Palette />
    </PanelContext>,
  );
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'toaster' } });
  expect(offered()).toEqual([]);
  expect(screen.getByText(/No part has such a name/)).toBeTruthy();
});

test('Enter in the search adds the first part shown', async () => {
  await openScenario('start/bus');
  render(
    <PanelContext value={place}>
      <Palette />
    </PanelContext>,
  );
  const partsOf = () => build.getState().draft.parts.map(({ name }) => name);
  const before = partsOf();
  const search = screen.getByRole('searchbox');
  fireEvent.keyDown(search, { key: 'Enter' });
  expect(partsOf()).toEqual(before);
  fireEvent.change(search, { target: { value: 'network card' } });
  fireEvent.keyDown(search, { key: 'Enter' });
  expect(partsOf()).toEqual([...before, 'lan_card']);
});

test('a text that cannot be read is not shown as an empty sheet', async () => {
  await openScenario('start/bus');
  render(
    <PanelContext value={{ ...place, id: 'build' }}>
      <Build />
    </PanelContext>,
  );
  act(() => commitText('{ "busyard": 1, "machine": { "parts": { "cpu": } } }'));
  act(() => build.setState({ draft: { parts: [], wires: [] } }));
  expect(screen.queryByText('No parts yet')).toBeNull();
  expect(screen.getByText('The text cannot be read')).toBeTruthy();
  await vi.waitFor(() => expect(screen.getByRole('button', { name: /^line 1 of/ })).toBeTruthy());
});
