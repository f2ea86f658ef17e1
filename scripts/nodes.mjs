// Runs the unit tests on each supported Node: `npm run nodes`, or `npm run nodes -- 22 26` for some of
// them. Each is fetched from npm's registry and kept in build/nodes.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { must, root, run, runIfMain, tool, UserError } from './lib.mjs';
import { buildNative } from './native.mjs';
import { setup } from './setup.mjs';
import { buildWasm } from './wasm.mjs';

/** The first that package.json allows, and every even major since. */
const SUPPORTED = { 20: '20.19.0', 22: '22', 24: '24', 26: '26' };

/** npm puts the program in place by the package's script, which it runs only where a package.json allows it. */
const PACKAGE = { private: true, allowScripts: { node: true } };

/** The executable of a Node, fetched once. */
async function fetched(major) {
  const folder = join(root, 'build/nodes', major);
  const program = join(folder, 'node_modules/node/bin/node');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify(PACKAGE));
    const options = ['--no-audit', '--no-fund', '--no-save', '--prefix'];
    const failure = `Node ${major} could not be fetched from npm's registry.`;
    await must(failure, 'npm', ['install', ...options, folder, `node@${SUPPORTED[major]}`]);
  }
  return program;
}

await runIfMain(import.meta.url, async (args) => {
  const majors = args.length > 0 ? args : Object.keys(SUPPORTED);
  const unknown = majors.find((major) => !Object.hasOwn(SUPPORTED, major));
  if (unknown !== undefined)
    throw new UserError(
      `Node "${unknown}" is not one of those that are supported: ${Object.keys(SUPPORTED).join(', ')}.`,
    );
  await setup(['emcc', 'gcc']);
  await Promise.all([buildWasm(), buildNative()]);
  for (const major of majors) {
    const program = await fetched(major);
    const version = (await must(`Node ${major} does not run.`, program, ['--version'])).trim();
    console.log(`Node ${version}`);
    const { code } = await run(program, tool('vitest/vitest.mjs', 'run'), {
      show: true,
      // Makes programs that a test starts by name run on the same Node.
      env: { PATH: `${dirname(program)}${delimiter}${process.env.PATH}` },
    });
    console.log(`Node ${version}: ${code === 0 ? 'passed' : 'failed'}`);
    if (code !== 0) process.exitCode = 1;
  }
});
