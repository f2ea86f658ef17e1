import { describe, expect, test } from 'vitest';
import { compile } from '../scenario/compile';
import { readScenario } from '../scenario/scenarios';
import {
  entriesOf,
  isReserved,
  reservableIn,
  reservedIn,
  reserving,
  stretchesOf,
  stretchOf,
  withStretch,
} from './reserved-stretches';

async function allocatorOf(edits = {}) {
  const read = await readScenario('pools/one-lock-or-sixteen');
  const made = read.ok ? compile(read.value, { edits }) : read;
  if (!made.ok) throw new Error(made.problems[0]?.message);
  const allocator = reservableIn(made.value);
  if (!allocator) throw new Error('no allocator');
  return allocator;
}

describe('reserved stretches', () => {
  test('survive as settings of the machine', async () => {
    const reserved = [0, 31, 32, 63].reduce((sum, one) => withStretch(sum, one, true), 0n);
    const again = await allocatorOf(reserving(await allocatorOf(), reserved));
    expect(stretchesOf(reservedIn(again))).toEqual([0, 31, 32, 63]);
  });

  test('are none at first, and one can be freed again', async () => {
    expect(reservedIn(await allocatorOf())).toBe(0n);
    const both = withStretch(withStretch(0n, 5, true), 40, true);
    expect(stretchesOf(withStretch(both, 5, false))).toEqual([40]);
    expect([isReserved(both, 5), isReserved(both, 6)]).toEqual([true, false]);
  });

  test.each([262_144, 1000, 40])('of a table of %i entries do not overlap', (entries) => {
    for (let entry = 0; entry < entries; entry++) {
      const { from, to } = entriesOf({ entries }, stretchOf({ entries }, entry));
      expect(entry >= from && entry < to).toBe(true);
    }
  });
});

test('a machine without such an allocator has nothing to reserve', () => {
  expect(reservableIn(null)).toBeNull();
});
