import { expect, test } from 'vitest';
import type { WorkerPort } from '../../engine/client';
import { failure, problem, success } from '../scenario/problems';
import type { SessionDocument } from './document';
import { serveUnpacking, unpackIn } from './unpacking';

/** A worker in this thread that uses `decode`; counts its starts and terminations. */
function local(decode: Parameters<typeof serveUnpacking>[1]) {
  const count = { started: 0, ended: 0 };
  const start = (): WorkerPort => {
    count.started++;
    const inside: Parameters<typeof serveUnpacking>[0] = {
      postMessage: (data) => port.onmessage?.({ data } as MessageEvent),
      onmessage: null,
    };
    const port: WorkerPort = {
      postMessage: (data) => inside.onmessage?.({ data } as MessageEvent),
      onmessage: null,
      onerror: null,
      terminate: () => count.ended++,
    };
    serveUnpacking(inside, decode);
    return port;
  };
  return { start, count };
}

const broken = (message: string) => (): WorkerPort => {
  const port: WorkerPort = {
    postMessage: () => port.onerror?.({ message } as ErrorEvent),
    onmessage: null,
    onerror: null,
    terminate: () => undefined,
  };
  return port;
};

const document = { busyard_session: 1 } as SessionDocument;

test('a link is decoded in a worker, which is terminated afterwards', async () => {
  const { start, count } = local(async (code) =>
    code === 'good' ? success(document) : failure([problem('The link is damaged.')]),
  );
  expect(await unpackIn(start, 'good')).toEqual(success(document));
  expect(await unpackIn(start, 'bad')).toMatchObject({
    ok: false,
    problems: [{ message: 'The link is damaged.' }],
  });
  expect(count).toEqual({ started: 2, ended: 2 });
});

test('cancelling terminates the worker and gives no result', async () => {
  const { start, count } = local(() => new Promise(() => undefined));
  const stop = new AbortController();
  const result = unpackIn(start, 'good', stop.signal);
  stop.abort();
  expect(await result).toBeNull();
  expect(await unpackIn(start, 'good', stop.signal)).toBeNull();
  expect(count).toEqual({ started: 1, ended: 1 });
});

test('a fetch error is distinguished from a worker that fails', async () => {
  await expect(unpackIn(broken(''), 'good')).rejects.toThrow('did not start');
  const { start } = local(() => Promise.reject(new Error('no network')));
  await expect(unpackIn(start, 'good')).rejects.toThrow('no network');
  expect(await unpackIn(broken('out of memory'), 'good')).toMatchObject({
    ok: false,
    problems: [{ message: 'The link could not be decoded: out of memory.' }],
  });
});
