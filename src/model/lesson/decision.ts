/**
 * The moment of decision: the time up to which the run can be played while a question is open. After it the run would
 * show the answer. If the lesson itself has led the reader beyond that time, by a link or an earlier question, only
 * what the question names stays hidden.
 */

import type { CompiledMachine } from '../scenario/compiled';
import { player } from '../session/open-run';
import type { Recording } from '../session/recorder';
import { session } from '../session/session';
import type { Trace } from '../trace/trace';
import { answerMask, decisionTime, isAnswered, openQuestion, stepShown } from './answer-mask';
import { timeOf } from './check-context';
import { conditionAt, decidesAt, verdict } from './evidence';
import type { Option, Question, Step } from './lesson';
import { timesIn, timesOf } from './lesson-times';
import { openLesson } from './open-lesson';
import { isQuestionRun } from './question-run';

/** Finds the first event of the run after which a condition holds. */
type Find = (
  holds: (counters: ArrayLike<number>) => boolean,
) => Promise<{ readonly timePs: number } | null>;

/** A completely recorded run. */
interface RunOfQuestion {
  readonly machine: CompiledMachine;
  readonly counters: ArrayLike<number>;
  readonly endPs: number;
  readonly find: Find;
}

/** Whether an option compares a duration. The reader can see a duration before it is counted. */
const asksDuration = ({ when }: Option, machine: CompiledMachine): boolean =>
  when.some((condition) => conditionAt(machine, condition)?.unit === 'ps');

/** Time of the event that decides a question; the end of the run if no event does. */
async function decidedPs(question: Question, run: RunOfQuestion): Promise<number> {
  if (question.seen) return timeOf(question.seen.time) ?? run.endPs;
  const option = question.options[verdict(question, run.machine, run.counters)];
  const holds = option && decidesAt(option, run.machine, run.counters);
  return (holds ? (await run.find(holds))?.timePs : undefined) ?? run.endPs;
}

/** Latest time to which the lesson has led up to a step, and the answers before it. */
async function reachedPs(
  before: readonly Step[],
  step: Step,
  run: RunOfQuestion,
  answered: (question: Question) => boolean,
): Promise<number> {
  const times = timesOf(step);
  for (const earlier of before) {
    times.push(...timesOf(earlier));
    const { question } = earlier;
    if (!question || !answered(question)) continue;
    times.push(...timesIn(question.because), await decidedPs(question, run));
  }
  return Math.max(0, ...times);
}

/**
 * Latest time to which the run can be played while the question of a step is open, in picoseconds. Infinite if the
 * lesson has led beyond the decision. A duration is sealed from where the step's text has led to.
 */
export async function momentOfDecision(
  steps: readonly Step[],
  at: number,
  run: RunOfQuestion,
  answered: (question: Question) => boolean,
): Promise<number> {
  const step = steps[at];
  if (!step?.question) return Number.POSITIVE_INFINITY;
  const { question } = step;
  const decided = await decidedPs(question, run);
  const reached = await reachedPs(steps.slice(0, at), step, run, answered);
  // What the first events decide is known before anything can be seen; then only its quantities are hidden.
  if (decided <= reached) return Number.POSITIVE_INFINITY;
  const led = Math.max(0, ...timesOf(step));
  const isDuration = question.options.some((option) => asksDuration(option, run.machine));
  return isDuration && led > 0 ? led : Math.max(0, decided - 1);
}

/** What a decision depends on. */
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

async function momentNow({ question, machine, recording }: Asked): Promise<number | null> {
  if (!question) return Number.POSITIVE_INFINITY;
  if (!machine || !recording) return null;
  // A question about another run is decided in that run only.
  if (question.set !== null && !isQuestionRun(question)) return Number.POSITIVE_INFINITY;
  const run: RunOfQuestion = {
    machine,
    counters: recording.overview.at(-1)?.counters ?? [],
    endPs: recording.endPs,
    find: (holds) => player.firstWhere(holds),
  };
  const steps = openLesson.getState()?.steps ?? [];
  return momentOfDecision(steps, stepShown.getState(), run, isAnswered);
}

/**
 * Keeps the moment of decision up to date with run and lesson, and the playhead before it.
 * @returns a function that stops
 */
export function trackDecision(): () => void {
  let known: Asked | null = null;
  const look = () => {
    const asked = askedNow();
    const isKnown =
      known?.question === asked.question &&
      known.machine === asked.machine &&
      known.recording === asked.recording;
    if (isKnown) return;
    known = asked;
    decisionTime.setState({ ps: null });
    player.setLimit(null);
    void momentNow(asked).then((ps) => {
      if (known !== asked) return;
      decisionTime.setState({ ps });
      player.setLimit(ps !== null && Number.isFinite(ps) ? ps : null);
    });
  };
  const stops = [player.state.subscribe(look), answerMask.subscribe(look)];
  look();
  return () => {
    for (const stop of stops) stop();
  };
}
