/** Panels of the builder: parts found by name and by their description, and a text that cannot be read. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SNAP } from '../draw/machine/free-place';
import { openScenario } from '../model/session/session-module';
import Build from '../panels/builder/Build';
import Palette from '../panels/builder/Palette';
import { build, commitText } from '../panels/builder/state';
import { standInForPage } from '../widgets/page.fixture';
import { PanelContext } from '../widgets/panels';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

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

describe('a part dragged from the palette', () => {
  /** A sheet of half the size of its units, with its corner at 100, 50. */
  function standIn(drop: Element) {
    const svg = drop.querySelector('svg.drawing, svg');
    const [, , width = 0, height = 0] = svg?.getAttribute('viewBox')?.split(' ').map(Number) ?? [];
    vi.spyOn(svg as Element, 'getBoundingClientRect').mockReturnValue(
      new DOMRect(100, 50, width / 2, height / 2),
    );
    vi.spyOn(document, 'elementFromPoint').mockImplementation((x) => (x < 100 ? null : svg));
  }

  const placesNow = () =>
    Object.fromEntries(build.getState().draft.parts.map(({ name, at }) => [name, at]));

  async function show() {
    standInForPage(900);
    await openScenario('start/bus');
    render(
      <PanelContext value={place}>
        <Palette />
        <Build />
      </PanelContext>,
    );
    await vi.waitFor(() => expect(document.querySelector('[data-drop=place] svg')).toBeTruthy());
    standIn(document.querySelector('[data-drop]') as Element);
    return screen.getByRole('button', { name: /^Add Memory controller/ });
  }

  const drag = (button: HTMLElement, to: readonly [number, number]) => {
    fireEvent.pointerDown(button, { button: 0, pointerType: 'mouse', clientX: 10, clientY: 10 });
    fireEvent.pointerMove(window, { clientX: 40, clientY: 40 });
    expect(document.querySelector('.dragged-part')?.textContent).not.toBe('');
    fireEvent.pointerUp(window, { clientX: to[0], clientY: to[1] });
    fireEvent.click(button, { detail: 1 });
    expect(document.querySelector('.dragged-part')).toBeNull();
  };

  test('stands where it is dropped, and the others stay where they are', async () => {
    const button = await show();
    const before = placesNow();
    drag(button, [300, 250]);
    const after = placesNow();
    const [added] = Object.keys(after).filter((name) => !(name in before));
    const [x = 0, y = 0, width = 0, height = 0] = after[added ?? ''] ?? [];
    expect(Object.keys(after)).toHaveLength(Object.keys(before).length + 1);
    expect(Math.abs(x + width / 2 - 400)).toBeLessThanOrEqual(SNAP);
    expect(Math.abs(y + height / 2 - 400)).toBeLessThanOrEqual(SNAP);
    for (const [name, at] of Object.entries(before)) if (at) expect(after[name]).toEqual(at);
  });

  test('dropped elsewhere, or let go with Escape, adds nothing', async () => {
    const button = await show();
    const before = placesNow();
    drag(button, [50, 250]);
    fireEvent.pointerDown(button, { button: 0, pointerType: 'mouse', clientX: 10, clientY: 10 });
    fireEvent.pointerMove(window, { clientX: 300, clientY: 250 });
    fireEvent.keyDown(window, { key: 'Escape' });
    fireEvent.pointerUp(window, { clientX: 300, clientY: 250 });
    expect(placesNow()).toEqual(before);
  });
});

test('the palette by bus has each part under each bus that it can be wired to', () => {
  render(
    <PanelContext value={place}>
      <Palette />
    </PanelContext>,
  );
  const byKind = new Set(offered());
  fireEvent.click(screen.getByRole('radio', { name: 'by bus' }));
  expect(new Set(offered())).toEqual(byKind);
  const groupOf = (title: string) =>
    screen.getByRole('heading', { name: title }).closest('div') as HTMLElement;
  const runway = within(groupOf('Goes with Runway'));
  expect(runway.getByRole('button', { name: /^Add Snooping cache/ })).toBeTruthy();
  expect(runway.queryByRole('button', { name: /^Add GT card/ })).toBeNull();
});
