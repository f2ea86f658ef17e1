import { expect, test } from 'vitest';
import { hintTrials } from '../diagnosis/hint-effects';
import { setParam } from '../session/editing';
import { session } from '../session/session';
import { openScenario } from '../session/session-module';
import { COMMANDS, HINTS, hintCell, hintedPartOf, isFixed, MEMORIES } from './read-hints';

/** The part with hints of the open machine. */
function hintedPart() {
  const { machine } = session.getState();
  return machine && hintedPartOf(machine);
}

test('every hint of a local bus adapter has a cell, which is edited by its path', async () => {
  await openScenario('zx1/lines-ahead');
  const part = hintedPart();
  if (!part) throw new Error('No part has hints.');
  const cells = COMMANDS.flatMap((command) =>
    MEMORIES.flatMap((memory) => HINTS.map((hint) => hintCell(part, command, memory, hint)?.path)),
  );
  const named = part.params
    .map(({ path }) => path)
    .filter((path) => /_(consistent|streaming)_/.test(path));
  expect([...cells].sort()).toEqual([...named].sort());
  expect(setParam('lba.mrl_streaming_block', 1024, { commit: true })).toBeNull();
  const edited = hintedPart();
  expect(edited && hintCell(edited, 'mrl', 'streaming', 'block')?.param.value).toBe(1024n);
});

test.each([
  ['zx1/lines-ahead', true],
  ['zx1/pcix', false],
])('in %s Read Current of consistent memory is fixed: %s', async (id, fixed) => {
  await openScenario(id);
  const [part, { machine }] = [hintedPart(), session.getState()];
  const cell = part && hintCell(part, 'mrm', 'consistent', 'current');
  const other = part && hintCell(part, 'mrm', 'streaming', 'current');
  if (!part || !machine || !cell || !other) throw new Error('No part has hints.');
  expect(isFixed(machine, cell)).toBe(fixed);
  expect(isFixed(machine, other)).toBe(false);
  expect(hintTrials(machine, part).some(({ path }) => path === cell.path)).toBe(!fixed);
});

test('a machine without such an adapter has no hints', async () => {
  await openScenario('gt/one-word');
  expect(session.getState().machine).not.toBeNull();
  expect(hintedPart()).toBeNull();
});
