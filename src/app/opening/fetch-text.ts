/** Fetches a text from any site within limits of size and time; failures are returned as a sentence. */
import { bytes, count, text as quantityText } from '../../base/format';

export interface FetchLimits {
  readonly bytes: number;
  readonly seconds: number;
}

export type Fetched = { readonly text: string } | { readonly refused: string };

const refused = (sentence: string): Fetched => ({ refused: sentence });

/** Sends no user data: no cookies, no referrer. */
export async function fetchText(url: string, limits: FetchLimits): Promise<Fetched> {
  try {
    const response = await fetch(url, {
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(limits.seconds * 1000),
    });
    const { host } = new URL(response.url || url);
    // The user agreed to one host only.
    if (host !== new URL(url).host) return refused(`It redirects to another host, ${host}.`);
    if (!response.ok) return refused(`The server answered ${response.status}.`);
    return await readText(response, limits);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return refused(`It did not arrive within ${count(limits.seconds, 'second')}.`);
    return refused('The server cannot be reached, or does not let other sites read the file.');
  }
}

async function readText(response: Response, limits: FetchLimits): Promise<Fetched> {
  const tooLarge = refused(`It is larger than ${quantityText(bytes(limits.bytes))}.`);
  if (Number(response.headers.get('content-length')) > limits.bytes) {
    await response.body?.cancel();
    return tooLarge;
  }
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    size += next.value.length;
    if (size > limits.bytes) {
      await reader?.cancel();
      return tooLarge;
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return { text: text + decoder.decode() };
}
