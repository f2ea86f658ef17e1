/** Results to stdout, remarks to stderr. A reader that stops reading (`| head`) is no error. */
import { once } from 'node:events';

const CHUNK = 1 << 16;

export function tolerateClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
}

/** Writes pieces as fast as they are taken. */
export async function write(pieces: Iterable<string>): Promise<void> {
  let waiting = '';
  const flush = async () => {
    const text = waiting;
    waiting = '';
    if (text && !process.stdout.write(text)) await once(process.stdout, 'drain');
  };
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length >= CHUNK) await flush();
  }
  await flush();
}

export const writeJson = (value: unknown): Promise<void> =>
  write([`${JSON.stringify(value, null, 1)}\n`]);

/** A remark that must not mix with the result. */
export const remark = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** Progress on one line of a terminal; silent where nobody watches. */
export function progress(label: string): (done: number, total: number) => void {
  if (!process.stderr.isTTY) return () => {};
  return (done, total) => {
    process.stderr.write(`\r${label}: ${done} of ${total} runs${done === total ? '\n' : ''}`);
  };
}
