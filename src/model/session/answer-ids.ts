/** Answers kept by version 0.1.0, which named questions and options by their words, get the ids of today. */
import { fetched } from '../../base/retry-import';
import { type Answer, type Answers, answers } from './answers';

type Given = Answers[string];

/** What a question was called, and each of its options. */
type Words = Readonly<
  Record<string, { readonly id: string; readonly options: Readonly<Record<string, string>> }>
>;

const load = () => import('./answer-words.json');

/** Ids hold no space, and hardly any question of that version was a single word. */
const isByWords = (given: Given): boolean => Object.keys(given).some((key) => /\s/.test(key));

function renamed(words: Words, given: Given): Given {
  const entries = Object.entries(given).map(([key, answer]): [string, Answer] => {
    const question = Object.hasOwn(words, key) ? words[key] : undefined;
    if (!question) return [key, answer];
    const { option, right, happened } = answer;
    const idOf = (text: string) => question.options[text] ?? text;
    return [
      question.id,
      {
        option: option === null ? null : idOf(option),
        right,
        ...(happened === undefined ? {} : { happened: idOf(happened) }),
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** The answers to the questions of one scenario, each by its id. */
export async function answersById(scenario: string, given: Given): Promise<Given> {
  if (!isByWords(given)) return given;
  const { default: all } = await fetched(load);
  const words: Readonly<Record<string, Words>> = all;
  return renamed(words[scenario] ?? {}, given);
}

/** Puts the ids into the answers that this browser keeps. */
export async function renameKeptAnswers(): Promise<void> {
  for (const [scenario, given] of Object.entries(answers.getState())) {
    if (!isByWords(given)) continue;
    const byId = await answersById(scenario, given);
    answers.setState((all) => ({ ...all, [scenario]: { ...byId, ...withoutOld(all[scenario]) } }));
  }
}

/** What was answered by id since. */
const withoutOld = (given: Given = {}): Given =>
  Object.fromEntries(Object.entries(given).filter(([key]) => !/\s/.test(key)));
