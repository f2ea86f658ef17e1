/** Questions of lessons in the frame: stored answers and commands. */
import { type Command, commands } from '../base/commands';
import { navigate, route } from '../base/route';
import {
  asksAhead,
  justShows,
  maskEnabled,
  openQuestion,
  stepShown,
  unansweredSteps,
} from '../model/lesson/answer-mask';
import { firstGuesses } from '../model/lesson/first-guess';
import { reader } from '../model/lesson/option-order';
import { renameKeptAnswers } from '../model/session/answer-ids';
import { type Answers, answers, clearAnswers } from '../model/session/answers';
import { setView } from '../model/session/session';
import { focusPanel } from './focus';
import { session } from './opening/open-document';
import { remember, remembered } from './preferences';

const KEY = 'answers';
const FIRST = 'first guesses';

/** The stored first guesses of questions that are still open. */
function storedGuesses(): Readonly<Record<string, string>> {
  try {
    const all: unknown = JSON.parse(remembered(FIRST) ?? '{}');
    const entries = Object.entries(typeof all === 'object' && all !== null ? all : {});
    return Object.fromEntries(entries.filter(([, one]) => typeof one === 'string'));
  } catch {
    return {};
  }
}

/** The stored answers that have the right shape; storage is untrusted. */
function storedAnswers(): Answers {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const isTexts = (value: unknown): boolean =>
    Array.isArray(value) && value.every((one) => typeof one === 'string');
  const isAnswer = (value: unknown): boolean =>
    isRecord(value) &&
    (value.option === null || typeof value.option === 'string') &&
    (value.right === null || typeof value.right === 'boolean') &&
    (value.second === undefined || typeof value.second === 'string') &&
    (value.happened === undefined || typeof value.happened === 'string') &&
    (value.order === undefined || isTexts(value.order));
  try {
    const all: unknown = JSON.parse(remembered(KEY) ?? '{}');
    const isWhole = (one: unknown) => isRecord(one) && Object.values(one).every(isAnswer);
    if (!isRecord(all)) return {};
    return Object.fromEntries(Object.entries(all).filter(([, one]) => isWhole(one))) as Answers;
  } catch {
    return {};
  }
}

/** The number of this reader; a new one on the first visit. */
function readerSeed(): number {
  const known = Number.parseInt(remembered('reader') ?? '', 10);
  if (Number.isSafeInteger(known)) return known;
  const [seed = 0] = crypto.getRandomValues(new Uint32Array(1));
  remember('reader', String(seed));
  return seed;
}

const isOpen = (): boolean => asksAhead.getState();

const section = 'Lesson';

const questionCommands: readonly Command[] = [
  {
    id: 'question.go',
    title: 'Go to the question',
    section,
    when: isOpen,
    run: goToQuestion,
  },
  {
    id: 'question.show',
    title: 'Show the answer',
    section,
    hint: 'and do not ask again on this visit',
    when: isOpen,
    run: () => void showAnswer(),
  },
  {
    id: 'question.cover',
    title: 'Hide what questions ask about',
    section,
    keywords: ['veil', 'spoiler', 'answers', 'predict'],
    hint: 'on or off',
    run: () => maskEnabled.setState(({ on }) => ({ on: !on })),
  },
  {
    id: 'question.forget',
    title: 'Clear all answers',
    section,
    keywords: ['tally', 'score', 'again'],
    hint: 'every question is open again',
    when: () => Object.keys(answers.getState()).length > 0,
    run: () => {
      justShows.setState({ on: false });
      firstGuesses.setState({}, true);
      clearAnswers();
    },
  },
];

/** The lesson is beside the run, so the comparison view has to be left. */
function goToQuestion(): void {
  const open = session.getState();
  if (!open) return;
  const { kind: view, scenario } = open;
  if (!['machine', 'lab'].includes(route.getState().view))
    navigate(scenario ? { view, scenario } : { view });
  const [step] = unansweredSteps.getState();
  if (step !== undefined && step !== stepShown.getState()) setView({ step });
  focusPanel('lesson', '[data-question]');
}

async function showAnswer(): Promise<void> {
  const question = openQuestion();
  const { justShow } = await import('../model/lesson/answer-question');
  if (question) await justShow(question);
  else justShows.setState({ on: true });
}

export function startQuestions(): void {
  reader.setState({ seed: readerSeed() });
  answers.setState(storedAnswers(), true);
  answers.subscribe((now) => remember(KEY, JSON.stringify(now)));
  firstGuesses.setState(storedGuesses(), true);
  firstGuesses.subscribe((now) => remember(FIRST, JSON.stringify(now)));
  // Without the table the old answers stay until the next visit.
  renameKeptAnswers().catch(() => {});
  maskEnabled.setState({ on: remembered('cover') !== 'off' });
  maskEnabled.subscribe(({ on }) => remember('cover', on ? 'on' : 'off'));
  window.addEventListener('storage', ({ key }) => {
    if (key?.endsWith(KEY)) answers.setState(storedAnswers(), true);
  });
  for (const command of questionCommands) commands.add(command);
  watchOnceAsked();
}

/** From the first lesson with an open question on, the seal follows the playhead. */
function watchOnceAsked(): void {
  const stop = asksAhead.subscribe(start);
  let started = false;
  function start(): void {
    if (started || !asksAhead.getState()) return;
    started = true;
    stop();
    void import('../model/lesson/decision').then(({ trackDecision }) => trackDecision());
  }
  start();
}
