/**
 * What was answered to the questions of the lessons: by scenario, by the words of the question. An answer
 * is kept by its words too, so that it is still the same one when a lesson gets another order.
 */
import { createStore } from '../../base/store';
import { plainText, type Question } from './lesson';

export interface Answer {
  /** The words of the option chosen; null: the reader asked to be shown. */
  readonly option: string | null;
  /** Whether the run bore it out; null while it has not ended. */
  readonly right: boolean | null;
  /** The words of the option that the run bore out. */
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

export const answerTo = (scenario: string, question: Question): Answer | null =>
  answers.getState()[scenario]?.[plainText(question.prompt)] ?? null;

/** Keeps an answer; null forgets it, and the question is open again. */
export function keepAnswer(scenario: string, question: Question, answer: Answer | null): void {
  const prompt = plainText(question.prompt);
  answers.setState((all) => {
    const { [prompt]: _, ...others } = all[scenario] ?? {};
    return { ...all, [scenario]: answer ? { ...others, [prompt]: answer } : others };
  }, true);
}

/** What was answered to the questions of one scenario; undefined for nothing. */
export const answersOf = (scenario: string): Answers[string] | undefined => {
  const given = answers.getState()[scenario];
  return given && Object.keys(given).length > 0 ? given : undefined;
};

/** Takes over answers that came with a session; what the reader has answered stays. */
export function bringAnswers(scenario: string, brought: Answers[string]): void {
  answers.setState((all) => ({ ...all, [scenario]: { ...brought, ...all[scenario] } }), true);
}

export const forgetAnswers = (): void => answers.setState({}, true);

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
