/** Opens a scenario or session file named by an address, on this site or another, after confirmation. */
import { startWorker } from '../../base/startWorker';
import type { Fetched, FetchLimits } from './fetch-text';
import workerUrl from './fetch-worker.ts?worker&url';
import { finish, refuse } from './open';
import { openText } from './open-document';
import { withStop } from './withStop';

/** Size of the largest session, and the longest wait. */
const LIMITS: FetchLimits = { bytes: 4 * 2 ** 20, seconds: 15 };

/** Local hosts, which browsers trust without https:. */
const HERE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The full URL, or the reason why it cannot be fetched. */
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

/** `arrived` opens the file, or asks first. */
export async function openLink(
  url: URL,
  arrived: (name: string, open: () => Promise<void>) => Promise<void> | void,
): Promise<void> {
  const name = fileName(url);
  const run = () => void openLink(url, arrived);
  const fetched = await fetchAside(url, name, run);
  if (fetched === null) return;
  if ('refused' in fetched) refuse(`${name} cannot be opened`, fetched.refused);
  else {
    await arrived(name, async () => finish(await openText(fetched.text, name), name, { run }));
  }
}

/** Fetches in a worker, with a stop button; null if stopped. */
const fetchAside = (url: URL, name: string, restart: () => void): Promise<Fetched | null> =>
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
    restart,
  );
