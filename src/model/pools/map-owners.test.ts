import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AmbiguousPattern, EntryOwners, MAX_LIVE_MAPPINGS, type PatternStep } from './map-owners';

/** Reference implementation, page by page: each place has a stack of its mappings. */
class PageByPage {
  readonly #stacks = new Map<number, { name: number; page: number }[]>();

  take(name: number, place: number, pages: number): void {
    for (let page = 0; page < pages; page++) {
      const stack = this.#stacks.get(place + page) ?? [];
      stack.push({ name, page });
      this.#stacks.set(place + page, stack);
    }
  }

  give(place: number, pages: number): { name: number; page: number }[] {
    return Array.from({ length: pages }, (_, i) => this.#stacks.get(place + i)?.pop()).filter(
      (owner) => owner !== undefined,
    );
  }
}

const event = fc.record({
  maps: fc.boolean(),
  place: fc.integer({ min: 0, max: 24 }),
  pages: fc.integer({ min: 1, max: 12 }),
});

/** Pages released by steps, with the number of the event that allocated them. */
const pagesOf = (steps: readonly PatternStep[], names: ReadonlyMap<number, number>) =>
  steps.flatMap(({ id, from, pages }) =>
    Array.from({ length: pages }, (_, i) => ({ name: names.get(id), page: from + i })),
  );

describe('the owner of a page', () => {
  test('is the same as with a stack for each place', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const owners = new EntryOwners();
        const reference = new PageByPage();
        const names = new Map<number, number>();
        events.forEach(({ maps, place, pages }, name) => {
          if (maps) {
            reference.take(name, place, pages);
            names.set(owners.take(0, place, pages).id, name);
          } else {
            const given = pagesOf(owners.give(0, place, pages), names);
            expect(given).toEqual(reference.give(place, pages));
          }
        });
      }),
      { numRuns: 500, seed: 13 },
    );
  });

  test('a release without an allocation is counted', () => {
    const owners = new EntryOwners();
    expect(owners.give(0, 5, 1)).toEqual([]);
    expect(owners.leftOut).toBe(1);
  });
});

/** Generous on a busy machine; quadratic cost would take hours. */
const SLOW = 60_000;

describe('cost does not grow', () => {
  test('with the pages of a mapping', () => {
    const owners = new EntryOwners();
    for (let i = 0; i < 1000; i++) {
      const { id } = owners.take(0, i, 2 ** 50);
      expect(owners.give(0, i, 2 ** 50)).toEqual([
        { kind: 'give', id, cpu: 0, pages: 2 ** 50, from: 0 },
      ]);
    }
  });

  test(
    'with the mappings at one place',
    () => {
      const owners = new EntryOwners();
      const all = 200_000;
      for (let i = 0; i < all; i++) owners.take(0, 7, 3);
      let given = 0;
      for (let i = 0; i < all; i++) given += owners.give(0, 7, 3).length;
      expect(given).toBe(all);
      expect(owners.give(0, 7, 3)).toEqual([]);
    },
    SLOW,
  );
});

describe('what cannot be tracked is refused:', () => {
  test(
    'too many live mappings',
    () => {
      const owners = new EntryOwners();
      for (let i = 0; i < MAX_LIVE_MAPPINGS; i++) owners.take(0, 2 * i, 1);
      expect(() => owners.take(0, 2 * MAX_LIVE_MAPPINGS, 1)).toThrow(AmbiguousPattern);
    },
    SLOW,
  );

  test(
    'mappings that split each other into ever more pieces',
    () => {
      const owners = new EntryOwners();
      const all = 2000;
      for (let i = 0; i < all; i++) owners.take(0, 2 * i, 1);
      const tangle = () => {
        for (let i = 0; i < all; i++) {
          owners.take(0, 0, 2 * all);
          owners.give(0, 0, 2 * all);
        }
      };
      expect(tangle).toThrow(/more than 64 pieces per event/);
    },
    SLOW,
  );
});
