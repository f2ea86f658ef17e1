/**
 * Keeps the moment of decision up to date, and the playhead before it: that of the open question, or of a question that
 * the lesson asks later about the same run.
 */

import type { CompiledMachine } from '../scenario/compiled';
import { answers } from '../session/answers';
import { player } from '../session/open-run';
import type { Recording } from '../session/recorder';
import { session } from '../session/session';
import type { Trace } from '../trace/trace';
import {
  answerMask,
  asksAhead,
  decisionTime,
  isAnswered,
  laterQuestion,
  laterQuestions,
  openQuestion,
  stepShown,
} from './answer-mask';
import { guessKey, openedSeal } from './first-guess';
import type { Question } from './lesson';
import { limitOfLater, NO_LIMIT, sealOfStep } from './moment';
import { openLesson } from './open-lesson';
import { isQuestionRun } from './question-run';
import { recordedRun } from './recorded-run';

interface Asked {
  readonly question: Question | null;
  readonly machine: CompiledMachine | null;
  readonly recording: Recording<Trace> | null;
  /** The visible step, and the later ones that ask about the open run. */
  readonly step: number;
  readonly later: readonly number[];
}

/** The later steps whose questions are about the open run. */
const laterHere = (): readonly number[] =>
  laterQuestions().filter((at) => {
    const question = openLesson.getState()?.steps[at]?.question;
    return question && isQuestionRun(question);
  });

/** The open question, the later ones, and the completely recorded run that decides them. */
function askedNow(): Asked {
  const question = openQuestion();
  const { machine } = session.getState();
  const isWhole = player.state.getState().complete;
  return {
    question,
    machine,
    recording: isWhole ? player.recording() : null,
    step: stepShown.getState(),
    later: laterHere(),
  };
}

const isSame = (one: Asked, other: Asked): boolean =>
  one.question === other.question &&
  one.machine === other.machine &&
  one.recording === other.recording &&
  one.step === other.step &&
  String(one.later) === String(other.later);

/** As far as it is known. */
interface Limit {
  readonly ps: number | null;
  readonly step: number | null;
}

/** The limit that the open question sets. */
async function ownLimit(question: Question | null, step: number): Promise<Limit> {
  if (!question) return NO_LIMIT;
  const run = recordedRun();
  if (!run) return { ps: null, step: null };
  // A question about another run is decided in that run only.
  if (question.set !== null && !isQuestionRun(question)) return NO_LIMIT;
  const steps = openLesson.getState()?.steps ?? [];
  return { ps: await sealOfStep(steps, step, run, isAnswered), step: null };
}

async function laterLimit(later: readonly number[], step: number): Promise<Limit> {
  const [first = null] = later;
  if (first === null) return NO_LIMIT;
  const run = recordedRun();
  if (!run) return { ps: null, step: first };
  return limitOfLater(openLesson.getState()?.steps ?? [], step, later, run, isAnswered);
}

async function limitOf({ question, step, later }: Asked): Promise<Limit> {
  const own = await ownLimit(question, step);
  if (own.ps === null) return own;
  const next = await laterLimit(later, step);
  return next.ps === null || next.ps < own.ps ? next : own;
}

/** Where the seal begins: at the moment of decision, or later if it is open as far as the first guess. */
function sealAt(question: Question | null, { ps, step }: Limit): void {
  laterQuestion.setState({ step: question === null ? step : null });
  const opened = openedSeal.getState();
  const isOpened = question !== null && ps !== null && opened.key === guessKey(question);
  const from = isOpened ? Math.max(ps, opened.ps) : ps;
  decisionTime.setState({ ps: from });
  player.setLimit(from !== null && Number.isFinite(from) ? from : null);
}

/**
 * Keeps the moment of decision up to date with run and lesson, and the playhead before it.
 * @returns a function that stops
 */
export function trackDecision(): () => void {
  let known: Asked | null = null;
  let limit: Limit = { ps: null, step: null };
  const look = () => {
    const asked = askedNow();
    if (known && isSame(known, asked)) return;
    known = asked;
    limit = { ps: null, step: asked.later[0] ?? null };
    sealAt(null, limit);
    void limitOf(asked).then((found) => {
      if (known !== asked) return;
      limit = found;
      sealAt(asked.question, limit);
    });
  };
  const open = () => sealAt(known?.question ?? null, limit);
  const stops = [
    player.state.subscribe(look),
    answerMask.subscribe(look),
    asksAhead.subscribe(look),
    stepShown.subscribe(look),
    answers.subscribe(look),
    openedSeal.subscribe(open),
  ];
  look();
  return () => {
    for (const stop of stops) stop();
  };
}
