/** Caches the page's files in the browser, so that the page works offline. */
import { showToast } from '../../base/notices';
import { scriptUrl } from '../../base/trusted-types';

/** Delay after load, so that caching does not compete with the visitor's first requests. */
const AFTER_LOAD_MS = 2000;

export function startOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  if (document.readyState === 'complete') setTimeout(keep, AFTER_LOAD_MS);
  else addEventListener('load', () => setTimeout(keep, AFTER_LOAD_MS));
}

async function keep(): Promise<void> {
  const first = navigator.serviceWorker.controller === null;
  try {
    await navigator.serviceWorker.register(scriptUrl(new URL('sw.js', document.baseURI).href));
    await navigator.serviceWorker.ready;
  } catch {
    // Some browsers do not allow caching; the page then needs the network.
    return;
  }
  if (first) showToast('Busyard now also works offline.');
}
