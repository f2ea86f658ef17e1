/**
 * Hides the answer of an open question. The question of the visible step is open until the reader commits to an
 * answer or reveals it. Until then the page hides the counters and views that the question names, and everything
 * derived from them. Lanes are sealed after the moment of decision, where the playhead stops. Texts about the run end
 * at the playhead.
 *
 *     options name counters ──> metrics made from them ──> measures, tables of runs, charts
 *     line "~" names more   ──> views of parts          ──> panels and captions that show them
 */
import { route } from '../../base/route';
import { createStore, derive, type Readable } from '../../base/store';
import type { CompiledMachine } from '../scenario/compiled';
import { type Metric, termsOf } from '../scenario/scenario-types';
import { answers, answerTo, scenarioKey } from '../session/answers';
import { type SessionState, session } from '../session/session';
import { hiddenBy, plainText, type Question } from './lesson';
import { openLesson } from './open-lesson';

/** Users who know the answers, or teach, may switch the mask off. */
export const maskEnabled = createStore({ on: true });

/** Id of the answered question whose run is being played to the evidence. */
export const evidenceTarget = createStore<{ readonly question: string | null }>({ question: null });

/** Id of the question posed to the audience: open until it is revealed, even if the lecturer has answered it. */
export const roomQuestion = createStore<{ readonly question: string | null }>({ question: null });

/** Index of the option chosen for the open question, before it is committed. */
export const guess = createStore<{ readonly option: number | null }>({ option: null });

/** Whether the user has chosen to see answers without guessing; asked once until the page is loaded again. */
export const justShows = createStore({ on: false });

/**
 * Latest time to which the run can be played while the question is open, in picoseconds: infinite if the question
 * sets no limit, null while it is not known.
 */
export const decisionTime = createStore<{ readonly ps: number | null }>({ ps: null });

/**
 * Index of a later step whose question seals the run from `decisionTime` on, although the visible step asks nothing; null
 * if there is none.
 */
export const laterQuestion = createStore<{ readonly step: number | null }>({ step: null });

export interface AnswerMask {
  readonly question: Question;
  /** Whether a counter or a view of a part is hidden. */
  masks(part: number, ...names: readonly string[]): boolean;
  masksMetric(metric: Metric): boolean;
}

/** The visible step of the lesson, from 0. */
function shownStep(): number {
  const { view } = session.getState();
  const lesson = openLesson.getState();
  const chosen = view.step ?? Number(route.getState().params.step ?? 1) - 1;
  const last = Math.max(0, (lesson?.steps.length ?? 0) - 1);
  return Math.min(Math.max(0, Number(chosen) || 0), last);
}

export const stepShown: Readable<number> = derive([session, route], shownStep);

/** The question of the visible step, answered or not. */
export const shownQuestion = (): Question | null =>
  openLesson.getState()?.steps[shownStep()]?.question ?? null;

export const isAnswered = (question: Question): boolean =>
  roomQuestion.getState().question !== plainText(question.prompt) &&
  answerTo(scenarioKey(session.getState()), question) !== null;

/** The unanswered question on the page, if any. */
export function openQuestion(): Question | null {
  const question = maskEnabled.getState().on ? shownQuestion() : null;
  if (!question || isAnswered(question)) return null;
  const isPosed = roomQuestion.getState().question === plainText(question.prompt);
  return justShows.getState().on && !isPosed ? null : question;
}

/** Indexes of the steps after the visible one whose questions are unanswered. */
export function laterQuestions(): readonly number[] {
  if (!maskEnabled.getState().on || justShows.getState().on) return [];
  const steps = openLesson.getState()?.steps ?? [];
  return steps.flatMap(({ question }, at) =>
    at > shownStep() && question && !isAnswered(question) ? [at] : [],
  );
}

let unanswered: readonly number[] = [];

function unansweredNow(): readonly number[] {
  const steps = [...(openQuestion() ? [shownStep()] : []), ...laterQuestions()];
  if (String(steps) !== String(unanswered)) unanswered = steps;
  return unanswered;
}

/** Indexes of the visible step and of later ones, where their questions are unanswered. */
export const unansweredSteps: Readable<readonly number[]> = derive(
  [session, route, answers, maskEnabled, justShows, roomQuestion],
  unansweredNow,
);

/** Whether a question of the lesson is unanswered, here or in a later step. */
export const asksAhead: Readable<boolean> = derive(
  [unansweredSteps],
  () => unansweredNow().length > 0,
);

/** What a question masks while it is open. */
export function answerMaskOver(question: Question, { parts }: CompiledMachine): AnswerMask {
  const named = hiddenBy(question);
  const masks = (part: number, ...names: readonly string[]): boolean =>
    names.some((name) => named.has(`${parts[part]?.name}.${name}`));
  const masksMetric = (metric: Metric): boolean =>
    named.has(metric.name) ||
    termsOf(metric).some(
      (factor) =>
        factor.kind === 'counter' &&
        masks(factor.part, parts[factor.part]?.type.counters[factor.counter]?.name ?? ''),
    );
  return { question, masks, masksMetric };
}

let drawn: { question: Question; machine: SessionState['machine']; answerMask: AnswerMask } | null =
  null;

function answerMaskNow(): AnswerMask | null {
  const question = openQuestion();
  const { machine } = session.getState();
  if (!question || !machine) return null;
  if (drawn?.question !== question || drawn.machine !== machine)
    drawn = { question, machine, answerMask: answerMaskOver(question, machine) };
  return drawn.answerMask;
}

/** Memoized while the same question is open for the same machine. */
export const answerMask: Readable<AnswerMask | null> = derive(
  [session, route, answers, maskEnabled, justShows, roomQuestion],
  answerMaskNow,
);

/** Whether texts about the run end at the playhead. */
export const hidesFuture: Readable<boolean> = derive(
  [session, route, answers, maskEnabled, justShows, roomQuestion, evidenceTarget, laterQuestion],
  () => {
    const question = shownQuestion();
    const playing =
      question !== null && evidenceTarget.getState().question === plainText(question.prompt);
    return playing || openQuestion() !== null || laterQuestion.getState().step !== null;
  },
);

/**
 * Time from which pictures of the run are sealed, in picoseconds; infinite if nothing is. `timePs` is the playhead's:
 * the module of the run would bring the parts' manifests into the first load.
 */
export function sealedFromPs(timePs: number): number {
  if (!hidesFuture.getState()) return Number.POSITIVE_INFINITY;
  const isPlaying = evidenceTarget.getState().question !== null;
  const { ps } = decisionTime.getState();
  return isPlaying || ps === null ? timePs : ps;
}
