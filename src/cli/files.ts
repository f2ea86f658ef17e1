/** Reads input files and turns system errors into messages. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { quote } from '../base/suggest';
import type { ByteSource } from '../model/pools/map-trace';
import { openRecording, UnreadableFile } from '../model/pools/recording-bytes';
import { MAX_FILE_BYTES, sizeText } from '../model/scenario/json-text';
import { Refusal } from './refusal';

/** Messages by system error code. */
const WHY: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to read it',
  ELOOP: 'its links form a loop',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  ENXIO: 'it is a socket or a device that is not there',
  EPERM: 'you have no permission to read it',
};

function systemRefusal(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !syscall) return error;
  if (code === 'ENOENT') return new Refusal(`There is no file ${quote(path)}.`);
  return new Refusal(`${path} cannot be read: ${WHY[code] ?? `the system says ${code}`}.`);
}

/** Argument that stands for standard input. */
const STANDARD_INPUT = '-';

/** Standard input is not closed. */
function close(descriptor: number): void {
  if (descriptor > 0) closeSync(descriptor);
}

/** Opens a file or a pipe; rejects folders and devices. */
function open(path: string): number {
  let descriptor = -1;
  try {
    descriptor = path === STANDARD_INPUT ? 0 : openSync(path, 'r');
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw new Refusal(`${path} is a folder, not a file.`);
    // If Node started this process, standard input is a socket.
    const piped = status.isFIFO() || (descriptor === 0 && status.isSocket());
    if (!status.isFile() && !piped)
      throw new Refusal(
        `${path === STANDARD_INPUT ? 'Standard input' : path} is a device; a file or a pipe is expected.`,
      );
    return descriptor;
  } catch (error) {
    close(descriptor);
    throw systemRefusal(path, error);
  }
}

/**
 * Reads the next available bytes of a file or pipe, as many as fit.
 * @returns their number; 0 at the end
 */
function readInto(descriptor: number, into: Uint8Array): number {
  let at = 0;
  while (at < into.length) {
    const got = readSync(descriptor, into, at, into.length - at, null);
    if (got === 0) break;
    at += got;
  }
  return at;
}

/** Number of bytes from which the type of a file is detected. */
const BEGINNING = 4096;

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Reads a text file. `mostOf` gives the size limit from the first bytes of the file. */
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
    close(descriptor);
  }
  throw new Refusal(
    `${path} is larger than ${sizeText(most)}, the most that is read of such a file.`,
  );
}

/** Waits until a non-blocking pipe has data. */
function readSome(descriptor: number, into: Uint8Array): number {
  for (;;) {
    try {
      return readSync(descriptor, into, 0, into.length, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
const PAUSE_MS = 5;

/**
 * Opens a file, a pipe or "-", which may be larger than memory and compressed with gzip. Passes its bytes in
 * chunks, and its first bytes.
 */
export async function withBytes<T>(
  path: string,
  work: (source: ByteSource, beginning: Uint8Array) => Promise<T>,
): Promise<T> {
  const descriptor = open(path);
  try {
    const read = (into: Uint8Array) => readSome(descriptor, into);
    const { source, beginning } = openRecording({ read });
    return await work(source, beginning);
  } catch (error) {
    if (error instanceof UnreadableFile) throw new Refusal(`${path} ${error.message}`);
    throw systemRefusal(path, error);
  } finally {
    close(descriptor);
  }
}
