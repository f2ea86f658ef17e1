/**
 * The service worker: after the first visit the page works without a network.
 *
 *     the page itself   newest from the network, if that answers soon; else as kept
 *     all its files     as kept; their names change with their contents
 *
 * A new build is kept beside the one before, whose files go only when no tab shows it any more: until then
 * this worker waits, and an open tab finds every part of itself.
 */
import { clientsClaim } from 'workbox-core';
import { enable } from 'workbox-navigation-preload';
import { getCacheKeyForURL, matchPrecache, type PrecacheEntry, precache } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { NetworkOnly } from 'workbox-strategies';

/** All files of this build, put here when it is made. */
declare const FILES: PrecacheEntry[];

/** The address of the page, and its other one. */
const [PAGE, INDEX] = ['./', 'index.html'].map((path) => new URL(path, location.href)) as [
  URL,
  URL,
];
const isPage = ({ pathname }: URL) => pathname === PAGE.pathname || pathname === INDEX.pathname;

/** A network that takes longer is as good as gone. */
const PATIENCE_S = 3;
const TOO_MANY_REQUESTS = 429;

precache(FILES);
clientsClaim();
enable();

const page = new NetworkOnly({
  networkTimeoutSeconds: PATIENCE_S,
  plugins: [
    {
      handlerDidError: () => matchPrecache(PAGE.href),
      // Every answer passes here. A navigation preload does not pass `fetchDidSucceed`.
      async handlerWillRespond({ response }) {
        const failed = response.status >= 500 || response.status === TOO_MANY_REQUESTS;
        return (failed && (await matchPrecache(PAGE.href))) || response;
      },
    },
  ],
});

registerRoute(({ url, request }) => request.mode === 'navigate' && isPage(url), page);

registerRoute(
  ({ sameOrigin }) => sameOrigin,
  async ({ url, request }) => {
    const key = getCacheKeyForURL(url.href) ?? url.href;
    return (await caches.match(key, { ignoreVary: true })) ?? fetch(request);
  },
);
