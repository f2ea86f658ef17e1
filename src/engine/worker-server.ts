/** Worker side: answers a client's requests with a Host. */
import type { Frame, SweepResult } from './api';
import { bufferOf } from './frame';
import { Host, type LoadChecks } from './host';
import { type Calls, type Port, type Reply, type Request, toFailure } from './worker-protocol';

/** Buffers that are transferred with a reply instead of being copied. */
function transfers(method: keyof Calls, value: unknown): ArrayBuffer[] {
  const buffer = method === 'frame' ? bufferOf(value as Frame) : null;
  return buffer ? [buffer] : [];
}

/** The buffer behind a run's counters, one for all parts. */
const buffersOf = (results: readonly SweepResult[]) =>
  results.flatMap(({ counters }) => (counters[0] ? [counters[0].buffer as ArrayBuffer] : []));

/** Answers requests on `port`; the first one contains the engine's code. */
export function serve(port: Port, loadChecks: LoadChecks): void {
  let host: Host;
  const reply = (message: Reply, transfer: Transferable[] = []) =>
    port.postMessage(message, { transfer });
  const answer = (id: number, method: keyof Calls | null, work: Promise<unknown>) =>
    work.then(
      (value) => reply({ kind: 'done', id, value }, method ? transfers(method, value) : []),
      (error) => reply({ kind: 'failed', id, failure: toFailure(error) }),
    );
  const call = (method: keyof Calls, args: readonly unknown[]) =>
    (host[method] as (...args: readonly unknown[]) => Promise<unknown>).apply(host, [...args]);

  port.onmessage = (event) => {
    const request = event.data as Request;
    switch (request.kind) {
      case 'code':
        host = new Host(request.code, loadChecks);
        break;
      case 'call':
        answer(request.id, request.method, call(request.method, request.args));
        break;
      case 'sweep': {
        const { id, job } = request;
        const send = (results: readonly SweepResult[]) =>
          reply({ kind: 'results', id, results }, buffersOf(results));
        answer(id, null, host.sweepInBatches(job, send));
        break;
      }
      case 'release':
        host.recycle(request.buffer);
        break;
      case 'cancel':
        host.cancel();
        break;
      case 'ping':
        reply({ kind: 'pong' });
        break;
    }
  };
}
