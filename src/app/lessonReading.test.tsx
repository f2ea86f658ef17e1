/** Reading a lesson beside its machine: where the focus goes, scenes, measures, settings, and its end. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_BREAK_SPACE } from '../base/format';
import { navigate } from '../base/route';
import { shownWindow } from '../controllers/usePlayheadWindow';
import { justShows } from '../model/lesson/answer-mask';
import { trackDecision } from '../model/lesson/decision';
import { lessonPanels, openLessonPanel, showAllPanels } from '../model/lesson/lesson-panels';
import { brackets } from '../model/lesson/measured';
import { PANEL_NAMES } from '../model/lesson/panel-names';
import { answers, saveAnswer } from '../model/session/answers';
import { player } from '../model/session/open-run';
import { currentEventSentence } from '../model/session/presented-event';
import { runBefore } from '../model/session/run-before';
import { clearSelection, markedParts, selection } from '../model/session/selection';
import { session, setView } from '../model/session/session';
import { openScenario, openText } from '../model/session/session-module';
import Lesson from '../panels/lesson/Lesson';
import { standInForPage } from '../widgets/page.fixture';
import { onFocusPanel } from './focus';
import { allPanels, panelsOf } from './panels';
import { decided, ended, openStep, WAIT } from './view.fixture';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

beforeAll(() => standInForPage(420));

let stopWatching = () => {};
beforeEach(() => {
  stopWatching = trackDecision();
});

afterEach(() => {
  stopWatching();
  cleanup();
  clearSelection();
  justShows.setState({ on: false });
});

const spaced = (text = ''): string => text.replaceAll(NO_BREAK_SPACE, ' ');

describe('the lesson', () => {
  const next = () => screen.getAllByRole('button', { name: 'Next step' }).at(-1) as HTMLElement;

  test('focuses the text of a step with a question, and the heading of other steps', async () => {
    await openStep('start/bus', 0);
    render(<Lesson />);
    await ended();
    for (const title of ['Everything has an address', 'Stores need no answer']) {
      next().focus();
      fireEvent.click(next());
      expect(document.activeElement).toBe(await screen.findByRole('heading', { name: title }));
    }
    next().focus();
    fireEvent.click(next());
    await screen.findByRole('heading', { name: 'Loads have to wait' });
    expect(document.activeElement).not.toBe(next());
    expect(within(document.activeElement as HTMLElement).getAllByRole('radio')).toHaveLength(3);
  });

  test("scrolls to the run's answer, states it in words and keeps the focus", async () => {
    const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
    await openStep('start/bus', 3);
    render(<Lesson />);
    await ended();
    fireEvent.click(screen.getByRole('radio', { name: 'More than ten times as long' }));
    const commit = screen.getByRole('button', { name: 'Break the seal' });
    commit.focus();
    scrolled.mockClear();
    fireEvent.click(commit);
    await screen.findByText('what happened', {}, WAIT);
    expect(screen.getByText('The run says')).toBeTruthy();
    expect(await screen.findByText(/^63.2\sns$/, {}, WAIT)).toBeTruthy();
    const question = document.querySelector('[data-question]');
    expect(scrolled.mock.contexts).toEqual([question]);
    expect(question?.contains(document.activeElement)).toBe(true);
  });

  test('selects the record that the question is about, not another of the same moment', async () => {
    await openStep('start/old-data', 2);
    render(<Lesson />);
    await ended();
    fireEvent.click(screen.getByRole('button', { name: 'Just show me' }));
    await screen.findByText('what happened', {}, WAIT);
    await vi.waitUntil(() => selection.getState().event !== null, WAIT);
    expect(player.trace()?.sentence(selection.getState().event ?? 0)).toBe(
      'I/O adapter gives a device write 0 to the 16 bytes at 0x100430; the newest is write 4.',
    );
    // The next step shows its own scene, without the causes of that record.
    fireEvent.click(screen.getAllByRole('button', { name: 'Next step' })[0] as Element);
    await screen.findByRole('heading', { name: 'Caught with old data' });
    await vi.waitUntil(() => selection.getState().event === null, WAIT);
  });
});

describe('a step with a scene', () => {
  test('plays to its time, frames its interval and marks its parts', async () => {
    await openStep('start/bus', 1);
    render(<Lesson />);
    await ended();
    await act(async () => setView({ step: 2 }));
    await vi.waitUntil(() => player.now().timePs === 224_993, WAIT);
    await vi.waitUntil(() => shownWindow.getState().to === 300_000, WAIT);
    const { machine } = session.getState();
    const names = markedParts.getState().parts.map((at) => machine?.parts[at]?.name);
    expect(names).toEqual(['bridge', 'card']);
    await act(async () => setView({ step: 5 }));
    expect(markedParts.getState().parts).toEqual([]);
  });

  test('is presented by what is notable at its time, not by a bus that falls idle then', async () => {
    await openStep('start/old-data', 2);
    render(<Lesson />);
    await ended();
    // Between two events, by what is under way.
    await act(async () => player.toTime(196_000));
    expect(currentEventSentence()).toMatch(/^Memory begins a read/);
    await act(async () => setView({ step: 3 }));
    await vi.waitUntil(() => player.now().timePs === 3_758_333, WAIT);
    expect(currentEventSentence()).toMatch(/^I\/O adapter gives a device write 0/);
  });

  test('is shown by an address that names its step', async () => {
    answers.setState({}, true);
    navigate({ view: 'machine', scenario: 'start/old-data', params: { step: '5' } });
    await openScenario('start/old-data');
    render(<Lesson />);
    await vi.waitUntil(() => player.now().timePs === 2_749_999, WAIT);
    expect(markedParts.getState().parts.length).toBe(2);
  });

  test('brings its panel up, though the layout listens anew in the same update', async () => {
    await openStep('start/bus', 0);
    const brought: string[] = [];
    function Step({ at }: { readonly at: number }) {
      useEffect(() => {
        if (at > 0) openLessonPanel('events');
      }, [at]);
      return null;
    }
    function Layout({ at }: { readonly at: number }) {
      // biome-ignore lint/correctness/useExhaustiveDependencies: as a layout does whose panels are a new list
      useEffect(() => onFocusPanel((id) => brought.push(id)), [at]);
      return null;
    }
    const both = (at: number) => [<Step key="step" at={at} />, <Layout key="layout" at={at} />];
    const { rerender } = render(both(0));
    await act(async () => rerender(both(1)));
    expect(brought).toEqual(['events']);
  });

  test('names panels of the page', () => {
    const all = [...panelsOf('machine', false), ...panelsOf('lab', false)].map(({ id }) => id);
    const hidden = allPanels.filter(({ shown }) => shown).map(({ id }) => id);
    expect(PANEL_NAMES.filter((id) => ![...all, ...hidden].includes(id))).toEqual([]);
  });
});

describe('what the author says that an answer measures', () => {
  test('is read where it ends, and bracketed in lanes that show all of it', async () => {
    await openStep('start/bus', 3);
    render(<Lesson />);
    await decided();
    fireEvent.click(screen.getByRole('radio', { name: 'More than ten times as long' }));
    fireEvent.click(screen.getByRole('button', { name: 'Break the seal' }));
    await vi.waitUntil(() => brackets.getState().shown.length === 2, WAIT);
    const measured = screen.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(measured.map(spaced)).toEqual(['63.2 ns', '1.393 µs']);
    const [stores, loads] = brackets.getState().shown;
    expect(stores).toMatchObject({ fromPs: 0, toPs: 63_200 });
    expect(loads).toMatchObject({ fromPs: 1_063_200, toPs: 2_455_996 });
    expect(shownWindow.getState().from).toBe(0);
    expect(shownWindow.getState().to).toBeGreaterThanOrEqual(2_455_996);
    await act(async () => setView({ step: 0 }));
    expect(brackets.getState().shown).toEqual([]);
  });

  test('is not what the run counts after its evidence', async () => {
    await openStep('start/translation', 2);
    render(<Lesson />);
    await decided();
    fireEvent.click(screen.getByRole('button', { name: 'Just show me' }));
    const [times] = await screen.findAllByRole('definition', {}, WAIT);
    expect(spaced(times?.textContent)).toBe('1 miss');
    const { machine } = session.getState();
    const adapter = machine?.parts.find(({ name }) => name === 'adapter');
    const at = adapter?.type.counters.findIndex(({ name }) => name === 'misses') ?? -1;
    const end = player.recording()?.endPs ?? 0;
    const counters = await player.countersAt(end);
    const first = machine?.parts
      .slice(0, adapter?.index)
      .reduce((sum, { type }) => sum + type.counters.length, 0);
    expect(counters?.[(first ?? 0) + at]).toBe(2);
  });
});

describe('a setting in the text', () => {
  const counted = async (step: number, at: 'last' | number): Promise<void> => {
    await openStep('start/waiting', step);
    render(<Lesson />);
    await ended();
    await act(async () => void (await (at === 'last' ? player.last() : player.toTime(at))));
    fireEvent.click(screen.getByRole('button', { name: /Set “waiting by”/ }));
    await ended();
  };

  test('keeps the playhead at the end, and says what it has changed', async () => {
    await counted(3, 'last');
    await screen.findByText('the call', {}, WAIT);
    const { endPs } = player.state.getState();
    await vi.waitUntil(() => player.now().timePs === endPs, WAIT);
    const [call] = screen.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(spaced(call)).toBe('98.06 → 77.3 µs');
    expect(runBefore.getState()?.recording.endPs).toBeGreaterThan(endPs);
    await act(async () => setView({ step: 4 }));
    expect(screen.queryByText('the call')).toBeNull();
    expect(runBefore.getState()).toBeNull();
  });

  test('writes a unit of several words once', async () => {
    await openStep('start/old-data', 4);
    render(<Lesson />);
    await ended();
    fireEvent.click(screen.getByRole('button', { name: /Set “flush”/ }));
    const title = await screen.findByText('old halves given to the disk', {}, WAIT);
    expect(spaced(title.nextElementSibling?.textContent)).toBe('4 → 0 half lines');
  });

  test('keeps the playhead at the event that plays the same role', async () => {
    const doorbell = 1_773_600;
    await counted(3, doorbell);
    const record = () => player.trace()?.record(player.now().seq);
    await vi.waitUntil(() => player.now().timePs === doorbell, WAIT);
    expect(record()?.timePs).toBe(doorbell);
  });
});

test('a beginner sees lesson, machine and lanes until a step or the reader asks for more', async () => {
  await openStep('start/bus', 0);
  expect(lessonPanels.getState()?.has('events')).toBe(false);
  expect(lessonPanels.getState()?.has('machine')).toBe(true);
  openLessonPanel('events');
  expect(lessonPanels.getState()?.has('events')).toBe(true);
  expect(lessonPanels.getState()?.has('why')).toBe(false);
  showAllPanels();
  expect(lessonPanels.getState()).toBeNull();
  await openStep('gt/one-word', 0);
  expect(lessonPanels.getState()).toBeNull();
});

describe('the end of a lesson', () => {
  const answer = (id: string, right: boolean) =>
    saveAnswer('start/bus', { id }, { option: right ? 'c' : 'a', right, happened: 'c' });

  test('says how many answers were predicted, and leads to the next lesson', async () => {
    await openStep('start/bus', 5);
    render(<Lesson />);
    const next = await screen.findByRole('link', { name: /^Next lesson/ });
    expect(next.getAttribute('href')).toBe('#/machine/start/waiting');
    expect(next.textContent).toContain('Asking or being told');
    act(() => answer('q1', true));
    expect(screen.queryByText(/You predicted/)).toBeNull();
    act(() => answer('no-room', false));
    expect(screen.getByText(/You predicted 1 of 2/)).toBeTruthy();
  });

  test('of the last one of a system leads to all lessons', async () => {
    await openStep('start/old-data', 6);
    render(<Lesson />);
    const all = await screen.findByRole('link', { name: /^All lessons/ });
    expect(all.getAttribute('href')).toBe('#/lessons');
  });
});

test('a lesson from a file says what is broken in it, by line; one without problems says nothing', async () => {
  const lab = (text: string) =>
    JSON.stringify({
      ...{ busyard: 1, title: 'A lab', summary: 'Stores a word.', system: 'gt' },
      ...{ machine: { extends: 'gt-system-a' }, until: '1 ms', view: { kind: 'machine' } },
      programs: { store: [{ do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: 4 }] },
      workload: { cpu: 'store' },
      lesson: `# A lab\n\n## A store\n\n${text}\n`,
    });
  navigate({ view: 'machine' });
  await openText(lab('The [processor](part:cpu) and the [bridge](part:brigde).'), 'lab.json');
  render(<Lesson />);
  const found = await screen.findByText('1 problem in this lesson, for its author', {}, WAIT);
  const details = within(found.closest('details') as HTMLElement);
  expect(details.getByText('line 5').parentElement?.textContent).toContain('no part "brigde"');
  await act(() => openText(lab('The [processor](part:cpu) stores.'), 'lab.json'));
  await vi.waitFor(() => expect(screen.queryByText(/for its author/)).toBeNull(), WAIT);
});
