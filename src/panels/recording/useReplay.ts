import { useEffect, useState } from 'react';
import { startWorker } from '../../base/startWorker';
import type { Replay, ReplayJob } from '../../model/report/recording-replay';
import { failure, problem, type Result } from '../../model/scenario/problems';
import type { ReplayAnswer, ReplayRequest } from './replayer';
import workerUrl from './replayer.ts?worker&url';

export interface ReplayState {
  /** The part of the work that is done, from 0 to 1. */
  readonly done: number;
  readonly result: Result<Replay> | null;
}

const NOTHING: ReplayState = { done: 0, result: null };

/**
 * Replays a file in a worker.
 * @returns stops it
 */
function startReplay(file: File, job: ReplayJob, report: (state: ReplayState) => void): () => void {
  const worker = startWorker(workerUrl, 'busyard recording');
  const end = (result: Result<Replay>) => {
    worker.terminate();
    report({ done: 1, result });
  };
  worker.onmessage = ({ data }: MessageEvent<ReplayAnswer>) =>
    'result' in data ? end(data.result) : report({ done: data.done, result: null });
  worker.onerror = () => end(failure([problem('The worker for recordings could not start.')]));
  const request: ReplayRequest = { job, file };
  worker.postMessage(request);
  return () => worker.terminate();
}

/** The replay of a file; another job, or leaving, stops it. */
export function useReplay(file: File, job: ReplayJob): ReplayState {
  const [state, setState] = useState(NOTHING);
  const key = JSON.stringify(job);
  useEffect(() => {
    setState(NOTHING);
    return startReplay(file, JSON.parse(key), setState);
  }, [file, key]);
  return state;
}

export const replayed = (file: File, job: ReplayJob): Promise<Result<Replay>> =>
  new Promise((resolve) => {
    startReplay(file, job, ({ result }) => {
      if (result) resolve(result);
    });
  });
