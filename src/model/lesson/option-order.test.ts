import { describe, expect, test } from 'vitest';
import { parseLesson, type Question } from './lesson';
import { optionOrder } from './option-order';
import { unevenPositions } from './positions';

function asked(head: string, options = ['a', 'b', 'c']): Question {
  const lines = options.map((id) => `- [${id}] Option ${id} {cpu.lap_time > 1 ns}`);
  const { steps } = parseLesson(`# T\n\n## S\n\n? ${head}\n${lines.join('\n')}\n= So.\n`);
  return steps[0]?.question as Question;
}

const orderFor = (question: Question, seed: number) =>
  optionOrder(question, 'gt/gfixit', { seed, answer: null });

describe('options', () => {
  test('stand at each position about equally often, over readers', () => {
    const question = asked('[q1] Which?');
    const first = [0, 0, 0];
    for (let seed = 0; seed < 3000; seed++) {
      const [at = 0] = orderFor(question, seed);
      first[at] = (first[at] ?? 0) + 1;
    }
    for (const count of first) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });

  test('keep their order for one reader, and differ between questions', () => {
    expect(orderFor(asked('[q1] Which?'), 7)).toEqual(orderFor(asked('[q1] Which?'), 7));
    const orders = Array.from({ length: 12 }, (_, at) => orderFor(asked(`[q${at}] Which?`), 7));
    expect(new Set(orders.map(String)).size).toBeGreaterThan(2);
  });

  test('that lie on a scale keep the order of the lesson', () => {
    const question = asked('[q1, in order] How many?');
    expect(question).toMatchObject({ id: 'q1', isOrdered: true });
    expect(question.prompt).toEqual([{ kind: 'text', text: 'How many?' }]);
    for (let seed = 0; seed < 20; seed++) expect(orderFor(question, seed)).toEqual([0, 1, 2]);
  });

  test('keep the order in which they were answered, as long as the question has them', () => {
    const answer = { option: 'b', right: true, order: ['c', 'a', 'b'] };
    const shown = (question: Question) => optionOrder(question, 'gt/gfixit', { seed: 1, answer });
    expect(shown(asked('[q1] Which?'))).toEqual([2, 0, 1]);
    expect([...shown(asked('[q1] Which?', ['a', 'b']))].sort()).toEqual([0, 1]);
  });
});

test('lessons in which the last option is mostly right are refused', () => {
  const question = asked('[q1, in order] How many?');
  const decided = (rights: readonly number[]) => rights.map((right) => ({ question, right }));
  expect(unevenPositions(decided([0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 0]))).toEqual([]);
  expect(unevenPositions(decided([2, 2, 2, 2, 2, 1, 1, 0, 0, 0]))).toEqual([
    'A last option is right in 5 of 10 questions in order (50 %, at most 45 %): turn the scale of some of them round.',
  ]);
});
