/** Buffers and messages in every order of steps: the protocol holds, and each defect leads to a broken rule. */
import { expect, test } from 'vitest';
import { exploreHandOver, HAND_OVERS, USUAL_HAND_OVER } from '../src/model/real-time/hand-over';
import { busyard } from './support/command-line';

test.each([1, 2, 3])(
  'two processors hand over three messages in order, with %d of a ring',
  (buffers) => {
    for (const messages of [1, 3, 4]) {
      const report = exploreHandOver('whole', { messages, buffers });
      expect(report.broken).toBeNull();
      expect(report.states).toBeGreaterThan(10 * messages);
    }
  },
);

/** Which rule each defect breaks first, and in how many steps. */
const BROKEN: Readonly<Record<string, readonly [RegExp, number]>> = {
  'early-owner': [/what is read is what was sent/, 7],
  'early-message': [/packet 1 comes next/, 7],
  'early-release': [/still to be read is not the adapter/, 8],
  'given-twice': [/still to be read is not the adapter/, 26],
  'lost-wake': [/all 3\spackets are read/, 16],
};

test.each(HAND_OVERS.filter(({ holds }) => !holds))('$name is noticed', ({ name }) => {
  const { broken } = exploreHandOver(name, USUAL_HAND_OVER);
  const [rule, length] = BROKEN[name] ?? [];
  expect(broken?.rule).toMatch(rule ?? /^$/);
  expect(broken?.steps).toHaveLength(length ?? 0);
});

test('tells what it has found, and refuses what it does not know', async () => {
  const all = await busyard('explore-buffers');
  expect(all.code).toBe(0);
  expect(all.out).toMatch(/^whole \(.*\): holds in every order; \d+ states/);
  const way = await busyard('explore-buffers', 'lost-wake', '--way');
  expect(way.out).toMatch(/The application falls asleep\.\n$/);
  const refused = await busyard('explore-buffers', 'early-ower');
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(/did you mean/);
  expect((await busyard('explore-buffers', '--buffers', '9')).code).toBe(2);
});
