// `npm run -s busyard -- ...`: rebuilds the headless program if needed, then runs it in the user's folder.
// Everything but its own output goes to stderr. `bench` compares builds, so it is not in the program.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildCli } from './build.mjs';
import { root, runIfMain } from './lib.mjs';
import { setup } from './setup.mjs';

await runIfMain(import.meta.url, async (args) => {
  if (args[0] === 'bench') {
    const { bench } = await import('../bench/main.mjs');
    return bench(args.slice(1));
  }
  await setup(['emcc']);
  await buildCli();
  const child = spawn(process.execPath, [join(root, 'dist-cli/busyard.js'), ...args], {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    stdio: 'inherit',
  });
  process.exitCode = await new Promise((resolve) =>
    child.on('close', (code) => resolve(code ?? 1)),
  );
});
