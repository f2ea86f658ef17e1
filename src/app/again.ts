/** What to do when a part of the page that could not be fetched is wanted again. */
import { fetchMissing } from '../base/fetched';
import { showToast } from '../base/notices';

/**
 * Tries again; true once all is there. Some browsers remember the failure for as long as the page stays:
 * where the site can be reached all the same, the page is loaded afresh at the address, and the work is kept
 * as over any reload.
 */
export async function fetchAgain(address = location.hash): Promise<boolean> {
  if (await fetchMissing()) return true;
  if (await siteIsThere()) {
    history.replaceState(null, '', address);
    location.reload();
  } else showToast('The network is still gone.');
  return false;
}

const siteIsThere = (): Promise<boolean> =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    (response) => response.ok,
    () => false,
  );
