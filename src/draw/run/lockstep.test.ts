import { expect, test } from 'vitest';
import { lockstepModel } from './lockstep';

const lane = (part: number) => ({
  id: `${part}`,
  part,
  title: '',
  actor: 'cpu',
  spans: [],
});

const draw = (
  pairs: { a: number; b: number }[],
  divergence: { a: number; b: number } | null = null,
  shift = { a: 0, b: 0 },
) =>
  lockstepModel({
    width: 1176,
    height: 400,
    window: { from: 0, to: 1000 },
    a: [lane(0), lane(1)],
    b: [lane(0), lane(1)],
    pairs,
    divergence,
    shift,
  });

test('the two runs share one time axis, with a seam between them', () => {
  const { a, b, seam } = draw([]);
  expect(b.axis.at(500)).toBe(a.axis.at(500));
  expect(seam.from).toBeGreaterThan(a.bottom);
  expect(b.rows[0]?.y).toBeGreaterThan(seam.to);
  expect(b.bottom).toBeLessThanOrEqual(400);
});

test('ties lead from an event in one run to the same event in the other and show the delay', () => {
  const { ties, a } = draw([{ a: 100, b: 600 }]);
  expect(ties[0]?.path).toContain(`M${a.axis.at(100)}`);
  expect(ties[0]?.path).toContain(`L${a.axis.at(600)}`);
  expect(ties[0]?.label).toBe('+500\u00a0ps');
});

test('of many ties few are drawn, always including the last', () => {
  const many = Array.from({ length: 100 }, (_, i) => ({ a: i * 10, b: i * 10 }));
  const { ties, a } = draw(many);
  expect(ties.length).toBeLessThan(10);
  expect(ties.at(-1)?.path).toContain(`M${a.axis.at(990)}`);
});

test('identical parts are tinted up to the divergence', () => {
  const { same, a } = draw([], { a: 400, b: 400 });
  expect(same?.a.to).toBe(a.axis.at(400));
  expect(same?.b).toEqual(same?.a);
  expect(draw([]).same).toBeNull();
});

test('aligned runs have the same event at the same position, and show the shift of others', () => {
  const pairs = [
    { a: 100, b: 600 },
    { a: 300, b: 700 },
  ];
  const { a, b, ties, same } = draw(pairs, { a: 50, b: 50 }, { a: 500, b: 0 });
  expect(a.axis.at(100)).toBe(b.axis.at(600));
  expect(ties.map(({ label }) => label)).toEqual(['', '\u2212100\u00a0ps']);
  expect(same?.a.x).toBe(a.axis.at(0));
  expect(same?.a.to).toBe(a.axis.at(50));
  expect(same?.b.to).toBe(b.axis.at(50));
  expect(a.ticks.every(({ value }) => value >= 0)).toBe(true);
});

test('no label overlaps the mark where shifted runs diverge', () => {
  const pairs = [{ a: 100, b: 300 }];
  const parting = { a: 100, b: 300 };
  expect(draw(pairs, null, { a: 500, b: 0 }).ties[0]?.label).not.toBe('');
  expect(draw(pairs, parting, { a: 500, b: 0 }).ties[0]?.label).toBe('');
});
