/** Panels of the machine view, mounted over a run in this process: their contents, links and masks. */

import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import type { ComponentType } from 'react';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { setPrograms } from '../model/session/editing';
import { player } from '../model/session/open-run';
import { clearSelection, select, selection } from '../model/session/selection';
import { session } from '../model/session/session';
import { eventWords } from '../model/trace/event-words';
import CacheLines from '../panels/cache-lines/CacheLines';
import DriverScript from '../panels/driver-script/DriverScript';
import Hints from '../panels/hints/Hints';
import Inspector from '../panels/inspector/Inspector';
import IoTlb from '../panels/io-tlb/IoTlb';
import Ownership from '../panels/ownership/Ownership';
import Prefetch from '../panels/prefetch/Prefetch';
import Events from '../panels/timeline/Events';
import Stops from '../panels/transport/Stops';
import { standInForPage } from '../widgets/page.fixture';
import { ended, openMachine, renderPanel, WAIT } from './view.fixture';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const HEIGHT = 900;
beforeAll(() => standInForPage(HEIGHT));

afterEach(() => {
  cleanup();
  clearSelection();
});

/** Opens a scenario, with its first question answered or not, and shows a panel at the end of the trace. */
async function show(id: string, Panel: ComponentType, { answered = true, asText = false } = {}) {
  await openMachine(id, answered ? 1 : 0);
  renderPanel(<Panel />, asText);
  await ended();
  await act(() => player.toTime(60e6));
}

const now = () => player.now().timePs;

describe('cache lines', () => {
  test('begin at the first used line of the page if not all fit', async () => {
    standInForPage(180);
    const columns = () =>
      [...document.querySelectorAll('svg text')]
        .map(({ textContent }) => textContent)
        .filter((text) => /^\d+$/.test(text));
    await show('start/poke', CacheLines);
    fireEvent.change(screen.getByLabelText('Page'), { target: { value: String(0x100000) } });
    expect(columns()).toContain('0');
    const store = { do: 'store', to: '0x100400', bytes: 16, width: 16 };
    act(() => void setPrograms({ cpu0: [store] }, {}));
    await vi.waitFor(() => expect(columns()).toContain('33'), WAIT);
    expect(columns()).not.toContain('0');
    standInForPage(HEIGHT);
  });

  test('follow the bus until a page is chosen, and take it up again', async () => {
    await show('hp/a-line-changes-hands', CacheLines);
    const chip = () => screen.getByRole('button', { name: /the bus/ });
    const ring = () => document.querySelectorAll('.play-ring').length;
    await vi.waitFor(() => expect(ring()).toBeGreaterThan(0), WAIT);
    expect(chip().getAttribute('aria-pressed')).toBe('true');
    const life = within(screen.getByRole('group', { name: /^Life of line 0/ }));
    const [first] = life.getAllByRole('button');
    const end = now();
    fireEvent.click(first as HTMLElement);
    await vi.waitUntil(() => now() < end, WAIT);
    await vi.waitFor(() => expect(first?.getAttribute('aria-current')).toBe('step'), WAIT);
    fireEvent.change(screen.getByLabelText('Page'), { target: { value: String(0x100000) } });
    expect(chip().getAttribute('aria-pressed')).toBe('false');
    expect(chip().getAttribute('aria-label')).toContain('play is at line 0 of page 0x100');
    expect(screen.getByRole('grid', { name: /^page 0x100/ })).toBeTruthy();
    fireEvent.click(chip());
    expect(screen.getByRole('grid', { name: /^Lines in play/ })).toBeTruthy();
  });
});

describe('the search for events', () => {
  const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Find events' });
  const type = (text: string) => fireEvent.change(field(), { target: { value: text } });
  const press = (key: string, more = {}) => fireEvent.keyDown(field(), { key, ...more });
  const button = (name: string) => screen.findByRole('button', { name }, WAIT);
  const seen = (text: RegExp) => screen.findByText(text, undefined, WAIT);

  test('completes conditions, goes from hit to hit, and narrows to one part', async () => {
    await show('hp/at-work', Events);
    type('kind:mi');
    const options = within(screen.getByRole('listbox', { name: /^Suggestions/ }));
    expect(options.getAllByRole('option')[0]?.textContent).toMatch(/^miss/);
    press('ArrowDown');
    expect(field().getAttribute('aria-activedescendant')).toBe(
      options.getAllByRole('option')[0]?.id,
    );
    press('Enter');
    expect(field().value).toBe('kind:miss');
    await seen(/^[\d\s]+ hits in the whole run/);
    press('Enter');
    await seen(/^Hit \d+ of/);
    const { event } = selection.getState();
    expect(player.trace()?.event(event ?? 0)?.name).toBe('miss');
    fireEvent.click(await button('Only hits of one part'));
    fireEvent.click(screen.getAllByRole('menuitem')[0] as HTMLElement);
    expect(field().value).toMatch(/^kind:miss part=\w+$/);
  });

  test('explains a query that cannot be read, with its place, and Escape clears it', async () => {
    await show('hp/at-work', Events);
    type('part:cache0 kind:mss');
    await seen(/^At character 13: No kind of event is called "mss"; did you mean "miss"\?$/);
    expect(field().getAttribute('aria-invalid')).toBe('true');
    press('Escape');
    press('Escape');
    expect(field().value).toBe('');
    expect(field().getAttribute('aria-invalid')).toBe('false');
  });

  test('its hits are what playing and S stop at', async () => {
    await show('hp/at-work', Events);
    type('cache0.misses>=20 OR cache0.misses>=25');
    await seen(/^2 hits in the whole run/);
    fireEvent.click(await button('Stop at hits'));
    render(<Stops />);
    await act(() => player.first());
    const missesAt = async () => (await player.frame())?.counters;
    const stops: number[] = [];
    for (let i = 0; i < 2; i++) {
      // Without act(): the hits come by an effect, which act() would hold back until the step has ended.
      await player.step(1, 'stop');
      const cache = session.getState().machine?.parts.find(({ name }) => name === 'cache0');
      const counter = cache?.type.counters.findIndex(({ name }) => name === 'misses') ?? -1;
      stops.push((await missesAt())?.[cache?.index ?? 0]?.[counter] ?? 0);
    }
    expect(stops).toEqual([20, 25]);
    fireEvent.click(await button('Stop at hits'));
    expect(player.state.getState().stopAt).toBeNull();
  });

  test('playing handles an event at the start of the run at which it stops', async () => {
    await show('hp/at-work', Events);
    await act(() => player.first());
    player.setStop('kind:miss');
    player.setStops({ seqs: [2], timesPs: [0], toPs: Number.POSITIVE_INFINITY });
    act(() => player.play());
    await vi.waitUntil(() => player.now().seq >= 2 && !player.state.getState().playing, WAIT);
    await act(() => player.step(1, 'event'));
    expect(player.now().seq).toBeGreaterThan(2);
  });
});

describe('what is selected', () => {
  test('tells its newest event, and finds all that touched it', async () => {
    await show('hp/at-work', Inspector);
    const adapter = session.getState().machine?.parts.find(({ name }) => name === 'adapter');
    act(() => select({ part: adapter?.index ?? 0, view: 'tlb', index: 1 }));
    await screen.findByRole('heading', { name: 'Row 1 of the I/O TLB' }, WAIT);
    fireEvent.click(screen.getByRole('button', { name: 'What touched it' }));
    const { words } = eventWords.getState();
    expect(words).toBe('part=adapter chain:1');
    const newest = screen.getByTitle('Select this event: Why? explains it');
    fireEvent.click(newest);
    const { event } = selection.getState();
    expect(player.trace()?.sentence(event ?? 0)).toBe(newest.textContent);
    expect(player.trace()?.fields(event ?? 0)).toContainEqual(
      expect.objectContaining({ name: 'chain', value: 1 }),
    );
    expect(player.trace()?.timeOf(event ?? 0)).toBeLessThanOrEqual(now());
    eventWords.setState({ words: '' });
  });
});

describe('the driver calls', () => {
  /** The rows of the list, without the options of the processor choice. */
  const rows = () => {
    const list = screen.queryByRole('listbox');
    return list ? within(list).queryAllByRole('option') : [];
  };
  const shown = () => rows().find((row) => row.ariaCurrent || row.hasAttribute('data-present'));

  test('lists calls with their results, and a press goes to the beginning of one', async () => {
    await show('hp/lan-buffers', DriverScript);
    await vi.waitUntil(() => rows().length === 32, WAIT);
    expect(rows()[1]?.getAttribute('aria-label')).toContain('map 0x101000');
    expect(shown()?.textContent).toContain('interrupt');
    fireEvent.click(rows()[19] as HTMLElement);
    await vi.waitUntil(() => now() < 60e6, WAIT);
    expect(Math.round(now() / 1000)).toBe(42_625);
    await vi.waitUntil(() => rows()[19]?.getAttribute('aria-current') === 'true', WAIT);
    expect(rows()[20]?.hasAttribute('data-future')).toBe(true);
  });

  test('is walked with arrow keys, and Enter goes to a call', async () => {
    await show('hp/lan-buffers', DriverScript);
    await vi.waitUntil(() => rows().length === 32, WAIT);
    const list = screen.getByRole('listbox');
    fireEvent.keyDown(list, { key: 'Home' });
    fireEvent.keyDown(list, { key: 'ArrowDown' });
    expect(list.getAttribute('aria-activedescendant')).toBe(rows()[1]?.id);
    expect(player.trace()?.sentence(selection.getState().event ?? 0)).toContain('begins a mapping');
    fireEvent.keyDown(list, { key: 'Enter' });
    await vi.waitUntil(() => now() < 2e6, WAIT);
  });

  test('shows the calls of one processor with their totals', async () => {
    await show('hp/two-streams', DriverScript);
    await vi.waitUntil(() => rows().length > 6, WAIT);
    const titles = () => new Set(rows().map((row) => row.querySelector('i')?.textContent.trim()));
    expect(titles()).toEqual(new Set(['CPU 0', 'CPU 1', 'CPU 2']));
    fireEvent.change(screen.getByLabelText('Calls of'), { target: { value: 'CPU 2' } });
    const own = () => rows().map((row) => row.getAttribute('aria-label') ?? '');
    await vi.waitUntil(() => own().every((label) => /row \d of CPU 2/.test(label)), WAIT);
    expect(own().length).toBeGreaterThan(0);
    expect(rows().map((row) => Number(row.getAttribute('aria-posinset')))).toEqual(
      own().map((_, place) => place + 1),
    );
    fireEvent.change(screen.getByLabelText('Calls of'), { target: { value: 'CPU 3' } });
    await screen.findByText('No driver has called a service on CPU 3 yet.');
    fireEvent.change(screen.getByLabelText('Calls of'), { target: { value: '' } });
    await vi.waitUntil(() => rows().length > 6, WAIT);
  });

  test('has the returned calls in its text alternative, by operation', async () => {
    await show('hp/lan-buffers', DriverScript, { asText: true });
    // The trace is read in slices, and the table has the part read so far.
    await vi.waitFor(() => {
      const starts = screen.getByRole('row', { name: /^start dma/ });
      expect([...starts.children].map((cell) => cell.textContent)).toEqual(
        ['start dma', '8', '47.4 ns', '47.4 ns', '0 ns', '0 ns', '3', '0', '0'].map((text) =>
          text.replace(' ns', '\u00a0ns'),
        ),
      );
    }, WAIT);
  });

  test('shows no cost that an open question asks about, and nothing of the future', async () => {
    await show('hp/lan-buffers', DriverScript, { answered: false });
    expect(screen.getByText('cost of calls: sealed until you answer')).toBeTruthy();
    for (const row of rows())
      expect(row.getAttribute('aria-label')).toMatch(/, (cost sealed|under way)$/);
    cleanup();
    await show('hp/tlb-sweep', DriverScript, { answered: false });
    await vi.waitFor(
      () =>
        expect(rows().map((row) => row.getAttribute('aria-label'))).toEqual([
          expect.stringMatching(/inbound DMA 0x100000.*, under way$/),
          expect.stringMatching(/inbound DMA 0x110000.*, under way$/),
        ]),
      WAIT,
    );
  });
});

describe('conflicts for rows of the I/O TLB', () => {
  const lines = (name: RegExp) =>
    screen
      .queryAllByRole('row', { name })
      .map((row) => [...row.children].map((one) => one.textContent));

  test('are a matrix of row and device, with suggested fixes as complete runs, one press away', async () => {
    await show('hp/two-streams', IoTlb);
    fireEvent.click(screen.getByText('evictions'));
    await vi.waitFor(
      () =>
        expect(lines(/^2 /)[0]).toEqual([
          '2',
          '73 to  LAN',
          '72 to  Disk',
          expect.stringContaining('µs'),
        ]),
      WAIT,
    );
    await vi.waitUntil(() => lines(/^HP-UX default.* 12 6 /).length > 0, WAIT);
    expect(lines(/^no change/)[0]?.slice(1, 3)).toEqual(['1\u202f767', '1\u202f761']);
    fireEvent.click(screen.getByRole('button', { name: /^2048 rows/ }));
    expect(session.getState().edits).toMatchObject({
      'adapter.rows': 2048,
      'services.chain_shift': 15,
    });
    await vi.waitUntil(() => screen.queryByText(/each the first of its page/) !== null, WAIT);
  });

  test('of many streams in one row are compared pairwise', async () => {
    await show('hp/any-order', IoTlb);
    fireEvent.click(screen.getByText('evictions'));
    await vi.waitUntil(() => lines(/^block 24 /).length > 0, WAIT);
    const [heads = []] = lines(/^row 2/);
    const [line = []] = lines(/^block 24 /);
    const place = heads.indexOf('24');
    expect(place).toBeGreaterThan(0);
    expect(line[place]).toBe('');
    const to = line.slice(1, -2).reduce((all, times) => all + Number(times), 0);
    expect(to).toBe(Number(line.at(-2)));
  });

  test('stay masked while a question asks for misses, and no fix is run', async () => {
    await show('hp/two-streams', IoTlb, { answered: false });
    fireEvent.click(screen.getByText('rows'));
    expect(screen.getByText('what look-ups find: sealed until you answer')).toBeTruthy();
    expect(screen.getByRole('grid').textContent).not.toMatch(/miss|evicted/);
    fireEvent.click(screen.getByText('evictions'));
    expect(screen.getByText('evictions and their cost: sealed until you answer')).toBeTruthy();
    await vi.waitUntil(() => lines(/^2 /).length > 0, WAIT);
    expect(lines(/^2 /)[0]).toEqual([
      '2',
      'hidden until the question is answered?',
      'hidden until the question is answered?',
      'hidden until the question is answered?',
    ]);
    expect(screen.queryAllByText(/^run with$/)).toEqual([]);
  });
});

describe('prefetched lines', () => {
  const cell = () => screen.getByRole('gridcell').textContent ?? '';

  test('are walked one by one, and Enter goes to the request of one', async () => {
    await show('zx1/lines-ahead', Prefetch);
    await vi.waitUntil(() => screen.queryByText(/lines fetched/) !== null, WAIT);
    const grid = screen.getByRole('grid');
    const used = /^Line 0x[0-9A-F]+, demanded by Storage adapter: .* used .* later\.$/;
    await vi.waitFor(() => expect(cell()).toMatch(used), WAIT);
    const before = cell();
    fireEvent.keyDown(grid, { key: 'ArrowRight' });
    expect(cell()).not.toBe(before);
    fireEvent.keyDown(grid, { key: 'Enter' });
    await vi.waitUntil(() => now() < 60e6, WAIT);
    expect(player.trace()?.sentence(selection.getState().event ?? 0)).toContain(
      'its line is fetched',
    );
  });

  test('have a text alternative up to the playhead, by device', async () => {
    await show('zx1/lines-ahead', Prefetch, { asText: true });
    await vi.waitFor(() => {
      const row = screen.getByRole('row', { name: /^Storage adapter/ });
      const [fetched, ahead, used] = [...row.children]
        .slice(1, 4)
        .map((one) => Number(one.textContent));
      expect(fetched).toBeGreaterThan(20);
      expect([ahead, Number(fetched) - Number(used) < 2]).toEqual([0, true]);
    }, WAIT);
  });
});

test('each hint says what it would change and for which device; those unused by this card have no effect', async () => {
  await show('zx1/lines-ahead', Hints);
  const effectsOf = (hint: string) =>
    screen.getByRole('combobox', { name: hint }).closest('td')?.textContent ?? '';
  await vi.waitFor(() => {
    // As in Table 6: from nothing ahead to three lines, 108 to 223 MB/s.
    expect(effectsOf('MRM, consistent: lines ahead')).toMatch(/Storage adapter, 3 \+106\s%$/);
    expect(effectsOf('MRM, streaming: lines ahead')).toMatch(/flat$/);
    expect(effectsOf('MR, consistent: relaxed ordering')).toMatch(/flat$/);
  }, WAIT);
});

describe('the owners of a line', () => {
  test('are counted once the question is answered, and listed up to the playhead', async () => {
    await show('zx1/read-current', Ownership, { answered: false });
    expect(screen.getByText('lines taken: sealed until you answer')).toBeTruthy();
    expect(screen.queryByText(/^Devices took/)).toBeNull();
    cleanup();
    await show('zx1/read-current', Ownership, { asText: true });
    await vi.waitFor(() => {
      const [first] = screen.getAllByRole('row', { name: /^0x4/ });
      const [, holder, taken, recalled] = [...(first?.children ?? [])].map(
        (one) => one.textContent,
      );
      expect([holder, taken, recalled]).toEqual(['memory alone', '1', '1']);
    }, WAIT);
  });

  test('are walked with arrow keys, and Enter goes to where a line was acquired', async () => {
    await show('zx1/read-current', Ownership);
    const grid = await screen.findByRole('grid', undefined, WAIT);
    fireEvent.keyDown(grid, { key: 'Home' });
    fireEvent.keyDown(grid, { key: 'ArrowRight' });
    fireEvent.keyDown(grid, { key: 'Enter' });
    await vi.waitUntil(() => now() < 60e6, WAIT);
    expect(player.trace()?.sentence(selection.getState().event ?? 0)).toMatch(
      /keeps line|takes in/,
    );
  });
});
