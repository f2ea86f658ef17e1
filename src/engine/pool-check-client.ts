/** The exhaustive check of lazy flush in a separate worker, which is terminated at the end to free its memory. */
import { EngineError } from './api';
import type { WorkerPort } from './client';
import { FAULT } from './engine-errors';
import type { LoadChecks } from './host';
import { checkPools, type PoolCheckJob, type PoolCheckResult } from './pool-check';
import { type Failure, fromFailure, type Port, toFailure } from './worker-protocol';

type Answer = { readonly result: PoolCheckResult } | { readonly failure: Failure };

/** Worker side: runs the job of the first message. */
export function servePoolCheck(port: Port, loadChecks: LoadChecks): void {
  const answer = (message: Answer) => port.postMessage(message);
  port.onmessage = async ({ data }) => {
    try {
      answer({ result: checkPools(await loadChecks(), data as PoolCheckJob) });
    } catch (error) {
      answer({ failure: toFailure(error) });
    }
  };
}

/** @throws {EngineError} with a message for the user */
export function checkPoolsIn(start: () => WorkerPort, job: PoolCheckJob): Promise<PoolCheckResult> {
  return new Promise((resolve, reject) => {
    const port = start();
    const end = (act: () => void) => {
      port.onmessage = port.onerror = null;
      port.terminate();
      act();
    };
    port.onerror = ({ message }) => {
      const why = message || 'its worker did not start';
      end(() => reject(new EngineError(`The check failed: ${why}.`, FAULT.unavailable, -1)));
    };
    port.onmessage = ({ data }) => {
      const answer = data as Answer;
      end(() =>
        'failure' in answer ? reject(fromFailure(answer.failure)) : resolve(answer.result),
      );
    };
    port.postMessage(job);
  });
}
