/** Opens a scenario file or a session that an address names, on this site or another, once it may. */
import { startWorker } from '../../base/startWorker';
import { openText } from '../open-document';
import { withStop } from '../withStop';
import type { Fetched, FetchLimits } from './fetch-text';
import workerUrl from './fetch-worker.ts?worker&url';
import { finish, refuse } from './open';

/** As large as a session can be, and longer than a patient person waits. */
const LIMITS: FetchLimits = { bytes: 4 * 2 ** 20, seconds: 15 };

/** This computer, which browsers trust without https:. */
const HERE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The address in full, or why nothing can be fetched from it. */
export function checkLink(link: string): URL | string {
  let url: URL;
  try {
    url = new URL(link, location.href);
  } catch {
    return 'It is not an address.';
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'Files can be fetched only from https: and http: addresses.';
  if (url.username || url.password)
    return 'It contains a user name or a password, which a link should not.';
  if (location.protocol === 'https:' && url.protocol === 'http:' && !HERE.test(url.hostname))
    return 'This page was loaded over https:, so browsers do not let it fetch over http:.';
  return url;
}

const fileName = (url: URL): string => url.pathname.split('/').at(-1) || url.host;

/** `arrived` opens what has come, or asks first. */
export async function openLink(
  url: URL,
  arrived: (name: string, open: () => Promise<void>) => Promise<void> | void,
): Promise<void> {
  const name = fileName(url);
  const fetched = await fetchAside(url, name);
  if (fetched === null) return;
  if ('refused' in fetched) refuse(`${name} cannot be opened`, fetched.refused);
  else {
    const again = { run: () => void openLink(url, arrived) };
    await arrived(name, async () => finish(await openText(fetched.text, name), name, again));
  }
}

/** Fetches in a worker, with a way to stop; null if that was used. */
const fetchAside = (url: URL, name: string): Promise<Fetched | null> =>
  withStop(
    {
      id: 'fetching',
      title: `Fetching ${name}`,
      detail: `from ${url.host}, for at most ${LIMITS.seconds} seconds.`,
    },
    (signal) =>
      new Promise((resolve) => {
        const worker = startWorker(workerUrl, 'busyard fetch');
        const end = (result: Fetched | null) => {
          worker.terminate();
          resolve(result);
        };
        signal.addEventListener('abort', () => end(null));
        worker.onmessage = ({ data }: MessageEvent<Fetched>) => end(data);
        worker.onerror = () => end({ refused: 'The worker that fetches files could not start.' });
        worker.postMessage({ url: url.href, ...LIMITS });
      }),
  );
