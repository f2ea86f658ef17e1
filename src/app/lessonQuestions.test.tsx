/** A question of the lesson: what it masks and seals while it is open, its run, its second attempt, and the room. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  answerMask,
  decisionTime,
  justShows,
  roomQuestion,
  sealedFromPs,
} from '../model/lesson/answer-mask';
import { trackDecision } from '../model/lesson/decision';
import { openLesson } from '../model/lesson/open-lesson';
import { answers, saveAnswer, scenarioKey, tallyOf } from '../model/session/answers';
import { setParam, setVariables, undoEdit } from '../model/session/editing';
import { player } from '../model/session/open-run';
import { clearSelection } from '../model/session/selection';
import { session, setView } from '../model/session/session';
import Lesson from '../panels/lesson/Lesson';
import FreeRoom from '../panels/room/Room';
import { votes } from '../panels/room/votes';
import Sweep from '../panels/sweep/Sweep';
import { standInForPage } from '../widgets/page.fixture';
import { PanelContext, type PanelDefinition } from '../widgets/panels';
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
  votes.setState({ byQuestion: {} });
  roomQuestion.setState({ question: null });
  justShows.setState({ on: false });
});

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

describe('while a question is open', () => {
  const sheets = () => [...document.querySelectorAll('[data-sheet]')];
  const isMasked = (sheet: Element) => sheet.textContent.includes('Hidden while the question');

  test('the run plays up to the moment of decision and no further, and no panel is covered', async () => {
    await openStep('start/old-data', 2);
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
    // What happens is counted event by event: its seal begins where the step's text has led.
    expect(limit).toBe(3.2e6);
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
        [0, 13_096_983],
        [5, 15_534_376],
      ],
    ],
  ] as const)('%s', async (_, id, questions) => {
    await openStep(id, 0);
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
    await openStep('gt/one-word', 0);
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

describe('a question and its run', () => {
  const answerWith = async (option: string) => {
    fireEvent.click(screen.getByRole('radio', { name: option }));
    fireEvent.click(screen.getByRole('button', { name: 'Break the seal' }));
    await screen.findByText('what happened', {}, WAIT);
  };
  const right = () => document.querySelector('[data-right]')?.textContent;
  const struck = () => document.querySelectorAll('[data-struck]');

  test('the result stays when the lesson opens another run, and one can return to it', async () => {
    await openStep('start/old-data', 2);
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
    await openStep('start/old-data', 2);
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
    await openStep('gt/gfixit', 3);
    render(<Lesson />);
    await ended();
    await answerWith('About a sixth as long');
    expect(right()).toContain('About a sixth as long');
    expect(session.getState().machine?.variables.way).toBe('rewritten');
  });

  test('an answer without a stored result waits for its run', async () => {
    await openStep('start/old-data', 2);
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
    await openStep('start/old-data', 2);
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
    await openStep('start/bus', 0);
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
    await openStep('start/bus', 0);
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
    await openStep('start/bus', 0);
    render(<Sweep />);
    expect(screen.getByText(/^Step 4 of the lesson asks/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Run' })).toBeNull();
    act(() => justShows.setState({ on: true }));
    expect(screen.getByRole('button', { name: 'Run' })).toBeTruthy();
  });

  test('what will go wrong is not marked in the overview before it is played', async () => {
    await openStep('gt/read-back', 0);
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
    await openStep('gt/crossover', 0);
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
    await openStep('start/bus', 0);
    render(<Lesson />);
    await decided();
    act(() => void setParam('cpu.store_time', '30 ns', { commit: true }));
    await ended();
    await act(() => player.last());
    expect(player.now().timePs).toBe(player.state.getState().endPs);
  });
});

describe('a first guess that is not right', () => {
  const choose = (name: RegExp | string, button: string) => {
    fireEvent.click(screen.getByRole('radio', { name }));
    screen.getByRole('button', { name: button }).focus();
    fireEvent.click(screen.getByRole('button', { name: button }));
  };

  test('opens the seal as far as it goes, and leaves the question open for a second', async () => {
    await openStep('start/bus', 3);
    render(<Lesson />);
    await decided();
    const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
    choose('About as long', 'Break the seal');
    await screen.findByText(/What does a load need that a store does not/, {}, WAIT);
    await vi.waitUntil(
      () => scrolled.mock.contexts.includes(document.activeElement as Element),
      WAIT,
    );
    expect(document.activeElement?.matches('[data-question]')).toBe(true);
    expect(answerMask.getState()).not.toBeNull();
    const guessEnds = 1_063_200 + 1.5 * 63_200;
    await vi.waitUntil(() => decisionTime.getState().ps === guessEnds, WAIT);
    await vi.waitUntil(() => player.now().timePs === guessEnds, WAIT);
    await act(() => player.last());
    expect(player.now().timePs).toBe(guessEnds);
    expect(screen.getByRole('radio', { name: /About as long/ })).toHaveProperty('disabled', true);

    choose('More than ten times as long', 'Try once more');
    await screen.findByText('what happened', {}, WAIT);
    expect(screen.getByText('first guess')).toBeTruthy();
    const kept = answers.getState()['start/bus']?.q1;
    expect(kept).toMatchObject({ option: 'a', right: false, second: 'c', happened: 'c' });
  });

  test('leaves a run with other settings sealed, though the text has led beyond in the first run', async () => {
    await openStep('start/bus', 4);
    saveAnswer('start/bus', { id: 'q1' }, { option: 'c', right: true, happened: 'c' });
    render(<Lesson />);
    choose(/63\sns, as before/, 'Break the seal');
    await screen.findByText(/Where would the second store go/, {}, WAIT);
    expect(session.getState().edits).toEqual({ 'bridge.posts': 1 });
    // The first store is handed over at once; as far as the guess, the run has shown that four are not.
    await vi.waitUntil(() => decisionTime.getState().ps === 100_000, WAIT);
    await act(() => player.last());
    expect(player.now().timePs).toBe(100_000);
    await act(async () => setView({ step: 0 }));
    await decided();
    await act(() => player.last());
    expect(player.now().timePs).toBe(0);
  });

  test('can be made true in a machine that is searched for and opened', async () => {
    await openStep('start/bus', 3);
    saveAnswer('start/bus', { id: 'q1' }, { option: 'a', right: false, happened: 'c' });
    render(<Lesson />);
    await ended();
    const make = await screen.findByRole('button', { name: 'Make my answer true' }, WAIT);
    make.focus();
    fireEvent.click(make);
    (await screen.findByRole('button', { name: 'Cancel' }, WAIT)).focus();
    const found = await screen.findByText(/In this machine it is right/, {}, WAIT);
    expect(found.parentElement).toBe(document.activeElement);
    expect(screen.getByText('Processor: PIO write, per store')).toBeTruthy();
    expect(session.getState().edits).toEqual({ 'cpu.store_time': '252.8 ns' });
    act(() => undoEdit());
    expect(session.getState().edits).toEqual({});
  });
});
