/**
 * The service worker: after the first visit the page works offline.
 *
 *     the page itself   from the network if it answers soon, else from the cache
 *     all other files   from the cache; their names change with their contents
 *
 * A new build is cached beside the previous one, whose files are removed only when no tab uses it. Until then
 * the new worker waits, so that an open tab can load all its parts.
 */
import { clientsClaim } from 'workbox-core';
import { enable } from 'workbox-navigation-preload';
import { getCacheKeyForURL, matchPrecache, type PrecacheEntry, precache } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { NetworkOnly } from 'workbox-strategies';

/** All files of this build, inserted at build time. */
declare const FILES: PrecacheEntry[];

/** The two addresses of the page. */
const [PAGE, INDEX] = ['./', 'index.html'].map((path) => new URL(path, location.href)) as [
  URL,
  URL,
];
const isPage = ({ pathname }: URL) => pathname === PAGE.pathname || pathname === INDEX.pathname;

/** After this time, in seconds, the network counts as unavailable. */
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
      // Every response passes here; a navigation preload does not pass `fetchDidSucceed`.
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
