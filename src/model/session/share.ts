/** Share links: a session document, compressed with deflate and encoded in base64url. */
import { fetched } from '../../base/retry-import';
import { failure, problem, type Result } from '../scenario/problems';
import { MAX_SESSION_BYTES, type SessionDocument } from './document';

const MAX_CODE = 500_000;

/** A byte can decompress to a thousand, so little input is written before the output is counted. */
const PACKED_STEP = 1024;
const PLAIN_STEP = 1 << 16;

/** Passes bytes through a stream, `step` at a time; fails once the output exceeds `most`. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  step: number,
  most: number,
): Promise<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> = stream.readable.getReader();
  const fed = feed(bytes, stream.writable, step);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) {
      await reader.cancel();
      throw new RangeError('too large');
    }
    chunks.push(next.value);
  }
  await fed;
  return joined(chunks, size);
}

async function feed(
  bytes: Uint8Array<ArrayBuffer>,
  writable: WritableStream<BufferSource>,
  step: number,
): Promise<void> {
  const writer = writable.getWriter();
  try {
    for (let at = 0; at < bytes.length; at += step)
      await writer.write(bytes.subarray(at, at + step));
    await writer.close();
  } catch {
    // The reader gets the same error.
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(code: string): Uint8Array<ArrayBuffer> {
  const text = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

export async function encodeDocument(document: SessionDocument): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const packer = new CompressionStream('deflate-raw');
  return toBase64Url(await through(bytes, packer, PLAIN_STEP, Number.MAX_SAFE_INTEGER));
}

export async function decodeDocument(code: string): Promise<Result<SessionDocument>> {
  const refuse = (sentence: string) => failure([problem(sentence)]);
  if (code.length > MAX_CODE) return refuse('The link is too long to be one of ours.');
  if (!/^[A-Za-z0-9_-]*$/.test(code))
    return refuse(
      'The link has characters that no share link has; it was probably cut or changed.',
    );
  let text: string;
  try {
    const unpacked = new DecompressionStream('deflate-raw');
    const bytes = await through(fromBase64Url(code), unpacked, PACKED_STEP, MAX_SESSION_BYTES);
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    return refuse(
      error instanceof RangeError
        ? 'The link decompresses to more than the maximum size of a session.'
        : 'The link is damaged: it was probably cut when it was copied.',
    );
  }
  const { readDocument } = await fetched(() => import('./document-file'));
  const document = readDocument(text, 'link');
  if (document.ok) return document;
  // Lines and columns of an encoded text are meaningless to the user.
  return failure(document.problems.map((found) => ({ ...found, line: 0, column: 0 })));
}
