/**
 * Entry of the worker that fetches one file from another site. The page's own policy lets it reach no
 * other site; this worker has a policy of its own, does nothing else, and ends with its answer.
 */
import { type FetchLimits, fetchText } from './fetch-text';

type Wanted = FetchLimits & { readonly url: string };

addEventListener('message', async ({ data }: MessageEvent<Wanted>) => {
  postMessage(await fetchText(data.url, data));
});
