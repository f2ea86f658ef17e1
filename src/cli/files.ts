/** Files that people name: what is read of them, and a sentence for what cannot be. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ByteSource } from '../model/pools/map-trace';
import { MAX_FILE_BYTES, sizeText } from '../model/scenario/json-text';
import { quote } from '../model/scenario/suggest';
import { Refusal } from './refusal';

/** What the system refuses, in words. */
const WHY: Readonly<Record<string, string>> = {
  EACCES: 'you may not read it',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it is not there',
  ENOTDIR: 'a part of its path is no folder',
  ENXIO: 'it is a socket or a device that is not there',
  EPERM: 'you may not read it',
};

function systemRefusal(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !syscall) return error;
  if (code === 'ENOENT') return new Refusal(`There is no file ${quote(path)}.`);
  return new Refusal(`${path} cannot be read: ${WHY[code] ?? `the system says ${code}`}.`);
}

/** Opens a file or a pipe. */
function open(path: string): number {
  let descriptor = -1;
  try {
    descriptor = openSync(path, 'r');
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw new Refusal(`${path} is a folder, not a file.`);
    if (!status.isFile() && !status.isFIFO())
      throw new Refusal(`${path} is a device; a file or a pipe is wanted.`);
    return descriptor;
  } catch (error) {
    if (descriptor >= 0) closeSync(descriptor);
    throw systemRefusal(path, error);
  }
}

/** The next bytes of a file or pipe, as many as fit and are there: none at the end. */
function readInto(descriptor: number, into: Uint8Array): number {
  let at = 0;
  while (at < into.length) {
    const got = readSync(descriptor, into, at, into.length - at, null);
    if (got === 0) break;
    at += got;
  }
  return at;
}

/** Enough of a file to tell what it holds. */
const BEGINNING = 4096;

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The text of a file that is not too large for what it is by its beginning. */
export function readFile(path: string, mostOf = (_: string) => MAX_FILE_BYTES): string {
  const descriptor = open(path);
  let most = MAX_FILE_BYTES;
  try {
    let bytes = new Uint8Array(most + 1);
    let length = readInto(descriptor, bytes);
    if (length > most) {
      most = mostOf(textOf(bytes.subarray(0, BEGINNING)));
      const first = bytes;
      bytes = new Uint8Array(most + 1);
      bytes.set(first);
      length += readInto(descriptor, bytes.subarray(length));
    }
    if (length <= most) return textOf(bytes.subarray(0, length));
  } catch (error) {
    throw systemRefusal(path, error);
  } finally {
    closeSync(descriptor);
  }
  throw new Refusal(
    `${path} is larger than ${sizeText(most)}, the most that is read of such a file.`,
  );
}

/** Opens a file or pipe, which may be larger than memory: its bytes piece by piece, and how it begins. */
export async function withBytes<T>(
  path: string,
  work: (source: ByteSource, beginning: Uint8Array) => Promise<T>,
): Promise<T> {
  const descriptor = open(path);
  try {
    const first = new Uint8Array(BEGINNING);
    let beginning = first.subarray(0, readInto(descriptor, first));
    const read = (into: Uint8Array) => {
      if (beginning.length === 0) return readSync(descriptor, into, 0, into.length, null);
      const piece = beginning.subarray(0, into.length);
      into.set(piece);
      beginning = beginning.subarray(piece.length);
      return piece.length;
    };
    return await work({ read }, beginning);
  } catch (error) {
    throw systemRefusal(path, error);
  } finally {
    closeSync(descriptor);
  }
}
