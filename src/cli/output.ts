/** Results go to stdout, messages to stderr. A closed pipe (`| head`) is not an error. */
import { once } from 'node:events';

const CHUNK = 1 << 16;

/** Control characters (C0 except tab and line feed, DEL, C1) and bidirectional formatting characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const COMMANDS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes control characters: titles, units and names are untrusted, and a terminal would execute escape sequences
 * in them. The escapes are valid in JSON and decode to the same text.
 */
const harmless = (text: string): string =>
  text.replace(COMMANDS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Messages by system error code. */
const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'the file would be too large',
  EIO: 'the device failed',
};

/** Handles write errors: a closed pipe ends the program quietly, other errors give a message and exit code 1. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    const why = WHY[error.code ?? ''] ?? `the system says ${error.code ?? error.message}`;
    warn(`The result cannot be written: ${why}.`);
    process.exit(1);
  });
  // Errors of standard error itself are ignored.
  process.stderr.on('error', () => {});
}

/** Writes chunks, with backpressure. */
export async function write(pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  let waiting = '';
  const flush = async () => {
    const text = harmless(waiting);
    waiting = '';
    if (text && !process.stdout.write(text)) await once(process.stdout, 'drain');
  };
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length >= CHUNK) await flush();
  }
  await flush();
}

export const writeJson = (value: unknown): Promise<void> =>
  write([`${JSON.stringify(value, null, 1)}\n`]);

/** Prints a message to stderr, so that it does not mix with the result. */
export const warn = (text: string): void => {
  process.stderr.write(`${harmless(text)}\n`);
};

/** "1 call", "2 calls": whole digits, which scripts can read. */
export const count = (n: number, one: string, many = `${one}s`): string =>
  `${n} ${n === 1 ? one : many}`;

/**
 * Shows a text on one terminal line, overwriting the previous one; silent without a terminal. `null` ends the line.
 */
export function counting(): (text: string | null) => void {
  if (!process.stderr.isTTY) return () => {};
  let begun = false;
  return (text) => {
    if (text === null && begun) process.stderr.write('\n');
    if (text === null) return;
    begun = true;
    process.stderr.write(`\r${harmless(text)}`);
  };
}

/** Shows progress on one terminal line; silent without a terminal. */
export function progress(label: string): (done: number, total: number) => void {
  if (!process.stderr.isTTY) return () => {};
  return (done, total) => {
    process.stderr.write(
      `\r${harmless(label)}: ${done} of ${total} runs${done === total ? '\n' : ''}`,
    );
  };
}
