/** A first guess that is not right: how far the seal opens, and the machine in which it would be. */
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { navigate } from '../base/route';
import { answerMask, decisionTime } from '../model/lesson/answer-mask';
import { trackDecision } from '../model/lesson/decision';
import { answers, saveAnswer } from '../model/session/answers';
import { undoEdit } from '../model/session/editing';
import { player } from '../model/session/open-run';
import { clearSelection } from '../model/session/selection';
import { session, setView } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import Lesson from '../panels/lesson/Lesson';
import { standInForPage } from '../widgets/page.fixture';

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
});

const ended = () =>
  vi.waitUntil(() => {
    const { status, complete } = player.state.getState();
    return status === 'ready' && complete;
  }, WAIT);

/** Waits until the moment of decision is known. */
const decided = async (): Promise<void> => {
  await ended();
  await vi.waitUntil(() => decisionTime.getState().ps !== null, WAIT);
};

async function open(id: string, step: number): Promise<void> {
  answers.setState({}, true);
  navigate({ view: 'machine', scenario: id });
  await openScenario(id);
  setView({ step });
}

describe('a first guess that is not right', () => {
  const choose = (name: RegExp | string, button: string) => {
    fireEvent.click(screen.getByRole('radio', { name }));
    screen.getByRole('button', { name: button }).focus();
    fireEvent.click(screen.getByRole('button', { name: button }));
  };

  test('opens the seal as far as it goes, and leaves the question open for a second', async () => {
    await open('start/bus', 3);
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
    await open('start/bus', 4);
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
    await open('start/bus', 3);
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
