/** A machine in the builder can be drawn at every moment: with an unwired part, and without each wire. */
import { expect, test } from 'vitest';
import { PART_TYPES } from '../../engine/gen/layout';
import { addPart, addWire, emptyFile, fileOf, removeWire } from '../../model/builder/build-file';
import type { BuildFile } from '../../model/builder/build-types';
import { draftOf } from '../../model/builder/draft';
import { readScenario } from '../../model/scenario/scenarios';
import { layoutCompact, layoutMachine } from './layout';
import { partShapes, wireShapes } from './machine';

/** The numbers of the wide and the narrow drawing as JSON; NaN becomes null. */
function drawn(file: BuildFile): string {
  const draft = draftOf(file);
  return JSON.stringify(
    [layoutMachine(draft), layoutCompact(draft, 360)].map((layout) => [
      layout.height,
      wireShapes(layout),
      layout.parts.map((part) => [part.box, partShapes(part, false)]),
    ]),
  );
}

const isWhole = (drawing: string): boolean => !/Infinity|NaN|[[:,]null[\],}]/.test(drawing);

async function fileNamed(id: string): Promise<BuildFile> {
  const read = await readScenario(id);
  if (!read.ok) throw new Error(read.problems[0]?.message);
  return fileOf(read.value, {}, {});
}

test.each([
  ['nothing', async () => emptyFile()],
  ...['start/bus', 'hp/at-work', 'soc/gains'].map((id) => [id, () => fileNamed(id)] as const),
] as const)('%s and one more part', async (_, open) => {
  const file = await open();
  for (const type of PART_TYPES)
    expect(isWhole(drawn(addPart(file, type).file)), type.title).toBe(true);
});

test.each(['start/bus', 'hp/at-work', 'soc/gains'])('%s without one of its wires', async (id) => {
  const file = await fileNamed(id);
  for (const [end] of file.machine.wires)
    expect(isWhole(drawn(removeWire(file, end))), end).toBe(true);
});

test('cards are below their bus before a processor is wired to it', () => {
  let file = emptyFile();
  const names = ['processor', 'bridge', 'memory', 'pci', 'gt'].map((kind) => {
    const type = PART_TYPES.find(({ name }) => name === kind);
    if (!type) throw new Error(kind);
    const added = addPart(file, type);
    file = added.file;
    return added.name;
  });
  const [, bridge, , bus, card] = names;
  const wired = addWire(
    addWire(file, `${bridge}.pci`, `${bus}.slot0`),
    `${card}.pci`,
    `${bus}.slot1`,
  );
  const draft = draftOf(wired);
  const { parts } = layoutMachine(draft);
  const top = (name: string | undefined) =>
    parts.find(({ index }) => draft.parts[index]?.name === name)?.box.y ?? 0;
  expect(top(bridge)).toBeLessThan(top(bus));
  expect(top(bus)).toBeLessThan(top(card));
});
