/** What is used of gifenc, which has no types of its own. */
declare module 'gifenc' {
  interface FrameOptions {
    readonly palette: readonly (readonly number[])[];
    /** Milliseconds. */
    readonly delay: number;
    readonly transparent: boolean;
    readonly transparentIndex: number;
    /** 1: the picture stays under the next one. */
    readonly dispose: number;
  }
  interface Encoder {
    writeFrame(index: Uint8Array, width: number, height: number, options: FrameOptions): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  }
  export function GIFEncoder(): Encoder;
  export function quantize(rgba: Uint8Array, colours: number): number[][];
  export function nearestColorIndex(palette: number[][], rgb: number[]): number;
}
