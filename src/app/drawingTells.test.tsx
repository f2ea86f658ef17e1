/** Packets, utilisations, rows and translations in the drawing tell what they are, by pointer and by keyboard. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openLesson } from '../model/lesson/open-lesson';
import { player } from '../model/session/open-run';
import { clearSelection, selection } from '../model/session/selection';
import { session } from '../model/session/session';
import { eventWords } from '../model/trace/event-words';
import Inspector from '../panels/inspector/Inspector';
import Machine from '../panels/machine/Machine';
import { standInForPage } from '../widgets/page.fixture';
import { ended, openMachine, WAIT } from './view.fixture';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

beforeAll(() => standInForPage(900));

afterEach(() => {
  cleanup();
  clearSelection();
  eventWords.setState({ words: '' });
});

async function show(id: string, answered = true) {
  await openMachine(id, answered ? 1 : 0);
  render(
    <>
      <Machine />
      <Inspector />
    </>,
  );
  await ended();
}

/** The part's index, by its name. */
const partNamed = (name: string) =>
  session.getState().machine?.parts.find((part) => part.name === name)?.index ?? -1;

const spot = (kind: string, part: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(`[data-spot="${kind} ${partNamed(part)}"]`);
  if (!found) throw new Error(`The drawing has no ${kind} at ${part}.`);
  return found;
};

/** Goes to the middle of the first time at which a bus is used. */
async function toTransaction(bus: string) {
  const part = partNamed(bus);
  const track = session.getState().machine?.parts[part]?.type.tracks[0]?.name ?? '';
  const [span] = player.trace()?.lane(part, track)?.between(0, 1e12) ?? [];
  if (!span) throw new Error(`Nothing used ${bus}.`);
  await act(() => player.toTime((span.from + span.to) / 2));
  return span;
}

describe('the drawing', () => {
  test('tells what a packet is, where it comes from and what it caused', async () => {
    await show('start/translation');
    const { seq } = await toTransaction('bus');
    const packet = spot('packet', 'bus');
    await vi.waitFor(
      () => expect(packet.getAttribute('aria-label')).toMatch(/, for .*on the bus/),
      WAIT,
    );
    fireEvent.pointerMove(packet);
    expect(screen.getByRole('tooltip').textContent).toContain(packet.getAttribute('aria-label'));
    fireEvent.click(packet);
    expect(selection.getState()).toMatchObject({ part: partNamed('bus'), event: seq });
    expect(screen.getByText(/^Comes from:/)).toBeTruthy();
    fireEvent.click(screen.getByTitle('Select the root cause'));
    expect(selection.getState().event).toBe(player.trace()?.why(seq).at(-1)?.seq);
    fireEvent.pointerLeave(packet);
    expect(screen.queryByRole('tooltip')).toBeNull();
  });

  test('tells who makes up the utilisation of a bus, and the times add up to its busy time', async () => {
    await show('start/translation');
    await act(() => player.toTime(60e6));
    const busy = spot('busy', 'bus');
    await vi.waitFor(() => expect(busy.getAttribute('aria-label')).toMatch(/was busy for/), WAIT);
    fireEvent.keyDown(busy, { key: 'Enter' });
    expect(selection.getState()).toMatchObject({ part: partNamed('bus'), view: 'busy' });
    const table = await screen.findByRole('table', { name: /by user$/ }, WAIT);
    const rows = within(table).getAllByRole('row').slice(1);
    expect(rows.length).toBeGreaterThan(1);
    const shares = rows.map((row) => Number(/([\d.]+)\s*%/.exec(row.textContent ?? '')?.[1]));
    const total = Number(/([\d.]+)\s*%/.exec(busy.getAttribute('aria-label') ?? '')?.[1]);
    const sum = shares.reduce((all, one) => all + one, 0);
    // The label is rounded to whole percent, each share to tenths.
    expect(Math.abs(sum - total)).toBeLessThanOrEqual(0.5 + 0.05 * rows.length);
    fireEvent.click(within(rows[0] as HTMLElement).getByRole('button'));
    expect(player.trace()?.partOf(selection.getState().event ?? 0)).toBe(partNamed('bus'));
  });

  test('walks the rows of the I/O TLB with arrow keys, and Enter selects one', async () => {
    await show('start/translation');
    await act(() => player.toTime(60e6));
    const rows = spot('row', 'adapter');
    await vi.waitFor(() => expect(rows.getAttribute('aria-valuetext')).toMatch(/^Row 0 /), WAIT);
    fireEvent.keyDown(rows, { key: 'ArrowRight' });
    expect(rows.getAttribute('aria-valuetext')).toMatch(/^Row 1 of the I\/O TLB: holds/);
    fireEvent.keyDown(rows, { key: 'Enter' });
    expect(selection.getState()).toMatchObject({ view: 'tlb', index: 1 });
    expect(screen.getByRole('heading', { name: 'Row 1 of the I/O TLB' })).toBeTruthy();
  });

  test('keeps a focused control whose packet has gone', async () => {
    await show('start/translation');
    await toTransaction('bus');
    const packet = spot('packet', 'bus');
    await vi.waitFor(() => expect(packet.getAttribute('tabindex')).toBe('0'), WAIT);
    act(() => packet.focus());
    await act(() => player.toTime(0));
    await vi.waitFor(() => expect(packet.getAttribute('aria-disabled')).toBe('true'), WAIT);
    expect(document.activeElement).toBe(packet);
  });

  test('does not tell who used a bus while a question is open', async () => {
    await show('start/translation', false);
    if (!openLesson.getState()?.steps[0]?.question) return;
    fireEvent.click(document.querySelector(`[data-part="${partNamed('bus')}"]`) as Element);
    expect(screen.queryByText('Who used it')).toBeNull();
  });
});
