/** The layout hash differs between two builds exactly if their layouts differ. */
import { expect, test } from 'vitest';
import { readAbi } from '../scripts/generate/abi.mjs';
import { layoutHash } from '../scripts/generate/layout-hash.mjs';
import { readManifests } from '../scripts/generate/manifests.mjs';
import { readProtocols } from '../scripts/generate/protocols.mjs';
import { readRegisters } from '../scripts/generate/registers.mjs';
import { LAYOUT_HASH } from '../src/engine/gen/layout';

function sources() {
  const abi = readAbi('.');
  const registers = readRegisters('.');
  const protocols = readProtocols('.');
  return { abi, registers, protocols, parts: readManifests('.', abi, registers, protocols) };
}

const original = Number.parseInt(layoutHash(sources()), 16);

/** The hash after every object of the sources has been changed. */
function hashAfter(change: (object: Record<string, unknown>) => void): number {
  const changed = sources();
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value)) change(value as Record<string, unknown>);
    Object.values(value).forEach(visit);
  };
  visit(changed);
  return Number.parseInt(layoutHash(changed), 16);
}

test("it equals the engine's hash", () => {
  expect(original).toBe(LAYOUT_HASH >>> 0);
});

test.each(['name', 'title', 'doc', 'sentence', 'unit', 'default'])(
  'another %s is the same layout',
  (key) => {
    const renamed = hashAfter((object) => {
      if (typeof object[key] === 'string') object[key] = 'changed';
    });
    expect(renamed).toBe(original);
  },
);

test.each([
  ['width of a field', 'bits', 7],
  ['largest value', 'max', '5'],
  ['smallest value', 'min', '5'],
  ['number of ports', 'count', 9],
  ['place of a field in a message', 'slot', 'z'],
])('another %s is another layout', (_, key, value) => {
  const other = hashAfter((object) => {
    if (key in object) object[key] = value;
  });
  expect(other).not.toBe(original);
});

test('an additional counter changes the layout', () => {
  const changed = sources();
  changed.parts[0].counters.push({ name: 'more' });
  expect(Number.parseInt(layoutHash(changed), 16)).not.toBe(original);
});
