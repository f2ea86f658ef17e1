/**
 * Entry of the worker that fetches one file from another site. The page's content security policy forbids
 * other sites; this worker has its own policy, does nothing else, and ends with its answer.
 */
import { type FetchLimits, fetchText } from './fetch-text';

type FetchRequest = FetchLimits & { readonly url: string };

addEventListener('message', async ({ data }: MessageEvent<FetchRequest>) => {
  postMessage(await fetchText(data.url, data));
});
