/** A worker that only computes: so much faster can anything become that is shared among workers. */

/** As many steps of a generator of 32-bit numbers (xorshift), in registers alone. */
function spin(steps: number): number {
  let x = 1;
  for (let i = 0; i < steps; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

addEventListener('message', ({ data }: MessageEvent<number>) => postMessage(spin(data)));
