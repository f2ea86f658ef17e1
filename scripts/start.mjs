// `npm start`: sets up, builds and serves the page. With --dev (`npm run dev`), serves the sources
// instead and rebuilds as they change.
import { parseArgs } from 'node:util';
import { buildPage } from './build.mjs';
import { messageOf, root, runIfMain, UserError } from './lib.mjs';
import { setup } from './setup.mjs';

// A requested port is used or rejected; without one, the next free port is used.
function serverOptions(port) {
  const wanted = port ?? process.env.PORT;
  const number = Number(wanted ?? 4173);
  if (!Number.isInteger(number) || number < 1 || number > 65535) {
    throw new UserError(`"${wanted}" is not a port number. Give one from 1 to 65535.`);
  }
  return { host: '127.0.0.1', port: number, strictPort: wanted !== undefined };
}

function options(args) {
  try {
    return parseArgs({ args, options: { port: { type: 'string' }, dev: { type: 'boolean' } } })
      .values;
  } catch (error) {
    throw new UserError(`${error.message}. Use: npm start -- [--port NUMBER]`);
  }
}

async function serve({ dev, port }) {
  const server = serverOptions(port);
  await setup(['emcc']);
  if (!dev) await buildPage();
  const vite = await import('vite');
  if (!dev) return vite.preview({ root, preview: server, logLevel: 'warn' });
  const sources = await vite.createServer({ root, server });
  return sources.listen();
}

await runIfMain(import.meta.url, async (args) => {
  let server;
  try {
    server = await serve(options(args));
  } catch (error) {
    if (error !== messageOf(error)) throw error;
    throw new UserError(`The page cannot be served: ${error.message}`);
  }
  const { port } = server.httpServer.address();
  console.log(`Busyard is at http://localhost:${port}/ (Ctrl-C ends it)`);
});
