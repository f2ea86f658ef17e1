/** Entry of the worker that replays one recording, reading its file piece by piece. */
import { fetchChecks } from '../../engine/code-checks';
import type { Port } from '../../engine/worker-protocol';
import type { ByteSource } from '../../model/pools/map-trace';
import {
  passesOf,
  type Replay,
  type ReplayJob,
  replayRecording,
} from '../../model/report/recording-replay';
import { failure, problem, type Result } from '../../model/scenario/problems';

export interface ReplayRequest {
  readonly job: ReplayJob;
  readonly file: File;
}

export type ReplayAnswer = { readonly done: number } | { readonly result: Result<Replay> };

/** Workers can wait for a file; pages cannot. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const port = globalThis as unknown as Port;
/** Progress is reported after so many bytes. */
const PIECE = 1 << 20;

function sourceOf(file: File, onRead: (bytes: number) => void): ByteSource {
  const reader = new FileReaderSync();
  let piece = new Uint8Array();
  let at = 0;
  return {
    read(into) {
      if (piece.length === 0) {
        piece = new Uint8Array(reader.readAsArrayBuffer(file.slice(at, at + PIECE)));
        at += piece.length;
        onRead(piece.length);
      }
      const part = piece.subarray(0, into.length);
      into.set(part);
      piece = piece.subarray(part.length);
      return part.length;
    },
  };
}

/** Signals are large: they are handed over, not copied. Those of one code share their changes. */
function buffersOf(replay: Replay): ArrayBuffer[] {
  if (replay.kind !== 'waves') return [];
  const arrays = replay.signals.flatMap(({ times, codes }) => [times, codes]);
  return [...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer))];
}

port.onmessage = async ({ data }: MessageEvent<ReplayRequest>) => {
  const { job, file } = data;
  const all = Math.max(1, file.size * passesOf(job));
  let read = 0;
  const open = () =>
    sourceOf(file, (bytes) => {
      read += bytes;
      port.postMessage({ done: read / all } satisfies ReplayAnswer);
    });
  const answer = (result: Result<Replay>) =>
    port.postMessage({ result } satisfies ReplayAnswer, {
      transfer: result.ok ? buffersOf(result.value) : [],
    });
  try {
    answer(replayRecording(await fetchChecks(), job, open));
  } catch (error) {
    answer(failure([problem(error instanceof Error ? error.message : String(error))]));
  }
};
