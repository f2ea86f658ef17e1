/** Packs pictures into an animated GIF that plays for ever. What a picture shares with the one before is not repeated. */
import { GIFEncoder, nearestColorIndex, quantize } from 'gifenc';

/** A picture has 256 colours at most; one of them stands for "as before". */
const COLOURS = 255;
/** If there are more, so many of the most frequent stay exact: paper must not change where a text has gone. */
const EXACT = 128;

const rgbOf = (pixel: number): number[] => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];

/** The colours of a picture, the most frequent first. */
function coloursOf(pixels: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([pixel]) => pixel);
}

/** At most `COLOURS` colours, and for each colour of the pixels the number of the one that stands for it. */
function paletteOf(pixels: Uint32Array) {
  const colours = coloursOf(pixels);
  const exact = colours.length <= COLOURS ? colours : colours.slice(0, EXACT);
  const palette = exact.map(rgbOf);
  const numbers = new Map(exact.map((pixel, number) => [pixel, number]));
  if (exact.length < colours.length) {
    const others = pixels.filter((pixel) => !numbers.has(pixel));
    palette.push(...quantize(new Uint8Array(others.buffer), COLOURS - EXACT));
    for (const pixel of colours.slice(EXACT))
      numbers.set(pixel, nearestColorIndex(palette, rgbOf(pixel)));
  }
  return { palette, numbers };
}

/** The pixels that differ from the picture before, or all of the first one. */
function changed(pixels: Uint32Array, before: Uint32Array | null): Uint32Array {
  if (!before) return pixels;
  return pixels.filter((pixel, index) => pixel !== before[index]);
}

interface Waiting {
  readonly index: Uint8Array;
  readonly palette: number[][];
  readonly transparent: boolean;
  delay: number;
}

export class Gif {
  readonly #file = GIFEncoder();
  readonly #width: number;
  readonly #height: number;
  #before: Uint32Array | null = null;
  /** The newest picture; equal ones that follow make it last longer. */
  #waiting: Waiting | null = null;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  /** Adds a picture of RGBA bytes that is seen for `delay` milliseconds. */
  add(rgba: Uint8ClampedArray, delay: number): void {
    const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.byteLength >> 2);
    const before = this.#before;
    const differing = changed(pixels, before);
    if (this.#waiting && differing.length === 0) {
      this.#waiting.delay += delay;
      return;
    }
    this.#write();
    const { palette, numbers } = paletteOf(differing);
    const same = palette.length;
    const index = new Uint8Array(pixels.length);
    pixels.forEach((pixel, at) => {
      index[at] = pixel === before?.[at] ? same : (numbers.get(pixel) ?? 0);
    });
    palette.push([0, 0, 0]);
    this.#waiting = { index, palette, transparent: before !== null, delay };
    this.#before = pixels.slice();
  }

  #write(): void {
    if (!this.#waiting) return;
    const { index, palette, transparent, delay } = this.#waiting;
    const transparentIndex = palette.length - 1;
    const options = { palette, delay, transparent, transparentIndex, dispose: 1 };
    this.#file.writeFrame(index, this.#width, this.#height, options);
    this.#waiting = null;
  }

  /** The file. */
  end(): Uint8Array<ArrayBuffer> {
    this.#write();
    this.#file.finish();
    return this.#file.bytes();
  }
}
