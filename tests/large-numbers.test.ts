/**
 * Whole numbers above 2^53, which JavaScript's numbers round: exact as a string, refused as a number with their
 * place.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseQuantity } from '../src/base/quantity.mjs';
import { loadScenario } from '../src/model/scenario/load';
import { machineWith, settingOf } from '../src/model/scenario/settings';
import { compiled, MACHINES, SCENARIOS, scenarioAt, scenarioFrom } from './support/scenarios';

const LARGE = '9007199254740993'; // 2^53 + 1
/** 2^55 + 4: a multiple of a word. */
const LARGE_WORD = '36028797018963972';
const QUANTITIES = ['count', 'address', 'bytes'];

/** One parameter for each part type and name whose range is this large. */
const places = new Map(
  SCENARIOS.flatMap((path) =>
    compiled(scenarioAt(path)).parts.flatMap(({ name, type, params }) =>
      params
        .filter(({ spec }) => QUANTITIES.includes(spec.type) && BigInt(spec.max) > BigInt(LARGE))
        .map(({ spec }) => [`${type.name}.${spec.name}`, { path, param: `${name}.${spec.name}` }]),
    ),
  ),
);

test.each([...places])('keeps all digits in a setting of %s', (_, { path, param }) => {
  const setting = settingOf(`${param}=${LARGE}`);
  const made = machineWith(scenarioAt(path), setting ? [setting] : []);
  // A rule between parameters may refuse it, but not as another number.
  if (!made.ok) return expect(JSON.stringify(made.problems)).not.toContain('9007199254740992');
  const values = made.value.parts.flatMap(({ name, params }) =>
    params.filter(({ spec }) => `${name}.${spec.name}` === param).map(({ value }) => value),
  );
  expect(values).toEqual([BigInt(LARGE)]);
});

test('are rejected in a file with their place and useful advice', () => {
  const file = 'scenarios/one/late-card.json';
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const line = '"from": "0x80000000", "to": "0x100000"';
  const withFrom = (from: string) => text.replace(line, line.replace('"0x80000000"', from));
  const refused = loadScenario(withFrom(LARGE_WORD), { file, machines: MACHINES });
  expect(refused).toMatchObject({
    ok: false,
    problems: [
      {
        pointer: '/programs/nothing/0/from',
        line: 15,
        message: 'This number is too large to be held exactly; write it as a string.',
      },
    ],
  });
  const exact = `0x${BigInt(LARGE_WORD).toString(16).toUpperCase()}`;
  expect(() => scenarioFrom(withFrom(`"${LARGE_WORD}"`), file)).toThrow(`at ${exact} do not lie`);
});

test('are rejected as numbers wherever a quantity is read', () => {
  expect(() => parseQuantity(2 ** 53, 'count')).toThrow('write it as a string');
  expect(parseQuantity(LARGE, 'count')).toBe(BigInt(LARGE));
});
