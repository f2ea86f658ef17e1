/** Opens recordings: decompresses gzip, and recognizes file types that are not text. */
import { Gunzip } from 'fflate';
import type { ByteSource } from './map-trace';

/** A file that is not text. The message describes the type and what to do, and follows the file name. */
export class UnreadableFile extends Error {}

export interface Opened {
  readonly source: ByteSource;
  /** The first bytes, decompressed. */
  readonly beginning: Uint8Array;
}

/** Number of bytes from which the type of a file is detected. */
const BEGINNING = 4096;
/** Compressed bytes read at a time; gzip expands them at most 1032 times. */
const PACKED = 1 << 14;
const TRACE_CMD = 'is a binary file of trace-cmd. Run "trace-cmd report" and give what it prints.';
const PERF = 'is a binary file of perf. Run "perf script" and give what it prints.';
const UTF_16 = 'is UTF-16 text. Convert it to UTF-8, for example with "iconv -f UTF-16 -t UTF-8".';
/** First bytes of file types that are not text, as Latin-1. */
const NOT_TEXT: readonly (readonly [beginning: string, sentence: string])[] = [
  ['\x17\x08Dtracing', TRACE_CMD],
  ['tracing\x17\x08Dtracing', TRACE_CMD],
  ['PERFILE2', PERF],
  ['2ELIFREP', PERF],
  ['\xff\xfe', UTF_16],
  ['\xfe\xff', UTF_16],
  ['\x28\xb5\x2f\xfd', 'is compressed with zstd. Decompress it first, for example with "zstd -d".'],
  ['\xfd7zXZ\0', 'is compressed with xz. Decompress it first, for example with "xz -d".'],
  ['BZh', 'is compressed with bzip2. Decompress it first, for example with "bzip2 -d".'],
  ['PK\x03\x04', 'is a ZIP archive. Decompress it first.'],
  ['\x7fELF', 'is a program (ELF), not a recording.'],
];
const GZIP = '\x1f\x8b\x08';

/** The first bytes as code points. TextDecoder's Latin-1 is windows-1252, which differs from 0x80 on. */
const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, 32));

/** Whether bytes look like UTF-16 without a byte order mark: ASCII text has a zero in every other byte. */
function isWide(bytes: Uint8Array): boolean {
  const pairs = Math.min(bytes.length, 64) >> 1;
  if (pairs < 4) return false;
  const zeros = (odd: number) =>
    Array.from({ length: pairs }, (_, i) => bytes[2 * i + odd]).filter((byte) => byte === 0).length;
  return zeros(0) + zeros(1) === pairs && (zeros(0) === pairs || zeros(1) === pairs);
}

/** @throws {UnreadableFile} for bytes that are not text */
function checkText(beginning: Uint8Array): void {
  const text = latin1(beginning);
  const known = NOT_TEXT.find(([begins]) => text.startsWith(begins));
  if (known) throw new UnreadableFile(known[1]);
  if (isWide(beginning)) throw new UnreadableFile(UTF_16);
  if (beginning.includes(0))
    throw new UnreadableFile('is a binary file; the text of a recording is expected.');
}

/** Reads as many bytes as fit, also from a source that returns fewer at a time. */
function fill(source: ByteSource, into: Uint8Array): number {
  let at = 0;
  while (at < into.length) {
    const got = source.read(into.subarray(at));
    if (got === 0) break;
    at += got;
  }
  return at;
}

/** The source with its first bytes read ahead. */
function ahead(source: ByteSource): Opened {
  const first = new Uint8Array(BEGINNING);
  const beginning = first.subarray(0, fill(source, first));
  let rest = beginning;
  const read = (into: Uint8Array) => {
    if (rest.length === 0) return source.read(into);
    const piece = rest.subarray(0, into.length);
    into.set(piece);
    rest = rest.subarray(piece.length);
    return piece.length;
  };
  return { source: { read }, beginning };
}

/** Decompresses gzip, chunk by chunk. */
function unpacked(source: ByteSource): ByteSource {
  let pieces: Uint8Array[] = [];
  let ended = false;
  const gunzip = new Gunzip((piece) => pieces.push(piece));
  const more = () => {
    const packed = new Uint8Array(PACKED);
    const got = source.read(packed);
    ended = got === 0;
    try {
      gunzip.push(packed.subarray(0, got), ended);
    } catch {
      throw new UnreadableFile(
        'is compressed with gzip, and damaged or cut off. "gzip -t" gives details.',
      );
    }
  };
  const read = (into: Uint8Array): number => {
    for (;;) {
      const [piece] = pieces;
      if (!piece && ended) return 0;
      if (!piece) {
        more();
        pieces = pieces.filter(({ length }) => length > 0);
        continue;
      }
      const part = piece.subarray(0, into.length);
      into.set(part);
      if (part.length < piece.length) pieces[0] = piece.subarray(part.length);
      else pieces.shift();
      return part.length;
    }
  };
  return { read };
}

/**
 * Opens text that may be compressed with gzip.
 * @throws {UnreadableFile}
 */
export function openRecording(source: ByteSource): Opened {
  const raw = ahead(source);
  const opened = latin1(raw.beginning).startsWith(GZIP) ? ahead(unpacked(raw.source)) : raw;
  checkText(opened.beginning);
  return opened;
}
