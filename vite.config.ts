import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { requireNode } from './scripts/node.cjs';
import { LongestFirst } from './scripts/test-order.mjs';
import { browsers, target } from './scripts/vite-browsers.mjs';
import { earlyParts } from './scripts/vite-early.mjs';
import { offline } from './scripts/vite-offline.mjs';
import { pagePolicy } from './scripts/vite-policy.mjs';
import { scenarioEntries, scenarioHelp, scenarioWords } from './scripts/vite-scenarios.mjs';
import { singleFile } from './scripts/vite-single-file.mjs';
import { rebuildWasm } from './scripts/vite-wasm.mjs';
import { TIME_OUT } from './tests/support/time-out.mjs';

// From Node 25 on `localStorage` is a global of Node's own, which would stand in the way of the one that a test's DOM brings.
const WITHOUT_STORAGE = ['--no-experimental-webstorage'].filter((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

// The headless program: one file that needs nothing beside it.
const headless = {
  outDir: 'dist-cli',
  target: 'node20',
  rolldownOptions: {
    output: {
      entryFileNames: 'busyard.js',
      codeSplitting: false,
      // Before all else, in an old Node too.
      banner: `#!/usr/bin/env node\n(${requireNode})();`,
    },
  },
};

// What many parts of the page have in common; the builder, the drawing of a machine and the checking of files come when
// they are asked for.
const COMMON =
  /\/src\/(?!\w+\/builder\/|draw\/machine\/|model\/scenario\/(schema|shape-errors|load|zod)\.ts)/;

// The page: one style sheet, and few files. What it begins with, and what a session is opened with, comes at once with all
// that belongs to it; other parts have no preload links, whose insertion would hold up the page's thread.
const page = {
  target,
  cssCodeSplit: false,
  modulePreload: {
    polyfill: false,
    resolveDependencies: (part: string, files: string[], { hostType }: { hostType: string }) =>
      hostType === 'html' || /\/session-module-exports-/.test(part) ? files : [],
  },
  rolldownOptions: {
    output: {
      codeSplitting: {
        groups: [
          { name: 'machines', test: /\/scenarios\/machines\// },
          { name: 'frame', tags: ['$initial' as const], priority: 2 },
          // Included scenarios are read without the checks; what a person brings is checked against the shapes of files.
          { name: 'reader', test: /\/scenario\/load-scenario\.ts$/ },
          {
            name: 'shapes',
            test: /\/zod\/|\/scenario\/(schema|shape-errors|load|zod)\.ts$/,
          },
          { name: 'common', test: COMMON, minShareCount: 4, priority: 1 },
        ],
      },
    },
  },
};

// The page as one file: fonts stand in the style sheet, workers and engine are parts of the file.
const single = {
  target,
  cssCodeSplit: false,
  copyPublicDir: false,
  emptyOutDir: false,
  assetsInlineLimit: (path: string) => path.endsWith('.woff2'),
  modulePreload: false,
  rolldownOptions: { output: { codeSplitting: false } },
} as const;

const builds = { headless, page, single };

export default defineConfig(({ isSsrBuild, mode }) => ({
  base: './',
  // One page: what is not there is answered with 404, not with the page.
  appType: 'mpa',
  plugins: [
    react(),
    scenarioEntries(),
    scenarioWords(),
    browsers(),
    ...(mode === 'single'
      ? [singleFile()]
      : [scenarioHelp(), pagePolicy(), earlyParts(), offline()]),
    ...(process.env.VITEST ? [] : [rebuildWasm()]),
  ],
  worker: {
    format: 'es',
    ...(mode === 'single' && { rolldownOptions: { output: { codeSplitting: false } } }),
  },
  build: builds[isSsrBuild ? 'headless' : mode === 'single' ? 'single' : 'page'],
  ssr: { noExternal: true },
  test: {
    // Tests wait now and then, and by themselves leave a core idle: half a worker more for each fills the gaps.
    maxWorkers: '150%',
    sequence: { sequencer: LongestFirst },
    // Much that is made is soon gone: with more room for what is new it is collected less often.
    execArgv: ['--max-semi-space-size=64', ...WITHOUT_STORAGE],
    testTimeout: TIME_OUT,
    hookTimeout: TIME_OUT,
    expect: { poll: { timeout: TIME_OUT } },
    setupFiles: ['tests/support/patient-waits.ts'],
    // A record of what came out, which a meant change writes anew: it is no statement of what is right.
    tags: [{ name: 'pin' }],
    // Projects are told apart by file name: *.test.tsx gets a DOM, *.test.ts does not.
    projects: [
      // Whole views, many of them: React as the built page has it takes half the time.
      {
        extends: true,
        oxc: { jsx: { development: false } },
        test: {
          name: 'all views',
          environment: 'happy-dom',
          env: { NODE_ENV: 'production' },
          include: ['tests/**/*.test.tsx'],
        },
      },
      {
        extends: true,
        test: {
          name: 'plain',
          environment: 'node',
          // A process for each file costs a third more, here and below.
          isolate: false,
          setupFiles: ['tests/support/fresh-modules.ts'],
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'page',
          environment: 'happy-dom',
          isolate: false,
          setupFiles: [
            'tests/support/fresh-modules.ts',
            'tests/support/patient-queries.ts',
            'tests/support/quiet-react.ts',
          ],
          include: ['src/**/*.test.tsx'],
        },
      },
    ],
  },
}));
