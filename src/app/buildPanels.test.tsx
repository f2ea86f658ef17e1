/** The palette of the builder: parts found by name and by their description. */
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import Palette from '../panels/builder/Palette';
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
