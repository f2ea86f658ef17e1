/** The lesson beside its machine: what an open question masks, and where the focus goes while reading. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { Suspense, useEffect } from 'react';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_BREAK_SPACE } from '../base/format';
import { navigate } from '../base/route';
import { shownWindow } from '../controllers/usePlayheadWindow';
import {
  answerMask,
  decisionTime,
  justShows,
  roomQuestion,
  sealedFromPs,
} from '../model/lesson/answer-mask';
import { trackDecision } from '../model/lesson/decision';
import { lessonPanels, openLessonPanel, showAllPanels } from '../model/lesson/lesson-panels';
import { brackets } from '../model/lesson/measured';
import { openLesson } from '../model/lesson/open-lesson';
import { PANEL_NAMES } from '../model/lesson/panel-names';
import { answers, saveAnswer, scenarioKey, tallyOf } from '../model/session/answers';
import { setParam, setVariables, undoEdit } from '../model/session/editing';
import { player } from '../model/session/open-run';
import { currentEventSentence } from '../model/session/presented-event';
import { runBefore } from '../model/session/run-before';
import { clearSelection, markedParts, selection } from '../model/session/selection';
import { session, setView } from '../model/session/session';
import { openScenario, openText } from '../model/session/session-module';
import Lesson from '../panels/lesson/Lesson';
import FreeRoom from '../panels/room/Room';
import { votes } from '../panels/room/votes';
import Sweep from '../panels/sweep/Sweep';
import { standInForPage } from '../widgets/page.fixture';
import { PanelContext, type PanelDefinition } from '../widgets/panels';
import { onFocusPanel } from './focus';
import { allPanels, panelsOf } from './panels';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };

beforeAll(() => standInForPage(420));

let stopWatching = () => {};
beforeEach(() => {
  stopWatching = trackDecision();
});

afterEach(() => {
  stopWatching();
  cleanup();
  clearSelection();
  votes.setState({ byQuestion: {} });
  roomQuestion.setState({ question: null });
  justShows.setState({ on: false });
});

const ended = () =>
  vi.waitUntil(() => {
    const { status, complete } = player.state.getState();
    return status === 'ready' && complete;
  }, WAIT);

async function open(id: string, step: number): Promise<void> {
  answers.setState({}, true);
  navigate({ view: 'machine', scenario: id });
  await openScenario(id);
  setView({ step });
}

const spaced = (text = ''): string => text.replaceAll(NO_BREAK_SPACE, ' ');

const place = (id: string) => ({ id, maximised: false, asText: false, canMaximise: false });

function Panels({
  all,
  asText,
}: {
  readonly all: readonly PanelDefinition[];
  readonly asText: boolean;
}) {
  return all.map(({ id, title, component: Contents }) => (
    <PanelContext key={id} value={{ ...place(id), title, asText }}>
      <Suspense fallback="loading">
        <Contents />
      </Suspense>
    </PanelContext>
  ));
}

/** Waits until the moment of decision is known. */
const decided = async (): Promise<number> => {
  await ended();
  await vi.waitUntil(() => decisionTime.getState().ps !== null, WAIT);
  return decisionTime.getState().ps as number;
};

describe('while a question is open', () => {
  const sheets = () => [...document.querySelectorAll('[data-sheet]')];
  const isMasked = (sheet: Element) => sheet.textContent.includes('Hidden while the question');

  test('the run plays up to the moment of decision and no further, and no panel is covered', async () => {
    await open('start/old-data', 2);
    const all = panelsOf('machine', false);
    render(
      <>
        <Panels all={all} asText={false} />
        <Panels all={all} asText={true} />
      </>,
    );
    const limit = await decided();
    await vi.waitUntil(() => sheets().length === 2 * all.length, WAIT);
    await vi.waitUntil(() => !document.body.textContent.includes('loading'), WAIT);
    expect(limit).toBeGreaterThan(3.8e6);
    const { endPs, endEvents } = player.state.getState();
    expect(endPs).toBeGreaterThan(limit);
    for (const go of [
      () => player.last(),
      () => player.toTime(endPs),
      () => player.toEvents(endEvents),
      () => player.step(1, 'microsecond'),
    ]) {
      await act(async () => void (await go()));
      expect(player.now().timePs).toBe(limit);
      expect(sheets().filter(isMasked)).toEqual([]);
    }
    // The transport draws a moment after the playhead has stopped.
    const stopped = () => screen.queryAllByText('stopped at the moment of decision').length === 2;
    await vi.waitUntil(stopped, WAIT);
  });

  test.each([
    ['a duration is sealed from where the step has led to', 'start/bus', [[3, 1_063_200]]],
    [
      'a second question is sealed before its evidence, though the first has been answered',
      'gt/one-word',
      [
        [0, 15_534_375],
        [5, 17_240_370],
      ],
    ],
  ] as const)('%s', async (_, id, questions) => {
    await open(id, 0);
    render(<Lesson />);
    await ended();
    for (const [index, [step, limit]] of questions.entries()) {
      await act(async () => setView({ step }));
      expect(await decided()).toBe(limit);
      const question = openLesson.getState()?.steps[step]?.question;
      if (!question) throw new Error('That step asks nothing.');
      act(() =>
        saveAnswer(scenarioKey(session.getState()), question, { option: null, right: null }),
      );
      const next = questions[index + 1]?.[1];
      expect(await decided()).toBe(next ?? Number.POSITIVE_INFINITY);
      await act(() => player.last());
      expect(player.now().timePs).toBe(next ?? player.state.getState().endPs);
    }
  });

  test('a user who has the answer shown is not asked again', async () => {
    await open('gt/one-word', 0);
    render(<Lesson />);
    await ended();
    fireEvent.click(screen.getByRole('button', { name: 'Just show me' }));
    await screen.findByText('what happened', {}, WAIT);
    await act(async () => setView({ step: 5 }));
    expect(answerMask.getState()).toBeNull();
    await screen.findByText('what happened', {}, WAIT);
    expect(screen.getByText(/^The buffer was full for/)).toBeTruthy();

    fireEvent.click(screen.getByRole('button', { name: 'Ask again' }));
    expect(answerMask.getState()).not.toBeNull();
    expect(screen.getByRole('button', { name: 'Just show me' })).toBeTruthy();
  });
});

describe('the lesson', () => {
  const next = () => screen.getAllByRole('button', { name: 'Next step' }).at(-1) as HTMLElement;

  test('focuses the text of a step with a question, and the heading of other steps', async () => {
    await open('start/bus', 0);
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
    await open('start/bus', 3);
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
    await open('start/old-data', 2);
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

describe('a question and its run', () => {
  const answerWith = async (option: string) => {
    fireEvent.click(screen.getByRole('radio', { name: option }));
    fireEvent.click(screen.getByRole('button', { name: 'Break the seal' }));
    await screen.findByText('what happened', {}, WAIT);
  };
  const right = () => document.querySelector('[data-right]')?.textContent;
  const struck = () => document.querySelectorAll('[data-struck]');

  test('the result stays when the lesson opens another run, and one can return to it', async () => {
    await open('start/old-data', 2);
    render(<Lesson />);
    await ended();
    await answerWith('All four');
    act(() => void setVariables({ flush: true }));
    await ended();
    expect(
      screen.getByText(/^The question is about another machine than the open one\.$/),
    ).toBeTruthy();
    expect(right()).toContain('All four');
    expect(struck()).toHaveLength(0);
    expect(screen.getByText(/The new data lies in the cache/)).toBeTruthy();
    expect(screen.queryByText(/half lines/)).toBeNull();

    const back = screen.getByRole('button', { name: 'Open the machine of the question' });
    back.focus();
    fireEvent.click(back);
    await ended();
    expect(session.getState().machine?.variables.flush).toBe(false);
    expect(
      screen.queryByText(/^The question is about another machine than the open one\.$/),
    ).toBeNull();
    expect(document.querySelector('[data-question]')).toBe(document.activeElement);
    expect(right()).toContain('All four');
  });

  test('is not judged by another run: an answer opens its run, and the changes can be restored', async () => {
    await open('start/old-data', 2);
    setVariables({ flush: true });
    setParam('cache0.ways', 2, { commit: true });
    render(<Lesson />);
    await ended();
    expect(screen.getByText(/about another machine than the open one\. Answering/)).toBeTruthy();
    await answerWith('All four');
    expect(right()).toContain('All four');
    expect(session.getState()).toMatchObject({
      edits: {},
      machine: { variables: { flush: false } },
    });
    expect(tallyOf(answers.getState())).toMatchObject({ answered: 1, right: 1 });
    act(undoEdit);
    expect(session.getState().edits).toEqual({ 'cache0.ways': 2 });
  });

  test('the question may name another run', async () => {
    await open('gt/gfixit', 3);
    render(<Lesson />);
    await ended();
    await answerWith('About a sixth as long');
    expect(right()).toContain('About a sixth as long');
    expect(session.getState().machine?.variables.way).toBe('rewritten');
  });

  test('an answer without a stored result waits for its run', async () => {
    await open('start/old-data', 2);
    setVariables({ flush: true });
    const question = openLesson.getState()?.steps[2]?.question;
    if (!question) throw new Error('That step asks nothing.');
    saveAnswer(scenarioKey(session.getState()), question, { option: 'None', right: false });
    render(<Lesson />);
    await ended();
    expect(screen.getByRole('button', { name: 'Open the machine of the question' })).toBeTruthy();
    expect([right(), struck().length]).toEqual([undefined, 0]);
  });
});

describe('asking the room', () => {
  const question = () => document.querySelector('[data-question]') as HTMLElement;
  const lesson = () => within(question());
  const room = () => within(screen.getByRole('dialog', { name: 'Ask the room' }));
  const press = (name: string) => fireEvent.click(room().getByRole('button', { name }));

  async function answeredAtHome() {
    await open('start/old-data', 2);
    const all = panelsOf('machine', false).filter(({ id }) => id === 'inspector');
    const view = render(
      <>
        <Lesson />
        <Panels all={all} asText={true} />
      </>,
    );
    await ended();
    fireEvent.click(screen.getByRole('radio', { name: 'Some' }));
    fireEvent.click(screen.getByRole('button', { name: 'Break the seal' }));
    fireEvent.click(await screen.findByRole('radio', { name: 'None' }, WAIT));
    fireEvent.click(await screen.findByRole('button', { name: 'Try once more' }, WAIT));
    await screen.findByText('what happened', {}, WAIT);
    return view;
  }

  const ask = () => render(<FreeRoom />);

  test('masks a question the lecturer has answered until it is revealed, and keeps that answer', async () => {
    await answeredAtHome();
    const given = answers.getState();
    expect(answerMask.getState()).toBeNull();
    ask();
    expect(lesson().queryByText('what happened')).toBeNull();
    expect(lesson().queryByText('second guess')).toBeNull();
    expect(answerMask.getState()?.question).toBeTruthy();
    expect(answers.getState()).toBe(given);
    press('Reveal what the run says');
    expect(await room().findByText('what happened', {}, WAIT)).toBeTruthy();
    await lesson().findByText('what happened', {}, WAIT);
    expect(lesson().getByText('second guess')).toBeTruthy();
    expect(answers.getState()).toEqual(given);

    press('Ask again');
    expect(room().queryByText('what happened')).toBeNull();
    expect(lesson().queryByText('what happened')).toBeNull();
  });

  test('closed without votes, it leaves the answer visible; with votes, it masks the answer until shown', async () => {
    await answeredAtHome();
    ask().unmount();
    expect(lesson().getByText('second guess')).toBeTruthy();
    const dialog = ask();
    fireEvent.keyDown(window, { code: 'Numpad3', key: '3' });
    fireEvent.keyDown(window, { code: 'Numpad3', key: 'PageDown' });
    fireEvent.keyDown(window, { code: 'Digit3', key: '§', shiftKey: false });
    expect(room().getByText(/^2\shands$/)).toBeTruthy();
    dialog.unmount();
    expect(lesson().queryByText('second guess')).toBeNull();
    fireEvent.click(lesson().getByRole('button', { name: 'Just show me' }));
    await lesson().findByText('second guess', {}, WAIT);
  });
});

describe('before the step of a question', () => {
  test('the run plays up to what the question is about, and says which step asks', async () => {
    await open('start/bus', 0);
    render(<Lesson />);
    await decided();
    expect(answerMask.getState()).toBeNull();
    await act(() => player.last());
    expect(player.now().timePs).toBe(1_063_200);
    expect(sealedFromPs(player.now().timePs)).toBe(1_063_200);
    fireEvent.click(await screen.findByRole('button', { name: 'Go to step 4' }, WAIT));
    await screen.findByText(/How long do the four loads take/, {}, WAIT);
  });

  test('“Just show me” lets it go on', async () => {
    await open('start/bus', 0);
    render(<Lesson />);
    await decided();
    await act(() => player.last());
    fireEvent.click(await screen.findByRole('button', { name: 'Just show me' }, WAIT));
    const { endPs } = player.state.getState();
    await act(() => player.last());
    expect(player.now().timePs).toBe(endPs);
    expect(sealedFromPs(endPs)).toBe(Number.POSITIVE_INFINITY);
  });

  test('a sweep is closed, and says which step asks', async () => {
    await open('start/bus', 0);
    render(<Sweep />);
    expect(screen.getByText(/^Step 4 of the lesson asks/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Run' })).toBeNull();
    act(() => justShows.setState({ on: true }));
    expect(screen.getByRole('button', { name: 'Run' })).toBeTruthy();
  });

  test('what will go wrong is not marked in the overview before it is played', async () => {
    await open('gt/read-back', 0);
    const all = panelsOf('machine', false).filter(({ id }) => id === 'overview');
    const { container } = render(<Panels all={all} asText={false} />);
    await decided();
    const marks = () => container.querySelector('path[class*=wrong]')?.getAttribute('d') ?? null;
    await vi.waitUntil(() => marks() !== null, WAIT);
    expect(marks()).toBe('');
    const question = openLesson.getState()?.steps[0]?.question;
    if (!question) throw new Error('Step 1 asks nothing.');
    act(() => saveAnswer('gt/read-back', question, { option: null, right: null }));
    await vi.waitUntil(() => marks()?.match(/M/g)?.length === 3, WAIT);
  });

  test('in a lab its curve is sealed and the others are not, and all values are seen once it is answered', async () => {
    await open('gt/crossover', 0);
    const shown = ['crossover-chart', 'crossover-why'];
    render(<Panels all={allPanels.filter(({ id }) => shown.includes(id))} asText />);
    const seals = () => screen.findAllByText('PIO write: sealed, step 2 asks about it', {}, WAIT);
    await vi.waitUntil(async () => (await seals()).length === shown.length, WAIT);
    expect(await screen.findByText(/^A DMA write takes/, {}, WAIT)).toBeTruthy();
    expect(screen.queryByRole('table', { name: 'PIO write' })).toBeNull();
    expect(screen.getByRole('table', { name: 'DMA write' })).toBeTruthy();
    expect(screen.queryByText(/^write: /)).toBeNull();
    act(() => setView({ step: 1 }));
    expect(screen.getAllByText('PIO write: sealed until you answer')).toHaveLength(shown.length);
    const question = openLesson.getState()?.steps[1]?.question;
    if (!question) throw new Error('Step 2 asks nothing.');
    act(() => saveAnswer(scenarioKey(session.getState()), question, { option: null, right: null }));
    expect(screen.getByRole('table', { name: 'PIO write' })).toBeTruthy();
    // The question of step 3 is about a larger buffer: its curve is sealed where that is tried.
    act(() => void setParam('bridge.posts', '64', { commit: true }));
    expect(screen.getAllByText('PIO write: sealed, step 3 asks about it')).toHaveLength(
      shown.length,
    );
  });

  test('another machine is not sealed by a question about the first', async () => {
    await open('start/bus', 0);
    render(<Lesson />);
    await decided();
    act(() => void setParam('cpu.store_time', '30 ns', { commit: true }));
    await ended();
    await act(() => player.last());
    expect(player.now().timePs).toBe(player.state.getState().endPs);
  });
});

describe('a step with a scene', () => {
  test('plays to its time, frames its interval and marks its parts', async () => {
    await open('start/bus', 1);
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
    await open('start/old-data', 2);
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
    await open('start/bus', 0);
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
    await open('start/bus', 3);
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
    await open('start/translation', 2);
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
    await open('start/waiting', step);
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
    await open('start/old-data', 4);
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
  await open('start/bus', 0);
  expect(lessonPanels.getState()?.has('events')).toBe(false);
  expect(lessonPanels.getState()?.has('machine')).toBe(true);
  openLessonPanel('events');
  expect(lessonPanels.getState()?.has('events')).toBe(true);
  expect(lessonPanels.getState()?.has('why')).toBe(false);
  showAllPanels();
  expect(lessonPanels.getState()).toBeNull();
  await open('gt/one-word', 0);
  expect(lessonPanels.getState()).toBeNull();
});

describe('the end of a lesson', () => {
  const answer = (id: string, right: boolean) =>
    saveAnswer('start/bus', { id }, { option: right ? 'c' : 'a', right, happened: 'c' });

  test('says how many answers were predicted, and leads to the next lesson', async () => {
    await open('start/bus', 5);
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
    await open('start/old-data', 6);
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
