import { describe, expect, test } from 'vitest';
import type { Rect } from '../base/geometry';
import { leaderLines } from './leader-lines';

const box = (x: number, y: number, width: number, height: number): Rect => ({
  x,
  y,
  width,
  height,
});

const sheet = box(0, 0, 600, 300);
/** Two rows of parts with a bus between them; the target is a cell in the upper row. */
const upper = [box(20, 20, 160, 80), box(220, 20, 160, 80), box(420, 20, 160, 80)];
const lower = [box(20, 200, 260, 80), box(320, 200, 260, 80)];
const buses = [box(20, 120, 560, 40)];
const cell = box(260, 70, 12, 12);
const words = [box(30, 210, 90, 20), box(230, 30, 60, 20)];
const around = { parts: [...upper, ...lower], buses, words, sheet };

/** Whether a piece of a line passes through the inside of a rectangle. */
function passes(line: readonly number[], { x, y, width, height }: Rect): boolean {
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = line.slice(i, i + 4);
    if (
      Math.max(x1, x2) > x &&
      Math.min(x1, x2) < x + width &&
      Math.max(y1, y2) > y &&
      Math.min(y1, y2) < y + height
    )
      return true;
  }
  return false;
}

describe('a leader line', () => {
  const from = box(60, 340, 120, 40);
  const [line = []] = leaderLines([{ from, to: cell }], around);

  test('leads from the words to the edge of what they name', () => {
    expect(line.slice(0, 2)).toEqual([120, 340]);
    const [x = 0, y = 0] = line.slice(-2);
    expect(x).toBeGreaterThanOrEqual(cell.x);
    expect(x).toBeLessThanOrEqual(cell.x + cell.width);
    expect([cell.y, cell.y + cell.height, cell.y + cell.height / 2]).toContain(y);
  });

  test('has upright and level pieces only', () => {
    for (let i = 0; i + 3 < line.length; i += 2)
      expect(line[i] === line[i + 2] || line[i + 1] === line[i + 3]).toBe(true);
  });

  test('passes between the parts, and over no word', () => {
    const others = around.parts.filter((part) => part !== upper[1]);
    expect(others.filter((part) => passes(line, part))).toEqual([]);
    expect(words.filter((word) => passes(line, word))).toEqual([]);
  });
});

test('two lines do not lie on each other', () => {
  const pairs = [
    { from: box(60, 340, 120, 40), to: cell },
    { from: box(300, 340, 120, 40), to: upper[2] as Rect },
  ];
  const [one = [], other = []] = leaderLines(pairs, around);
  for (let i = 0; i + 3 < one.length; i += 2) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = one.slice(i, i + 4);
    for (let j = 0; j + 3 < other.length; j += 2) {
      const [a1 = 0, b1 = 0, a2 = 0, b2 = 0] = other.slice(j, j + 4);
      const sameColumn = x1 === x2 && a1 === a2 && Math.abs(x1 - a1) < 2;
      const overlap =
        Math.min(Math.max(y1, y2), Math.max(b1, b2)) - Math.max(Math.min(y1, y2), Math.min(b1, b2));
      expect(sameColumn && overlap > 2).toBe(false);
    }
  }
});

test('without parts around a line goes straight up', () => {
  const none = { parts: [], buses: [], words: [], sheet };
  const [line = []] = leaderLines(
    [{ from: box(100, 340, 20, 20), to: box(100, 50, 20, 20) }],
    none,
  );
  expect(line.filter((_, i) => i % 2 === 0).every((x) => x === 110)).toBe(true);
});

test('a line does not hug the edge of a part that holds another', () => {
  const host = box(20, 20, 300, 100);
  const below = { ...host, y: 180 };
  const surroundings = { parts: [host, below, box(26, 200, 288, 60)], buses: [], words: [], sheet };
  const [line = []] = leaderLines([{ from: box(60, 340, 120, 40), to: host }], surroundings);
  const upright = line.flatMap((x, at) => (at % 2 === 0 && line[at + 2] === x ? [x] : []));
  for (const x of upright) for (const edge of [20, 320]) expect(Math.abs(x - edge)).not.toBe(1);
});
