/**
 * The veil over what an open question asks about. The question on the shown step of the lesson is open
 * until the reader commits to an answer or asks to be shown. Meanwhile nothing on the page says what the
 * counters and views that it names say, nor what is made from them; and as long as the run has not been
 * played to the evidence, what lies ahead of the playhead is covered too. With a playhead that has come to where
 * the run decides the question, so is all that the run shows.
 *
 *     options name counters ──> metrics made from them ──> measures, tables of runs, charts
 *     line "~" names more   ──> views of parts          ──> panels and captions that show them
 */
import { route } from '../../base/route';
import { createStore, derive, type Readable } from '../../base/store';
import type { CompiledMachine } from '../scenario/compile';
import { type Metric, termsOf } from '../scenario/scenario-types';
import { answers, answerTo, scenarioKey } from '../session/answers';
import { type SessionState, session } from '../session/session';
import { startAtBeginningWhile } from '../session/start-position';
import { hiddenBy, plainText, type Question } from './lesson';
import { openLesson } from './open-lesson';

/** Who knows the answers, or teaches them, may have everything shown all the time. */
export const maskEnabled = createStore({ on: true });

/** Words of the committed question whose run is being played to the evidence. */
export const evidenceTarget = createStore<{ readonly question: string | null }>({ question: null });

/** Words of the question that a room is asked, until it is revealed: then it is open, whatever its lecturer has answered. */
export const roomQuestion = createStore<{ readonly question: string | null }>({ question: null });

/** Whether the playhead has come to where the run decides the open question. */
export const pastDecision = createStore({ is: false });

export interface AnswerMask {
  readonly question: Question;
  /** Whether a counter or a view of a part is covered. */
  masks(part: number, ...names: readonly string[]): boolean;
  masksMetric(metric: Metric): boolean;
}

/** The step of the lesson that is shown, from 0. */
function shownStep(): number {
  const { view } = session.getState();
  const lesson = openLesson.getState();
  const chosen = view.step ?? Number(route.getState().params.step ?? 1) - 1;
  const last = Math.max(0, (lesson?.steps.length ?? 0) - 1);
  return Math.min(Math.max(0, Number(chosen) || 0), last);
}

export const stepShown: Readable<number> = derive([session, route], shownStep);

/** The question of the step that is shown, answered or not. */
export const shownQuestion = (): Question | null =>
  openLesson.getState()?.steps[shownStep()]?.question ?? null;

export const isAnswered = (question: Question): boolean =>
  roomQuestion.getState().question !== plainText(question.prompt) &&
  answerTo(scenarioKey(session.getState()), question) !== null;

startAtBeginningWhile(() => openQuestion() !== null);

/** The question that waits for an answer, if the page shows one. */
export function openQuestion(): Question | null {
  const question = maskEnabled.getState().on ? shownQuestion() : null;
  return question && !isAnswered(question) ? question : null;
}

function answerMaskOver(question: Question, { parts }: CompiledMachine): AnswerMask {
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

/** The same object as long as the same question is open over the same machine. */
export const answerMask: Readable<AnswerMask | null> = derive(
  [session, route, answers, maskEnabled, roomQuestion],
  answerMaskNow,
);

/** Whether what the page knows of the run beyond the playhead is covered. */
export const hidesFuture: Readable<boolean> = derive(
  [session, route, answers, maskEnabled, roomQuestion, evidenceTarget],
  () => {
    const question = shownQuestion();
    const playing =
      question !== null && evidenceTarget.getState().question === plainText(question.prompt);
    return playing || openQuestion() !== null;
  },
);
