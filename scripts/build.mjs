// Builds the page (dist/) and the headless program (dist-cli/). `node scripts/build.mjs [page|cli]`
import { buildIfStale, must, runIfMain, tool } from './lib.mjs';
import { setup } from './setup.mjs';
import { buildWasm } from './wasm.mjs';

const CONFIGURATION = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
  'scripts/node.cjs',
  'build/core.wasm',
  'build/checks.wasm',
];

const PLUGINS = [
  'policy.mjs',
  'single-file-loader.js',
  ...['browsers', 'early', 'offline', 'policy', 'scenarios', 'single-file'].map(
    (name) => `vite-${name}.mjs`,
  ),
].map((name) => `scripts/${name}`);

function viteBuild(failure, ...args) {
  const all = tool('vite/bin/vite.js', 'build', '--logLevel', 'warn', ...args);
  return must(failure, process.execPath, all, { env: { NO_COLOR: '1' } });
}

export async function buildPage() {
  await buildWasm();
  return buildIfStale({
    name: 'page',
    inputs: [...CONFIGURATION, ...PLUGINS, 'index.html', 'src', 'scenarios', 'public'],
    outputs: ['dist/index.html', 'dist/single.html'],
    make: async () => {
      await viteBuild('The page could not be built.');
      await viteBuild('The page as one file could not be built.', '--mode', 'single');
    },
  });
}

export async function buildCli() {
  await buildWasm();
  return buildIfStale({
    name: 'cli',
    inputs: [
      ...CONFIGURATION,
      ...['base', 'engine', 'model', 'cli'].map((layer) => `src/${layer}`),
      'scenarios',
    ],
    outputs: ['dist-cli/busyard.js'],
    make: () => viteBuild('The headless program could not be built.', '--ssr', 'src/cli/main.ts'),
  });
}

await runIfMain(import.meta.url, async ([what]) => {
  await setup(['emcc']);
  if (what !== 'cli') await buildPage();
  if (what !== 'page') await buildCli();
});
