/** Answering a question: commits to an option or reveals the answer, and plays the run to the evidence. */
import { showToast } from '../../base/notices';
import { shell } from '../../base/shell-state';
import { partNamed } from '../scenario/compiled';
import { answerTo, saveAnswer, scenarioKey } from '../session/answers';
import { player } from '../session/open-run';
import { recordedToEnd } from '../session/run-before';
import { select } from '../session/selection';
import { session } from '../session/session';
import { evidenceTarget, justShows, roomQuestion, stepShown } from './answer-mask';
import { decidesAt, isConfirmed, partOfQuestion, recordAt, verdict } from './evidence';
import { firstGuess, guessKey, keepFirstGuess, openedSeal } from './first-guess';
import { plainText, type Question, type Task } from './lesson';
import { guessEndPs } from './moment';
import { openLesson } from './open-lesson';
import { orderedIds } from './option-order';
import { isQuestionRun, openQuestionRun } from './question-run';
import { recordedRun } from './recorded-run';
import type { RunOfQuestion } from './run-of-question';
import { timeOf } from './time-of';

/** Duration of playing to the evidence, in milliseconds. */
const WAY_MS = 2400;

interface Evidence {
  readonly timePs: number;
  /** Newest record at that time. */
  readonly seq: number | null;
  readonly part: number | null;
}

/** The time at which the run shows the answer; the end of the run if no event does. */
async function evidenceOf(
  { seen, options }: Question,
  right: number,
  { machine, counters, endPs }: RunOfQuestion,
): Promise<Evidence> {
  const option = options[right];
  if (seen) {
    const part = partNamed(machine, seen.part)?.index ?? null;
    return { timePs: timeOf(seen.time) ?? endPs, seq: null, part };
  }
  const part = option ? partOfQuestion(option, machine) : null;
  const holds = option && decidesAt(option, machine, counters);
  const found = holds ? await player.firstWhere(holds) : null;
  return found ? { ...found, part } : { timePs: endPs, seq: null, part };
}

async function goTo({ timePs, seq, part }: Evidence): Promise<void> {
  await player.playTo(timePs, shell.getState().reducedMotion ? 0 : WAY_MS);
  const now = player.now();
  if (now.timePs !== timePs) return;
  const trace = player.trace();
  select({ part, event: trace ? recordAt(trace, seq ?? now.seq, part) : null });
}

/** The option that the question's run confirms; null until that run is open and completely recorded. */
function verdictNow(question: Question): number | null {
  const run = recordedRun();
  return run && isQuestionRun(question) ? verdict(question, run.machine, run.counters) : null;
}

const optionId = ({ options }: Question, at: number): string | null => options[at]?.id ?? null;

/** The same; while another run is open, from a stored answer. */
export function hasVerdict(question: Question): number | null {
  const now = verdictNow(question);
  if (now !== null) return now;
  const kept = answerTo(scenarioKey(session.getState()), question);
  const rightId = kept?.right ? kept.option : kept?.happened;
  const option = question.options.findIndex(({ id }) => id === rightId);
  return option < 0 ? null : option;
}

/** Whether the recorded run fulfils a task; null until it is completely recorded. */
export function answerShown(task: Task): boolean | null {
  const run = recordedRun();
  return run && isConfirmed(task, run.machine, run.counters);
}

/** Opens the seal as far as a first guess, and plays there. */
async function openSealTo(question: Question, option: number): Promise<void> {
  const step = openLesson.getState()?.steps[stepShown.getState()];
  const run = recordedRun();
  const choice = question.options[option];
  if (step?.question !== question || !choice || !run) return;
  const ps = await guessEndPs(step, choice, run);
  if (ps === null || firstGuess(question) !== choice.id) return;
  openedSeal.setState({ key: guessKey(question), ps });
  await player.playTo(ps, shell.getState().reducedMotion ? 0 : WAY_MS);
}

/** Whether the question stays open for a second guess, because its run does not confirm the first. */
async function leavesOpen(question: Question, option: number): Promise<boolean> {
  const choice = question.options[option];
  const isPosed = roomQuestion.getState().question === plainText(question.prompt);
  if (!choice || choice.hint.length === 0 || isPosed || firstGuess(question) !== null) return false;
  if (!(await recordedToEnd())) return true;
  const right = verdictNow(question);
  if (right === null || right === option) return false;
  keepFirstGuess(question, choice.id);
  await openSealTo(question, option);
  return true;
}

/**
 * Commits to an option, or reveals the answer (an earlier answer is then kept). Opens the question's run and plays
 * it to the evidence. A first guess that is not right leaves the question open, if the lesson has a hint for it.
 */
export async function answer(question: Question, option: number | null): Promise<void> {
  const refused = openQuestionRun(question);
  if (refused) return showToast(refused.message);
  if (option !== null && (await leavesOpen(question, option))) return;
  const key = scenarioKey(session.getState());
  const order = question.isOrdered ? {} : { order: orderedIds(question) };
  const first = firstGuess(question);
  const chosen = option === null ? null : optionId(question, option);
  const shown = answerTo(key, question) ?? { option: first, right: null };
  const second = first !== null && chosen !== null ? { second: chosen } : {};
  const given =
    chosen === null ? shown : { option: first ?? chosen, right: null, ...second, ...order };
  keepFirstGuess(question, null);
  roomQuestion.setState({ question: null });
  evidenceTarget.setState({ question: plainText(question.prompt) });
  saveAnswer(key, question, given);
  try {
    if (!(await recordedToEnd())) return;
    const [run, right] = [recordedRun(), verdictNow(question)];
    if (!run || right === null) return;
    const happened = optionId(question, right);
    saveAnswer(key, question, {
      ...given,
      right: given.option === null ? null : given.option === happened,
      ...(happened === null ? {} : { happened }),
      ...order,
    });
    await goTo(await evidenceOf(question, right, run));
  } finally {
    evidenceTarget.setState({ question: null });
  }
}

/** Reveals the answer, and those of all later questions until the page is loaded anew. */
export async function justShow(question: Question): Promise<void> {
  justShows.setState({ on: true });
  await answer(question, null);
}
