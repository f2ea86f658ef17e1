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

/** Replays a file in a worker; another job, or leaving, stops it. */
export function useReplay(file: File, job: ReplayJob): ReplayState {
  const [state, setState] = useState(NOTHING);
  const key = JSON.stringify(job);
  useEffect(() => {
    setState(NOTHING);
    const worker = startWorker(workerUrl, 'busyard recording');
    worker.onmessage = ({ data }: MessageEvent<ReplayAnswer>) =>
      setState(
        'result' in data ? { done: 1, result: data.result } : { done: data.done, result: null },
      );
    worker.onerror = () =>
      setState({
        done: 1,
        result: failure([problem('The worker for recordings could not start.')]),
      });
    const request: ReplayRequest = { job: JSON.parse(key), file };
    worker.postMessage(request);
    return () => worker.terminate();
  }, [file, key]);
  return state;
}
