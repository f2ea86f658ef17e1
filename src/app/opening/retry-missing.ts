/** Retries the loading of parts of the page that could not be fetched. */

import { showBanner, showToast } from '../../base/notices';
import { isOutdated, retryMissingImports, setUpdateCheck } from '../../base/retry-import';

/**
 * Retries; true once everything is loaded. Some browsers remember a failed import until the page is reloaded:
 * if the site can be reached, the page is reloaded at the address, and work is kept as in any reload.
 */
export async function retryMissing(address = location.hash): Promise<boolean> {
  if (!isOutdated() && (await retryMissingImports())) return true;
  if (await newestPage()) reload(address);
  else showToast('The site still cannot be reached.');
  return false;
}

/** Label of the button that calls `retryMissing`. */
export const retryTitle = (otherwise: string): string =>
  isOutdated() ? 'Reload the page' : otherwise;

function reload(address: string): void {
  const state = address === location.hash ? history.state : null;
  history.replaceState(state, '', address);
  location.reload();
}

const PATIENCE_MS = 3000;

/** The page's HTML from the server; null if unreachable. The query string bypasses the service worker. */
async function newestPage(): Promise<string | null> {
  try {
    const address = new URL('?newest', document.baseURI);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(address, { cache: 'no-store', signal });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

const script = (): string | null =>
  document.querySelector('script[type=module][src]')?.getAttribute('src') ?? null;

/** Detects an update as the cause of missing parts: the entry script has another name in each version. */
export function startUpdateCheck(): void {
  const own = script();
  setUpdateCheck({
    async check() {
      const page = await newestPage();
      return own !== null && page !== null && !page.includes(own);
    },
    report() {
      showBanner({
        id: 'outdated',
        kind: 'warning',
        title: 'Busyard was updated since this page was loaded',
        detail:
          'The server no longer has all parts of the old version. Reload the page to continue.',
        actions: [{ title: 'Reload the page', run: () => void retryMissing() }],
      });
    },
  });
}
