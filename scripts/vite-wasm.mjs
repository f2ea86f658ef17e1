// A Vite plugin for `npm run dev`: a change in wasm/ rebuilds the engine and reloads the page; an error of
// the C compiler is shown over the page.
import { join } from 'node:path';
import { root } from './lib.mjs';
import { buildWasm } from './wasm.mjs';

export function rebuildWasm() {
  return {
    name: 'busyard-wasm',
    apply: 'serve',
    async configureServer(server) {
      let building = Promise.resolve();
      let failed = false;
      const build = async () => {
        try {
          if ((await buildWasm()) || failed) server.ws.send({ type: 'full-reload' });
          failed = false;
        } catch (error) {
          failed = true;
          server.config.logger.error(error.message);
          const err = { message: error.message, stack: '', plugin: 'busyard-wasm' };
          server.ws.send({ type: 'error', err });
        }
      };
      const changed = (path) => {
        const ours =
          path.startsWith(join(root, 'wasm')) && !path.startsWith(join(root, 'wasm/gen'));
        if (ours) building = building.then(build);
      };
      server.watcher.add(join(root, 'wasm'));
      for (const event of ['add', 'change', 'unlink']) server.watcher.on(event, changed);
      await build();
    },
  };
}
