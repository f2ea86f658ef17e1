/**
 * What was answered to the questions of the lessons: by scenario, by the id of the question. The option is kept by
 * its id, so an answer outlives another order and other words of the lesson.
 */
import { createStore } from '../../base/store';

export interface Answer {
  /** The id of the option chosen; null: the reader asked to be shown. */
  readonly option: string | null;
  /** Whether the run bore it out; null while it has not ended. */
  readonly right: boolean | null;
  /** The id of the option that the run bore out. */
  readonly happened?: string | undefined;
}

/** By scenario, then by question. */
export type Answers = Readonly<Record<string, Readonly<Record<string, Answer>>>>;

export const answers = createStore<Answers>({});

/** A scenario of the gallery by its id, one from a file by its title. */
export const scenarioKey = ({
  scenario,
  title,
}: {
  readonly scenario?: string | undefined;
  readonly title: string;
}): string => scenario ?? `file: ${title}`;

export const answerTo = (scenario: string, question: { readonly id: string }): Answer | null =>
  answers.getState()[scenario]?.[question.id] ?? null;

/** Keeps an answer; null forgets it, and the question is open again. */
export function saveAnswer(
  scenario: string,
  question: { readonly id: string },
  answer: Answer | null,
): void {
  answers.setState((all) => {
    const { [question.id]: _, ...others } = all[scenario] ?? {};
    return { ...all, [scenario]: answer ? { ...others, [question.id]: answer } : others };
  }, true);
}

/** What was answered to the questions of one scenario; undefined for nothing. */
export const answersOf = (scenario: string): Answers[string] | undefined => {
  const given = answers.getState()[scenario];
  return given && Object.keys(given).length > 0 ? given : undefined;
};

/** Takes over answers that came with a session; what the reader has answered stays. */
export function mergeAnswers(scenario: string, brought: Answers[string]): void {
  answers.setState((all) => ({ ...all, [scenario]: { ...brought, ...all[scenario] } }), true);
}

export const clearAnswers = (): void => answers.setState({}, true);

export interface Tally {
  /** Predictions that a run has decided. */
  readonly answered: number;
  readonly right: number;
  /** Questions whose answer was only looked at. */
  readonly shown: number;
}

const NONE: Tally = { answered: 0, right: 0, shown: 0 };

export const tallyOf = (some: Answers): Tally =>
  Object.values(some)
    .flatMap((one) => Object.values(one))
    .reduce(add, NONE);

function add(sum: Tally, { option, right }: Answer): Tally {
  if (option === null) return { ...sum, shown: sum.shown + 1 };
  if (right === null) return sum;
  return { ...sum, answered: sum.answered + 1, right: sum.right + (right ? 1 : 0) };
}
