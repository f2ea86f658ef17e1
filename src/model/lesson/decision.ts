/** Keeps the moment of decision of the open question up to date, and the playhead before it. */

import type { CompiledMachine } from '../scenario/compiled';
import { player } from '../session/open-run';
import type { Recording } from '../session/recorder';
import { session } from '../session/session';
import type { Trace } from '../trace/trace';
import { answerMask, decisionTime, isAnswered, openQuestion, stepShown } from './answer-mask';
import { guessKey, openedSeal } from './first-guess';
import type { Question } from './lesson';
import { momentOfDecision } from './moment';
import { openLesson } from './open-lesson';
import { isQuestionRun } from './question-run';
import { recordedRun } from './recorded-run';

interface Asked {
  readonly question: Question | null;
  readonly machine: CompiledMachine | null;
  readonly recording: Recording<Trace> | null;
}

/** The open question and the completely recorded run that decides it. */
function askedNow(): Asked {
  const question = openQuestion();
  const { machine } = session.getState();
  const isWhole = player.state.getState().complete;
  return { question, machine, recording: isWhole ? player.recording() : null };
}

async function momentNow(question: Question | null): Promise<number | null> {
  if (!question) return Number.POSITIVE_INFINITY;
  const run = recordedRun();
  if (!run) return null;
  // A question about another run is decided in that run only.
  if (question.set !== null && !isQuestionRun(question)) return Number.POSITIVE_INFINITY;
  const steps = openLesson.getState()?.steps ?? [];
  return momentOfDecision(steps, stepShown.getState(), run, isAnswered);
}

/** Where the seal begins: at the moment of decision, or later if it is open as far as the first guess. */
function sealAt(question: Question | null, ps: number | null): void {
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
  let moment: number | null = null;
  const look = () => {
    const asked = askedNow();
    const isKnown =
      known?.question === asked.question &&
      known.machine === asked.machine &&
      known.recording === asked.recording;
    if (isKnown) return;
    known = asked;
    moment = null;
    sealAt(null, null);
    void momentNow(asked.question).then((ps) => {
      if (known !== asked) return;
      moment = ps;
      sealAt(asked.question, ps);
    });
  };
  const open = () => sealAt(known?.question ?? null, moment);
  const stops = [
    player.state.subscribe(look),
    answerMask.subscribe(look),
    openedSeal.subscribe(open),
  ];
  look();
  return () => {
    for (const stop of stops) stop();
  };
}
