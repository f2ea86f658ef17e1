import { describe, expect, test } from 'vitest';
import { ENGINE_PARTS } from '../scenario/catalogue';
import { addressSpaces, editedRegion, overlapsIn, stepOf, withRegion } from './address-regions';
import { addPart, addWire, emptyFile, setPartParam } from './build-file';
import type { BuildFile } from './build-types';
import { draftOf } from './draft';

const typeOf = (name: string) => {
  const type = ENGINE_PARTS.types.get(name);
  if (!type) throw new Error(`There is no ${name}.`);
  return type;
};

const cards: BuildFile = [
  ['bridge.pci', 'pci.slot0'],
  ['pci.slot1', 'gt.pci'],
  ['pci.slot2', 'lan_card.pci'],
].reduce(
  (file, [from = '', to = '']) => addWire(file, from, to),
  ['bridge', 'pci', 'gt', 'lan_card'].reduce(
    (file, name) => addPart(file, typeOf(name)).file,
    emptyFile(),
  ),
);

function onBus(file: BuildFile) {
  const space = addressSpaces(file, draftOf(file)).find(({ id }) => id === 'bus pci');
  const region = (part: string, title: string) => {
    const found = space?.regions.find((one) => one.id.startsWith(`${part} ${title} `));
    if (!found) throw new Error(`${part} has no ${title}.`);
    return found;
  };
  return { regions: space?.regions ?? [], region };
}

describe('the map of addresses', () => {
  test('has the windows of a bus, as their parameters place them', () => {
    const { regions, region } = onBus(cards);
    expect(regions.map(({ title }) => title)).toEqual([
      'memory',
      'memory',
      'registers',
      'registers',
    ]);
    expect(region('gt', 'memory')).toMatchObject({
      from: 0x80000000n,
      end: 0x88000000n,
      fromParam: 'base',
      bytesParam: 'size',
    });
    expect(region('bridge', 'memory')).toMatchObject({ fromParam: null, bytesParam: null });
    expect(overlapsIn(addressSpaces(cards, draftOf(cards)))).toEqual([]);
  });

  test('has the single addresses that parameters give, such as an interrupt register', () => {
    const file = setPartParam(
      addPart(emptyFile(), typeOf('dma_device')).file,
      'dma_device',
      'interrupt',
      '0xfee00000',
    );
    const points = addressSpaces(file, draftOf(file)).find(({ id }) => id === 'points');
    expect(points?.regions).toEqual([
      expect.objectContaining({
        title: 'interrupt register',
        from: 0xfee00000n,
        fromParam: 'interrupt',
        isPoint: true,
      }),
    ]);
  });

  test('a window that is moved over another overlaps it, and its size stays', () => {
    const draft = draftOf(cards);
    const part = draft.parts.find(({ name }) => name === 'gt');
    const card = onBus(cards).region('gt', 'memory');
    if (!part) throw new Error('There is no card.');
    const edit = editedRegion(card, part, 'block', 0x7c000000n);
    const moved = withRegion(cards, part, card, edit);
    expect(moved.machine.parts.gt?.params).toMatchObject({ base: '0x7c000000' });
    expect(overlapsIn(addressSpaces(moved, draftOf(moved)))).toMatchObject([
      { from: 0x7c000000n, end: 0x80000000n },
    ]);
  });

  test('an edge changes the size within the limits of its parameter', () => {
    const draft = draftOf(cards);
    const part = draft.parts.find(({ name }) => name === 'gt');
    const card = onBus(cards).region('gt', 'memory');
    if (!part) throw new Error('There is no card.');
    expect(stepOf(card)).toBe(0x8000000n);
    expect(editedRegion(card, part, 'end', card.end + stepOf(card)).bytes).toBe(0x10000000n);
    const { from, bytes } = editedRegion(card, part, 'start', 0n);
    expect([from + bytes, bytes]).toEqual([card.end, 0x40000000n]);
    expect(editedRegion(card, part, 'end', 0n).bytes).toBe(4096n);
  });
});
