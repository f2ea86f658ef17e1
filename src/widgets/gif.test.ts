/** A film as an animated GIF: each picture as it was, for as long as it was seen. */
import { expect, test } from 'vitest';
import { Gif } from './gif';
import { picturesIn } from './gif.fixture';

const SIDE = 32;
const [SHEET, PAPER, INK, RED] = [0xfcfdfbff, 0xfbfcf9ff, 0x101820ff, 0xd02020ff];

/** A picture on paper with some pixels in other colours, as RGBA bytes. */
function picture(dots: Readonly<Record<number, number>>): Uint8ClampedArray {
  const view = new DataView(new ArrayBuffer(SIDE * SIDE * 4));
  for (let at = 0; at < SIDE * SIDE; at++) view.setUint32(at * 4, dots[at] ?? PAPER);
  return new Uint8ClampedArray(view.buffer);
}

function film(...pictures: readonly Uint8ClampedArray[]) {
  const gif = new Gif(SIDE, SIDE);
  for (const one of pictures) gif.add(one, 80);
  return picturesIn(gif.end());
}

test('each picture is shown as it was; equal ones are one that lasts longer', () => {
  const [first, second, third] = [picture({ 3: INK }), picture({ 4: INK, 9: RED }), picture({})];
  const shown = film(first, first, second, third);
  expect(shown.map(({ delay }) => delay)).toEqual([160, 80, 80]);
  expect(shown.map(({ rgba }) => [...rgba])).toEqual([[...first], [...second], [...third]]);
});

test('of more colours than a picture can have, the frequent ones stay and the others are near', () => {
  const rare = Array.from({ length: 300 }, (_, at) => [at, ((at << 24) | (at << 13) | 0xff) >>> 0]);
  const sheet = Array.from({ length: 300 }, (_, at) => [400 + at, SHEET]);
  const full = picture(Object.fromEntries([...rare, ...sheet]));
  const empty = picture({});
  const shown = film(full, empty, full);
  // Paper and sheet differ by two steps at most: neither leaves a shade of what was there.
  for (const at of [0, 2])
    expect([...(shown[at]?.rgba ?? [])].slice(300 * 4)).toEqual([...full].slice(300 * 4));
  expect([...(shown[1]?.rgba ?? [])]).toEqual([...empty]);
  const furthest = Math.max(...full.map((byte, at) => Math.abs(byte - (shown[0]?.rgba[at] ?? 0))));
  expect(furthest).toBeLessThanOrEqual(8);
});
