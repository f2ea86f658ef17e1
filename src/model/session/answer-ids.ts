/** Migrates answers saved by version 0.1.0, which identified questions and options by their text, to ids. */
import { fetched } from '../../base/retry-import';
import { type Answer, type Answers, answers } from './answers';

type Given = Answers[string];

/** A question's text and the texts of its options, with their ids. */
type Words = Readonly<
  Record<string, { readonly id: string; readonly options: Readonly<Record<string, string>> }>
>;

const load = () => import('./answer-words.json');

/** Ids contain no spaces, and hardly any question of that version was a single word. */
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

/** The answers to the questions of one scenario, by id. */
export async function answersById(scenario: string, given: Given): Promise<Given> {
  if (!isByWords(given)) return given;
  const { default: all } = await fetched(load);
  const words: Readonly<Record<string, Words>> = all;
  return renamed(words[scenario] ?? {}, given);
}

/** Migrates the answers saved in this browser. */
export async function renameKeptAnswers(): Promise<void> {
  for (const [scenario, given] of Object.entries(answers.getState())) {
    if (!isByWords(given)) continue;
    const byId = await answersById(scenario, given);
    answers.setState((all) => ({ ...all, [scenario]: { ...byId, ...storedById(all[scenario]) } }));
  }
}

/** Answers that are already stored by id. */
const storedById = (given: Given = {}): Given =>
  Object.fromEntries(Object.entries(given).filter(([key]) => !/\s/.test(key)));
