/**
 * Whether the playhead has passed the time at which the run decides the open question. After it, every panel would
 * reveal the answer; before it, the panels are material for reasoning. If the lesson itself has led the reader
 * beyond that time, by a link or an earlier question, only what the question names stays hidden.
 */

import type { CompiledMachine } from '../scenario/compiled';
import { player } from '../session/open-run';
import type { Recording } from '../session/recorder';
import { session } from '../session/session';
import type { Trace } from '../trace/trace';
import { answerMask, isAnswered, openQuestion, pastDecision, stepShown } from './answer-mask';
import { timeOf } from './check-context';
import { decidesAt, verdict } from './evidence';
import { type Inline, inlinesIn, type Question, type Step } from './lesson';
import { openLesson } from './open-lesson';
import { isQuestionRun } from './question-run';

type Counters = ArrayLike<number>;

/** Where a run decides a question. */
interface Decision {
  /** A time before the decision, and one after it. */
  readonly beforePs: number;
  readonly byPs: number;
  isMade(timePs: number, counters: Counters): boolean;
}

function decisionOf(
  question: Question,
  machine: CompiledMachine,
  { overview, endPs }: Recording<Trace>,
): Decision {
  const at = (timePs: number): Decision => ({
    beforePs: timePs - 1,
    byPs: timePs,
    isMade: (now) => now >= timePs,
  });
  if (question.seen) return at(timeOf(question.seen.time) ?? endPs);
  const final = overview.at(-1)?.counters ?? [];
  const option = question.options[verdict(question, machine, final)];
  const holds = option && decidesAt(option, machine, final);
  const sample = holds ? overview.findIndex(({ counters }) => holds(counters)) : -1;
  const [before, by] = [overview[sample - 1], overview[sample]];
  if (!holds || !by) return at(endPs);
  const beforePs = (before?.timePs ?? 0) - 1;
  return { beforePs, byPs: by.timePs, isMade: (_, counters) => holds(counters) };
}

const timesIn = (inlines: readonly Inline[]): number[] =>
  inlines.flatMap((inline) =>
    inline.kind === 'link' && inline.to.kind === 'time' ? [timeOf(inline.to.value) ?? 0] : [],
  );

const timesOf = ({ blocks, task }: Step): number[] =>
  [...blocks.map(inlinesIn), task?.inlines ?? []].flatMap(timesIn);

/** Latest time to which the lesson has led up to the visible step. */
function lessonReachPs(machine: CompiledMachine, recording: Recording<Trace>): number {
  const steps = openLesson.getState()?.steps.slice(0, stepShown.getState() + 1) ?? [];
  const times = steps.flatMap((step) => {
    const { question } = step;
    if (!question || !isAnswered(question)) return timesOf(step);
    const { byPs } = decisionOf(question, machine, recording);
    return [...timesOf(step), ...timesIn(question.because), byPs];
  });
  return Math.max(0, ...times);
}

interface Known {
  readonly question: Question;
  readonly machine: CompiledMachine;
  readonly recording: Recording<Trace>;
  /** Null if the lesson has led past it. */
  readonly decision: Decision | null;
}

let known: Known | null = null;

function decisionNow(): Decision | null {
  const question = openQuestion();
  const { machine } = session.getState();
  const recording = player.recording();
  if (!question || !machine || !recording || !player.state.getState().complete) return null;
  // A question about another run is decided in that run only.
  if (question.set !== null && !isQuestionRun(question)) return null;
  const isKnown =
    known?.question === question && known.machine === machine && known.recording === recording;
  if (!isKnown) {
    const decision = decisionOf(question, machine, recording);
    const reachPs = lessonReachPs(machine, recording);
    const isReached = reachPs > 0 && decision.byPs <= reachPs;
    known = { question, machine, recording, decision: isReached ? null : decision };
  }
  return known?.decision ?? null;
}

function isBeyond(): boolean {
  const frame = player.frame();
  const { timePs } = player.now();
  if (!frame || timePs <= 0) return false;
  const decision = decisionNow();
  return (
    decision?.isMade(
      timePs,
      frame.counters.flatMap((own) => [...own]),
    ) ?? false
  );
}

/** Seeks to a time before the decision. */
export async function seekBeforeDecision(): Promise<void> {
  const decision = decisionNow();
  player.pause();
  if (decision) await player.toTime(Math.max(0, decision.beforePs));
}

/**
 * Tracks playhead, run and lesson.
 * @returns a function that stops
 */
export function trackPastDecision(): () => void {
  const look = () => {
    const is = isBeyond();
    if (is !== pastDecision.getState().is) pastDecision.setState({ is });
  };
  const stops = [player.onFrame(look), player.state.subscribe(look), answerMask.subscribe(look)];
  look();
  return () => {
    for (const stop of stops) stop();
  };
}
