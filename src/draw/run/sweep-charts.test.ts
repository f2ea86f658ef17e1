import { expect, test } from 'vitest';
import type { Measure } from '../../model/scenario/measure';
import type { PointResult } from '../../model/sweep/run-points';
import { facetsOf, hasLooks, sweepSentence, sweepShapes } from './sweep-charts';

const look = 'map' as const;
const measure = { name: 'stale', title: 'old halves', unit: 'half lines' } as Measure;
const axis = (name: string, ...values: (string | number)[]) => ({ name, title: name, values });

/** Results of the points in their order. */
const resultsOf = (...values: (number | null)[]) =>
  values.map((value, index) => ({
    point: { index, at: { x: index } },
    values: [value],
  })) as unknown as readonly PointResult[];

const wordsIn = (chart: Parameters<typeof sweepShapes>[0]) =>
  sweepShapes(chart, 480, 240).flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));

test('two parameters make a heat map whose cells have their numbers, and say what is missing', () => {
  const axes = [axis('size', '1 KiB', '2 KiB'), axis('posts', 1, 2)];
  const chart = { axes, measure, look, index: 0, results: resultsOf(10, 20, null, 40) };
  const words = wordsIn(chart);
  expect(words[0]).toBe('old halves, half lines over size (down) and posts (across)');
  expect(words).toEqual(expect.arrayContaining(['10', '20', 'none', '40', '1 KiB', '2 KiB']));
  expect(sweepSentence(chart)).toBe(
    'old halves: least 10 half lines at 0, most 40 half lines at 3.',
  );
});

test('one parameter of numbers makes a curve, also where all values are 0', () => {
  const axes = [axis('size', 256, 512, 1024)];
  const words = wordsIn({ axes, measure, look, index: 0, results: resultsOf(0, 0, 0) });
  expect(words).toEqual(expect.arrayContaining(['256', '512', '0', '1']));
  expect(words.join()).not.toContain('0.0000');
});

test('without any value the sentence says so', () => {
  const axes = [axis('way', 'pio', 'dma')];
  const sentence = sweepSentence({ axes, measure, look, index: 0, results: resultsOf(null, null) });
  expect(sentence).toBe('old halves: no run has a value.');
});

test('two parameters are also lines, one for each value of the one with few values', () => {
  const axes = [axis('size', 256, 512), axis('flush', 'off', 'on')];
  expect(hasLooks(axes)).toBe(true);
  expect(hasLooks([axis('way', 'pio', 'dma'), axis('flush', 'off', 'on')])).toBe(false);
  const results = resultsOf(10, 0, 20, 5);
  const sentence = sweepSentence({ axes, measure, look: 'lines', index: 0, results });
  expect(sentence).toContain('flush: off, old halves over size: from 10 half lines at 256 to 20');
  expect(sentence).toContain('flush: on, old halves over size: from 0 half lines at 256 to 5');
});

test('a third parameter makes a chart for each of its values, all on one scale', () => {
  const axes = [axis('size', 256, 512), axis('flush', 'off', 'on'), axis('posts', 1, 2)];
  const results = resultsOf(1, 2, 3, 4, 5, 6, 7, 800);
  const facets = facetsOf({ axes, measure, look, index: 0, results });
  expect(facets.map(({ title }) => title)).toEqual(['posts: 1', 'posts: 2']);
  expect(facets.map(({ chart }) => chart.range)).toEqual(
    Array.from({ length: 2 }, () => ({ least: 1, most: 800 })),
  );
  const [one, two] = facets.map(({ chart }) => wordsIn({ ...chart, look: 'map' }));
  expect(one).toEqual(expect.arrayContaining(['1', '3', '5', '7']));
  expect(two).toEqual(expect.arrayContaining(['2', '4', '6', '800']));
  // The lines of the first chart leave room for the values of the second.
  expect(wordsIn({ ...(facets[0]?.chart as never as object), look: 'lines' } as never)).toContain(
    '800',
  );
});
