import { expect, test } from 'vitest';
import { lessonMap } from '../model/lesson/prerequisites';
import { type LessonDependency, lessonLines, uncrossedLines } from './lesson-lines';

const level = new Map(lessonMap().map((one) => [one.entry.id, one.level]));
const lessons: readonly LessonDependency[] = lessonMap().map(({ entry, needs, level: own }) => ({
  id: entry.id,
  column: own,
  needs: needs.map(({ id }) => ({ id, column: level.get(id) ?? 0 })),
}));

/** Each level a column, each lesson a box. */
const boxesOf = (all: readonly LessonDependency[]) =>
  new Map(
    all.map(({ id, column }) => {
      const row = all.filter((one) => one.column === column).findIndex((one) => one.id === id);
      return [id, { x: column * 220, y: row * 60, width: 180, height: 50 }];
    }),
  );

test('a line joins each lesson to those it needs, from left to right', () => {
  const lines = lessonLines(lessons, boxesOf(lessons));
  expect(lines).toHaveLength(lessons.reduce((sum, { needs }) => sum + needs.length, 0));
  for (const { from, to, isLong } of lines) {
    const apart = (level.get(to) ?? 0) - (level.get(from) ?? 0);
    expect(apart).toBeGreaterThan(0);
    expect(isLong).toBe(apart > 1);
  }
});

test('a line from another row shows only when one of its ends is highlighted', () => {
  const there = lessons.map((one) => ({
    ...one,
    needs: one.needs.map(({ id }) => ({ id, column: null })),
  }));
  expect(lessonLines(there, boxesOf(there)).every(({ isLong }) => isLong)).toBe(true);
});

test('stacked lessons have no lines', () => {
  const stacked = new Map(
    lessons.map(({ id }, row) => [id, { x: 0, y: row * 60, width: 300, height: 50 }]),
  );
  expect(lessonLines(lessons, stacked)).toEqual([]);
});

/** Pairs of lines between neighbouring columns that cross. */
function crossings(all: readonly LessonDependency[]): number {
  const boxes = boxesOf(all);
  const short = lessonLines(all, boxes).filter(({ isLong }) => !isLong);
  const y = (id: string) => boxes.get(id)?.y ?? 0;
  const pairs = short.flatMap((a, i) => short.slice(i + 1).map((b) => [a, b] as const));
  return pairs.filter(
    ([a, b]) =>
      level.get(a.to) === level.get(b.to) && (y(a.from) - y(b.from)) * (y(a.to) - y(b.to)) < 0,
  ).length;
}

test('lessons are ordered by what they need, so that fewer lines cross', () => {
  const sorted = uncrossedLines(lessons);
  expect(new Set(sorted)).toEqual(new Set(lessons));
  expect(crossings(sorted)).toBeLessThan(crossings(lessons) / 2);
});
