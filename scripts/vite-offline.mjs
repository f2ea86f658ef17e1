// A Vite plugin that generates the service worker (sw.js) of a built page, with the list of all files of
// the build.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'vite';
import { root } from './lib.mjs';
import { target } from './vite-browsers.mjs';

const SOURCE = join(root, 'src/app/offline/service-worker.ts');
const NAME = 'sw.js';
/** For the host, not for visitors. */
const NOT_KEPT = ['_headers', NAME];

// Names in assets/ contain a hash; other files are versioned by their content.
function entry(folder, path) {
  if (path.startsWith('assets/')) return { url: path, revision: null };
  const hash = createHash('sha256').update(readFileSync(join(folder, path)));
  return { url: path === 'index.html' ? './' : path, revision: hash.digest('hex').slice(0, 16) };
}

function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((found) => found.isFile())
    .map((found) => relative(folder, join(found.parentPath, found.name)).split(sep).join('/'))
    .filter((path) => !NOT_KEPT.includes(path))
    .sort()
    .map((path) => entry(folder, path));
}

// `npm run dev` can have the address that `npm start` had: removes its cached files.
const FORGET = `addEventListener('install', () => skipWaiting());
addEventListener('activate', async () => {
  for (const name of await caches.keys()) await caches.delete(name);
  await registration.unregister();
  for (const client of await clients.matchAll()) client.navigate(client.url);
});
`;

export function offline() {
  return {
    name: 'offline',
    apply: (_, { isSsrBuild }) => !isSsrBuild,
    configureServer({ middlewares }) {
      middlewares.use(`/${NAME}`, (_, response) => {
        response.setHeader('content-type', 'text/javascript');
        response.end(FORGET);
      });
    },
    async writeBundle({ dir }) {
      await build({
        root,
        configFile: false,
        publicDir: false,
        logLevel: 'warn',
        define: { FILES: JSON.stringify(filesOf(dir)) },
        build: {
          outDir: dir,
          emptyOutDir: false,
          target,
          rolldownOptions: { input: SOURCE, output: { format: 'iife', entryFileNames: NAME } },
        },
      });
    },
  };
}
