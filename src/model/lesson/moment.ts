/**
 * The moment of decision: the time up to which the run can be played while a question is open. After it the run would
 * show the answer. If the lesson itself has led the reader beyond that time, by a link or an earlier question, only
 * what the question names stays hidden.
 */
import type { CompiledMachine } from '../scenario/compiled';
import { conditionAt, decidesAt, verdict } from './evidence';
import { asksCount, exclusionPs, fairShare } from './exclusion';
import type { Condition, Option, Question, Step } from './lesson';
import { timesIn, timesOf } from './lesson-times';
import type { RunOfQuestion } from './run-of-question';
import { timeOf } from './time-of';

/** Whether an option compares a duration. The reader can see a duration before it is counted. */
const asksDuration = ({ when }: Option, machine: CompiledMachine): boolean =>
  when.some((condition) => conditionAt(machine, condition)?.unit === 'ps');

/** Whether the right option says that something never happens. That can be seen wherever one looks. */
function asksForNothing(question: Question, { machine, counters }: RunOfQuestion): boolean {
  const option = question.options[verdict(question, machine, counters)];
  if (!option || question.seen) return false;
  return decidesAt(option, machine, counters) === null;
}

/** Time of the event that decides a question; the end of the run if no event does. */
export async function decidedPs(question: Question, run: RunOfQuestion): Promise<number> {
  if (question.seen) return timeOf(question.seen.time) ?? run.endPs;
  const option = question.options[verdict(question, run.machine, run.counters)];
  const holds = option && decidesAt(option, run.machine, run.counters);
  return (holds ? (await run.find(holds))?.timePs : undefined) ?? run.endPs;
}

/**
 * Latest time to which steps of a lesson have led in the run with the given settings. Links and scenes lead into the
 * initial run, and an answer into the run of its question.
 */
async function reachedPs(
  steps: readonly Step[],
  set: string | null,
  run: RunOfQuestion,
  answered: (question: Question) => boolean,
): Promise<number> {
  const times = set === null ? steps.flatMap(timesOf) : [];
  for (const { question } of steps) {
    if (!question || question.set !== set || !answered(question)) continue;
    times.push(...timesIn(question.because), await decidedPs(question, run));
  }
  return Math.max(0, ...times);
}

/**
 * Where the interval that a step asks about begins: where its text has led to, or else where its first measure begins;
 * in another run, which the text does not lead into, at the start. Null if that is not said.
 */
function startPs(step: Step, { set, measures }: Question, decided: number): number | null {
  const led = set === null ? timesOf(step) : [];
  if (led.length > 0) return Math.max(...led);
  const starts = measures
    .flatMap(({ interval }) => (interval ? [interval[0]] : []))
    .filter((start) => start < decided);
  if (starts.length > 0) return Math.min(...starts);
  return set === null ? null : 0;
}

/**
 * Whether nothing says where a duration begins that a question asks for, nor where it can be seen. The run could be
 * played nearly to its end before it is asked.
 */
export const isWithoutPlace = (step: Step, machine: CompiledMachine): boolean => {
  const { question } = step;
  if (!question || question.seen || question.set !== null) return false;
  const isDuration = question.options.some((option) => asksDuration(option, machine));
  return isDuration && startPs(step, question, Number.POSITIVE_INFINITY) === null;
};

/**
 * How far a count can be followed: half of the way to the first event that tells options apart, and no further than
 * the rate of the events tells nothing. Half of the way, because a seal just before the first of them tells that it
 * comes.
 */
async function fairPs(
  question: Question,
  [fromPs, decided]: readonly [from: number, decided: number],
  run: RunOfQuestion,
): Promise<number> {
  const excluded = Math.min(decided, await exclusionPs(question, run));
  const ofRun = fairShare(question, run) * (run.endPs - fromPs);
  return Math.floor(fromPs + Math.max(0, Math.min((excluded - fromPs) / 2, ofRun)));
}

/**
 * Latest time to which the run can be played while the question of a step is open, in picoseconds. Infinite if the
 * lesson has led beyond the decision. A duration is sealed from where the interval begins that the step asks about, and
 * what never happens from where its text has led to. A count is sealed before it tells the options apart, but not
 * before where the first step has led to: that step opens within the run.
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
  const before = await reachedPs(steps.slice(0, at), question.set, run, answered);
  const start = startPs(step, question, decided);
  // What the first events decide is known before anything can be seen; then only its quantities are hidden.
  if (decided <= Math.max(before, start ?? 0)) return Number.POSITIVE_INFINITY;
  const isDuration = question.options.some((option) => asksDuration(option, run.machine));
  if (start !== null && (isDuration || (question.set === null && asksForNothing(question, run))))
    return start;
  if (!asksCount(question, run)) return Math.max(0, decided - 1);
  const led = question.set === null ? timesOf(step) : [];
  const fair = await fairPs(question, [before, decided], run);
  return Math.min(decided - 1, Math.max(before, fair, ...led));
}

/**
 * Where the run is sealed while a step asks its question: at the moment of decision, but a count already from where the
 * step's text has led to. The first step opens within the run, often later than its text leads, and is played from
 * there.
 */
export async function sealOfStep(
  steps: readonly Step[],
  at: number,
  run: RunOfQuestion,
  answered: (question: Question) => boolean,
): Promise<number> {
  const moment = await momentOfDecision(steps, at, run, answered);
  const step = steps[at];
  const led = step?.question?.set === null ? timesOf(step) : [];
  if (at === 0 || led.length === 0 || !Number.isFinite(moment)) return moment;
  const before = await reachedPs(steps.slice(0, at), null, run, answered);
  return Math.min(moment, Math.max(before, ...led));
}

/** A time that the run can be played up to, and the later step whose question is the reason. */
interface LaterLimit {
  readonly ps: number;
  readonly step: number | null;
}

export const NO_LIMIT: LaterLimit = { ps: Number.POSITIVE_INFINITY, step: null };

/**
 * The first limit that questions of later steps set while step `shown` is visible, but not before what the lesson has
 * already shown. `later` are the indexes of those that ask about this run.
 */
export async function limitOfLater(
  steps: readonly Step[],
  shown: number,
  later: readonly number[],
  run: RunOfQuestion,
  answered: (question: Question) => boolean,
): Promise<LaterLimit> {
  let limit = NO_LIMIT;
  for (const step of later) {
    const { set = null } = steps[step]?.question ?? {};
    const seen = await reachedPs(steps.slice(0, shown + 1), set, run, answered);
    const ps = Math.max(seen, await momentOfDecision(steps, step, run, answered));
    if (ps < limit.ps && ps < run.endPs) limit = { ps, step };
  }
  return limit;
}

/** Time at which a counter has passed the upper limit of a condition; null if it never does, or has none. */
async function passesPs(
  condition: Condition,
  ledPs: number | null,
  { machine, counters, find }: RunOfQuestion,
): Promise<number | null> {
  const found = conditionAt(machine, condition);
  if (!found || condition.operator.startsWith('>')) return null;
  const limit = found.limitIn(counters);
  if (found.unit === 'ps' && ledPs !== null) return ledPs + limit;
  const isBelow = condition.operator === '<';
  const passed = await find(({ [found.place]: now = 0 }) => (isBelow ? now >= limit : now > limit));
  return passed?.timePs ?? null;
}

/**
 * Time at which the run has shown that a guess was too low, before it has shown the answer; null if it shows both at
 * once. A duration is taken from where the step's text has led to.
 */
export async function guessEndPs(
  step: Step,
  option: Option,
  run: RunOfQuestion,
): Promise<number | null> {
  if (!step.question) return null;
  const decided = await decidedPs(step.question, run);
  const ledPs = startPs(step, step.question, decided);
  const ends: number[] = [];
  for (const condition of option.when) {
    const passed = await passesPs(condition, ledPs, run);
    if (passed !== null && passed < decided) ends.push(passed);
  }
  return ends.length > 0 ? Math.min(...ends) : null;
}
