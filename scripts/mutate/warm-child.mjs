// A process that keeps the TypeScript tests and the engine with all mutants warm: nothing is started or
// recompiled for another mutant or test, only test files are read again. Started by warm.mjs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTests } from '@vitest/runner';
import { createServer, createServerModuleRunner } from 'vite';
import { root } from '../lib.mjs';
import { scenarioEntries } from '../vite-scenarios.mjs';
import { HOST, takeReached, WORK } from './builds.mjs';
import { choose, take, watchInstances } from './instances.mjs';
import { kindOf } from './verdict.mjs';

const NATIVE = join(root, WORK, `reached-${process.pid}`);
process.env.BUSYARD_NATIVE = join(root, HOST);
process.env.CI = '1'; // records are compared, never written
globalThis.__vitest_worker__ = { config: { expect: {} } }; // required by Vitest's assertions
process.on('unhandledRejection', () => {}); // of a test that has already failed

/** The modules with all mutants, at the path where the tests look for the engine. */
const MARK = '\0mutants:';
const modules = {
  name: 'modules-with-mutants',
  enforce: 'pre',
  resolveId: (id) => {
    const found = /build\/(core|checks)\.wasm/.exec(id);
    return found && `${MARK}${found[1]}`;
  },
  load(id) {
    if (!id.startsWith(MARK)) return null;
    const bytes = readFileSync(join(root, WORK, `all-${id.slice(MARK.length)}.wasm`));
    return `export default 'data:application/wasm;base64,${bytes.toString('base64')}';`;
  },
};

const server = await createServer({
  ...{ root, configFile: false, appType: 'custom', logLevel: 'error' },
  ...{ plugins: [scenarioEntries(), modules], optimizeDeps: { noDiscovery: true } },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
});
const loader = createServerModuleRunner(server.environments.ssr, { hmr: false });

/** Modules imported by tests can keep their caches. */
function forgetTests() {
  for (const module of loader.evaluatedModules.idToModuleMap.values())
    if (/\/tests\/|\.test\.ts$/.test(module.file)) loader.evaluatedModules.invalidateModule(module);
}

const CONFIG = {
  ...{ root, name: 'plain', setupFiles: [], passWithNoTests: true, allowOnly: true },
  ...{ sequence: { hooks: 'stack', setupFiles: 'list' }, maxConcurrency: 1, retry: 0 },
  ...{ testTimeout: 600_000, hookTimeout: 600_000 },
  ...{ tags: [{ name: 'pin' }], tagsFilter: ['!pin'], strictTags: true },
};

const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

function taken() {
  const { reached, stopped } = take();
  return { reached: [...reached, ...takeReached(NATIVE)].filter(Boolean), stopped };
}

const messageOf = ({ result }) => (result?.errors ?? []).map(({ message }) => message).join('\n');

/** Runs tests of a file, by default all: `before` each of them, and `after` it with its time in seconds. */
async function runFile({ file, ids, names }, { before, after, enough = () => false }) {
  forgetTests();
  const filepath = join(root, file);
  const skip = (task) => {
    if (enough()) task.mode = 'skip';
  };
  let began = 0;
  const runner = {
    config: CONFIG,
    importFile: () => loader.import(filepath),
    onBeforeRunSuite: skip,
    onBeforeRunTask: (test) => {
      skip(test);
      before();
      began = seconds();
    },
    onAfterRunTask: (test) => test.result && after(test, seconds() - began),
  };
  const [task] = await startTests(
    [{ filepath, testIds: ids, testNamePattern: names && new RegExp(names) }],
    runner,
  );
  return task;
}

/** Without a mutant: the time of each test of a file, and the mutants that it reaches. */
async function measure({ file, names }) {
  choose(0);
  process.env.BUSYARD_MUTANT = '0';
  process.env.BUSYARD_REACHED = NATIVE;
  const nothing = { before: () => {}, after: () => {} };
  await runFile({ file, ids: ['none'] }, nothing); // dependencies are loaded once
  taken();
  const began = seconds();
  const tests = [];
  const shared = new Set();
  const before = () => {
    for (const one of taken().reached) shared.add(one);
  };
  const after = (test, took) => {
    const { reached, stopped } = taken();
    const failed = test.result.state === 'fail' ? messageOf(test) : null;
    tests.push({ id: test.id, name: test.fullTestName, took, reached, stopped, failed });
  };
  const task = await runFile({ file, names }, { before, after });
  before();
  delete process.env.BUSYARD_REACHED;
  const failed = messageOf(task);
  const own = tests.reduce((sum, { took }) => sum + took, 0);
  return { file, tests, shared: [...shared], failed, took: seconds() - began - own };
}

/** With a mutant: the failures of these tests, until one is conclusive. */
async function judge({ number, file, tests, stop }) {
  choose(number);
  process.env.BUSYARD_MUTANT = String(number);
  const named = new Map(tests.map((test) => [test.id, test]));
  const found = [];
  let before = null;
  const note = (test, message, usual) => {
    const stopped = before ?? taken().stopped;
    const kind = stopped && !usual ? stopped : kindOf(message, []);
    found.push({ kind, file, test, message: message.slice(0, 300) });
  };
  const task = await runFile(
    { file, ids: [...named.keys()] },
    {
      before: () => {
        before = taken().stopped;
      },
      after: (test) => {
        if (test.result.state !== 'fail') return;
        const { name, stopped } = named.get(test.id);
        note(name, messageOf(test), stopped);
      },
      enough: () => found.some(({ kind }) => stop.includes(kind)),
    },
  );
  if (messageOf(task) && found.length === 0) note('(the file)', messageOf(task), false);
  return found;
}

watchInstances();
process.on('message', async (asked) => {
  const answer = asked.tests ? await judge(asked) : await measure(asked);
  process.send(answer);
});
process.send('ready');
