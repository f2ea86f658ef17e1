/** What to do when a part of the page that could not be fetched is wanted again. */

import { showBanner, showToast } from '../../base/notices';
import { isOutdated, retryMissingImports, setUpdateCheck } from '../../base/retry-import';

/**
 * Tries again; true once all is there. Some browsers remember the failure for as long as the page stays:
 * where the site can be reached all the same, the page is loaded afresh at the address, and the work is kept
 * as over any reload.
 */
export async function retryMissing(address = location.hash): Promise<boolean> {
  if (!isOutdated() && (await retryMissingImports())) return true;
  if (await newestPage()) reload(address);
  else showToast('The site still cannot be reached.');
  return false;
}

/** The name of the button that calls `retryMissing`. */
export const againTitle = (otherwise: string): string =>
  isOutdated() ? 'Reload the page' : otherwise;

function reload(address: string): void {
  const state = address === location.hash ? history.state : null;
  history.replaceState(state, '', address);
  location.reload();
}

const PATIENCE_MS = 3000;

/** The page as the server has it now; null if it cannot be had. The query keeps a service worker from answering. */
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

/** Finds out why parts are missing: the script that the page starts with has another name in each version. */
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
