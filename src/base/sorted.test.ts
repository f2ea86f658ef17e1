import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Sorted } from './sorted';

test('entries kept in buckets are found as in one list', () => {
  const change = fc.tuple(fc.boolean(), fc.integer({ min: -2000, max: 2000 }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3000, minLength: 1500 }), (changes) => {
      const sorted = new Sorted<number>();
      const reference = new Map<number, number>();
      changes.forEach(([adds, key], i) => {
        if (adds || i % 3 > 0) {
          sorted.set(key, i);
          reference.set(key, i);
        } else {
          sorted.delete(key);
          reference.delete(key);
        }
      });
      const keys = [...reference.keys()].sort((a, b) => a - b);
      for (let key = -2001; key <= 2001; key += 7) {
        expect(sorted.from(key)).toBe(reference.get(keys.find((one) => one >= key) as number));
        expect(sorted.below(key)).toBe(reference.get(keys.findLast((one) => one < key) as number));
      }
    }),
    { numRuns: 10, seed: 13 },
  );
});
