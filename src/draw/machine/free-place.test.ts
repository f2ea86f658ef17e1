/** The position of a new part: free, near the part it is wired to, on the usual side. */
import { expect, test } from 'vitest';
import { PART_TYPES } from '../../engine/gen/layout';
import { freePlace } from './free-place';

type Place = readonly [x: number, y: number, width: number, height: number];

const typeOf = (name: string) => {
  const type = PART_TYPES.find((one) => one.name === name);
  if (!type) throw new Error(name);
  return type;
};

const BRIDGE: Place = [248, 120, 344, 48];
const BUS: Place = [88, 200, 680, 36];
const on = (...places: Place[]) => places.map((at) => ({ at }));

test('a device is below its bus, a processor above its bridge', () => {
  const card = freePlace(on(BRIDGE, BUS), typeOf('gt'), BUS);
  expect(card?.[1]).toBeGreaterThan(BUS[1] + BUS[3]);
  const cpu = freePlace(on(BRIDGE, BUS), typeOf('processor'), BRIDGE);
  expect((cpu?.[1] ?? 0) + (cpu?.[3] ?? 0)).toBeLessThan(BRIDGE[1]);
});

test('devices are placed beside each other, without overlap', () => {
  const places = [BRIDGE, BUS];
  for (let i = 0; i < 8; i++) {
    const place = freePlace(on(...places), typeOf('gt'), BUS);
    if (!place) throw new Error('There is always a place.');
    const [x, y, width, height] = place;
    for (const [ox, oy, ow, oh] of places)
      expect(x < ox + ow && ox < x + width && y < oy + oh && oy < y + height).toBe(false);
    places.push(place);
  }
  expect(new Set(places.slice(2, 5).map(([, y]) => y)).size).toBe(1);
});

test('without a wire it takes the first free position from the top, and none if the page places the parts', () => {
  expect(freePlace(on(BRIDGE, BUS), typeOf('memory'))).toEqual([24, 8, 184, 62]);
  expect(freePlace([{ at: null }], typeOf('memory'))).toBeNull();
});
