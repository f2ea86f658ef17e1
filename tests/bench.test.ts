/**
 * How `npm run bench -- --against` compares: alternating pairs, summarized by median and quartiles; and the arguments
 * it refuses.
 */
import { expect, test } from 'vitest';
import { paired, spread } from '../bench/paired.mjs';
import { commitOf } from '../bench/revision.mjs';

test('two builds alternate in both orders, and the first round is not counted', async () => {
  const ran: string[] = [];
  const costs = { old: [100, 10, 12, 30], new: [1, 5, 4, 15] };
  const way = (name: 'old' | 'new') => () => {
    ran.push(name);
    return Promise.resolve(costs[name].shift() ?? Number.NaN);
  };
  expect(await paired(3, way('old'), way('new'))).toEqual([2, 3, 2]);
  expect(ran.join(' ')).toBe('old new new old old new new old');
});

test('the spread of ratios is their median and quartiles', () => {
  expect(spread([5, 1, 3, 2, 4])).toEqual({ low: 2, median: 3, high: 4 });
  expect(spread([1, 2, 3, 4])).toEqual({ low: 1.75, median: 2.5, high: 3.25 });
});

test('a nonexistent revision is rejected with a clear error', async () => {
  await expect(commitOf('no-such-revision')).rejects.toThrow(
    '"no-such-revision" is no revision of this repository.',
  );
});
