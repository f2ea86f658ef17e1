/** Entry of the worker that packs the pictures of a film, in the order in which they come. */
import type { Port } from '../engine/worker-protocol';
import { Gif } from './gif';

/** A picture, or null for the end of the film. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
  readonly delay: number;
}

const port = globalThis as unknown as Port;
let gif: Gif | null = null;

port.onmessage = ({ data }: MessageEvent<Picture | null>) => {
  if (data) {
    gif ??= new Gif(data.width, data.height);
    gif.add(data.rgba, data.delay);
    port.postMessage(null);
    return;
  }
  const file = gif?.end() ?? new Uint8Array();
  port.postMessage(file, { transfer: [file.buffer] });
};
