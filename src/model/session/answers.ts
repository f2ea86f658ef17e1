/**
 * Answers to lesson questions, by scenario and question id. The chosen option is stored by id, so an answer
 * survives when the lesson is reordered or reworded.
 */
import { createStore } from '../../base/store';

export interface Answer {
  /** Id of the option chosen first; null if the reader revealed the answer. */
  readonly option: string | null;
  /** Whether the run confirmed it; null until the run has ended. */
  readonly right: boolean | null;
  /** Id of the option chosen second, when the first was not right. */
  readonly second?: string | undefined;
  /** Id of the correct option. */
  readonly happened?: string | undefined;
  /** Ids of the options in the order in which the reader saw them; answers of version 0.1.0 have none. */
  readonly order?: readonly string[] | undefined;
}

/** By scenario, then by question. */
export type Answers = Readonly<Record<string, Readonly<Record<string, Answer>>>>;

export const answers = createStore<Answers>({});

/** Key of a scenario: the id of an included one, the title of one from a file. */
export const scenarioKey = ({
  scenario,
  title,
}: {
  readonly scenario?: string | undefined;
  readonly title: string;
}): string => scenario ?? `file: ${title}`;

export const answerTo = (scenario: string, question: { readonly id: string }): Answer | null =>
  answers.getState()[scenario]?.[question.id] ?? null;

/** Saves an answer; null deletes it and reopens the question. */
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

/** Answers to the questions of one scenario; undefined if there are none. */
export const answersOf = (scenario: string): Answers[string] | undefined => {
  const given = answers.getState()[scenario];
  return given && Object.keys(given).length > 0 ? given : undefined;
};

/** Merges answers that came with a session; the reader's own answers take precedence. */
export function mergeAnswers(scenario: string, brought: Answers[string]): void {
  answers.setState((all) => ({ ...all, [scenario]: { ...brought, ...all[scenario] } }), true);
}

export const clearAnswers = (): void => answers.setState({}, true);

export interface Tally {
  /** Predictions decided by a run. */
  readonly answered: number;
  readonly right: number;
  /** Questions whose answer was revealed. */
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
