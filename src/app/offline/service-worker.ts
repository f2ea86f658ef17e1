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

precache(FILES);
clientsClaim();
enable();

const page = new NetworkOnly({
  networkTimeoutSeconds: PATIENCE_S,
  plugins: [
    {
      async fetchDidSucceed({ response }) {
        if (response.status >= 500) throw new Error(`The server answered ${response.status}.`);
        return response;
      },
      handlerDidError: () => matchPrecache(PAGE.href),
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
