import { expect, test } from 'vitest';
import { listScenarios } from '../scenario/scenarios';
import { isDone, isNext, lessonMap } from './prerequisites';
import needs from './prerequisites.json';

const ids = listScenarios().map(({ id }) => id);

test('every lesson is on the map, and its prerequisites exist', () => {
  expect(Object.keys(needs).sort()).toEqual([...ids].sort());
  for (const [id, before] of Object.entries(needs)) {
    expect(ids, id).toEqual(expect.arrayContaining(before));
    expect(new Set(before).size).toBe(before.length);
  }
});

test('there are no cycles: each lesson is after its prerequisites', () => {
  const map = lessonMap();
  const levels = new Map(map.map(({ entry, level }) => [entry.id, level]));
  for (const { entry, level, needs: before } of map)
    for (const { id } of before)
      expect(levels.get(id), `${id} before ${entry.id}`).toBeLessThan(level);
});

test('within a system each lesson is after its prerequisites, without empty columns', () => {
  const map = lessonMap();
  for (const { entry, column, needs: before } of map) {
    const own = before.filter(({ system }) => system === entry.system);
    const columns = own.map(({ id }) => map.find((one) => one.entry.id === id)?.column ?? -1);
    expect(column, entry.id).toBe(Math.max(-1, ...columns) + 1);
  }
});

test('the bus lesson comes first, and arrows are stored at both ends', () => {
  const map = lessonMap();
  expect(map.filter(({ level }) => level === 0).map(({ entry }) => entry.id)).toEqual([
    'start/bus',
  ]);
  for (const { entry, leadsTo } of map)
    for (const { id } of leadsTo)
      expect(map.find((one) => one.entry.id === id)?.needs).toContain(entry);
});

test('a lesson is available once the questions of its prerequisites are answered', () => {
  const open = (given: Parameters<typeof isNext>[1]) =>
    lessonMap()
      .filter((one) => isNext(one, given))
      .map(({ entry }) => entry.id);
  expect(open({})).toEqual(['start/bus']);
  const bus = lessonMap()[0]?.entry;
  if (!bus) throw new Error('The map is empty.');
  const answer = { option: 'so', right: true };
  const all = { [bus.id]: { first: answer, second: answer } };
  expect(isDone(bus, { [bus.id]: { first: answer } })).toBe(false);
  expect(isDone(bus, all)).toBe(true);
  expect(open(all)).toEqual(expect.arrayContaining(['start/waiting', 'gt/one-word']));
  expect(open(all)).not.toContain('start/bus');
});
