/** Has the browser keep the page's files, so that it works without a network from the next moment on. */
import { showToast } from '../../base/notices';
import { scriptUrl } from '../../base/trusted-types';

/** Fetching everything must not hold up what the visitor came for. */
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
    // A browser that does not let sites keep anything has the page from the network alone.
    return;
  }
  if (first) showToast('Busyard now also works offline.');
}
