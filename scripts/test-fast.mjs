// `npm run test:fast`: lint, types, and the tests that a change reaches, in less than a minute. The change is what differs from
// the merge base with main, uncommitted and new files included; `npm run test:fast -- REV` compares with another revision.
//
// Tests are chosen by their import distance from the change, until their times fill the budget. So a change
// of a file that everything imports runs only its nearest tests; those left out are counted, and `npm test`
// runs them.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { filesUnder, must, root, run, runIfMain, UserError } from './lib.mjs';
import { testNative } from './native.mjs';
import { setup } from './setup.mjs';
import { checkFormat, lint, runStages, STAGES, vitest } from './test.mjs';
import { isOfAllScenarios } from './test-order.mjs';

/** Seconds of one core: a minute in all with two cores, lint, types and start-up. */
const BUDGET = 60;
/** Seconds assumed for a test file without a measured time: for one module, for the whole, and for all scenarios. */
const UNTIMED = { module: 2, whole: 8, scenarios: 30 };

const git = async (...args) =>
  (await must('Git does not say what has changed.', 'git', args)).split('\n').filter(Boolean);

/** The revision that a change is compared with: the branch point from main, or the last commit. */
async function baseOf(revision) {
  if (revision) return revision;
  for (const main of ['origin/main', 'main']) {
    const { code, output } = await run('git', ['merge-base', 'HEAD', main]);
    if (code === 0) return output.trim();
  }
  return 'HEAD';
}

async function changedSince(revision) {
  const base = await baseOf(revision);
  const tracked = await git('diff', '--name-only', '--no-renames', base, '--');
  const added = await git('ls-files', '--others', '--exclude-standard');
  return [...new Set([...tracked, ...added])].sort();
}

/** The runtime imports of a module: statements, lazy parts, workers and mocks; not types. */
const IMPORTS =
  /(?:^|\n)\s*(?:import|export)(?!\s+type\b)[^'";]*?['"](\.[^'"]+)['"]|\b(?:import|URL|vi\.mock|importActual(?:<[^(]*>)?)\(\s*['"](\.[^'"]+)['"]/g;
const GLOBS = /import\.meta\.glob[^(]*\(\s*\[?\s*['"]([^'"]+)['"]/g;

const WILD = { '**/': '(?:.*/)?', '*': '[^/]*', '{': '(?:', '}': ')', ',': '|' };

const asPattern = (glob) =>
  new RegExp(`^${glob.replace(/\*\*\/|[*{},]|[.+()|$^]/g, (sign) => WILD[sign] ?? `\\${sign}`)}$`);

const ENDINGS = ['', '.ts', '.tsx', '.mjs', '/index.ts', '/index.tsx'];

/** The importers of each file among `sources`, which can import any of `files`. */
export function importersOf(sources, files, read) {
  const known = new Set(files);
  const importers = new Map();
  const note = (path, by) => {
    if (path === undefined) return;
    if (!importers.has(path)) importers.set(path, new Set());
    importers.get(path).add(by);
  };
  for (const path of sources) {
    const text = read(path);
    const from = (name) => posix.join(posix.dirname(path), name.replace(/\?.*$/, ''));
    for (const [, statement, call] of text.matchAll(IMPORTS)) {
      const name = from(statement ?? call);
      note(
        ENDINGS.map((ending) => name + ending).find((file) => known.has(file)),
        path,
      );
    }
    for (const [, glob] of text.matchAll(GLOBS)) {
      const pattern = asPattern(glob.startsWith('/') ? glob.slice(1) : from(glob));
      for (const file of files) if (pattern.test(file)) note(file, path);
    }
  }
  return importers;
}

const isTest = (path) => /\.test\.tsx?$/.test(path);

/** Test files by import distance from the change, the nearest first. */
export function reached(changed, importers) {
  const distance = new Map(changed.map((path) => [path, 0]));
  for (const [path, steps] of distance)
    for (const importer of importers.get(path) ?? [])
      if (!distance.has(importer)) distance.set(importer, steps + 1);
  return [...distance.keys()].filter(isTest);
}

/** Tests of files that are read as data, which imports do not show. */
const READERS = [
  [/^scenarios\//, ['tests/golden/scenarios.test.ts', 'tests/lessons.test.ts']],
  [/^wasm\//, ['tests/layering.test.ts', 'tests/golden/scenarios.test.ts']],
  [/^src\//, ['tests/layering.test.ts']],
  [/\.md$/, ['tests/docs.test.ts']],
];

const readersOf = (changed) =>
  READERS.flatMap(([pattern, tests]) => (changed.some((path) => pattern.test(path)) ? tests : []));

/** Seconds of each test file in the last whole run. */
function lastTimes() {
  const report = join(root, 'build/reports/vitest.json');
  if (!existsSync(report)) return new Map();
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return new Map(
    testResults.map(({ name, startTime, endTime }) => [
      name.slice(root.length + 1),
      (endTime - startTime) / 1000,
    ]),
  );
}

function untimed(path, text) {
  if (isOfAllScenarios(text)) return UNTIMED.scenarios;
  return path.startsWith('tests/') ? UNTIMED.whole : UNTIMED.module;
}

/** As many tests, in order, as fit into the budget. A changed test file always runs. */
export function withinBudget(tests, secondsOf, isChanged, budget = BUDGET) {
  let left = budget;
  return tests.filter((path) => {
    const seconds = secondsOf(path);
    if (seconds > left && !isChanged(path)) return false;
    left -= seconds;
    return true;
  });
}

function testsOf(changed) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const files = filesUnder('src', 'tests', 'scripts', 'scenarios', 'bench', 'build/core.wasm');
  const sources = files.filter((path) => /\.(tsx?|m[tj]s)$/.test(path));
  const there = new Set(sources);
  const all = [...reached(changed, importersOf(sources, files, read)), ...readersOf(changed)];
  const tests = [...new Set(all)].filter((path) => there.has(path));
  const times = lastTimes();
  const secondsOf = (path) => times.get(path) ?? untimed(path, read(path));
  const chosen = withinBudget(tests, secondsOf, (path) => changed.includes(path));
  const more = tests.length - chosen.length;
  console.log(
    `Test files that the change reaches: ${chosen.length}${more ? `, and ${more} more that only npm test runs` : ''}.`,
  );
  return chosen;
}

const LINTED = /\.(tsx?|m?js|cjs|json|css)$/;

function stagesOf(changed) {
  const present = changed.filter((path) => existsSync(join(root, path)));
  const engine = [
    ...new Set(changed.filter((path) => /^wasm\/.*\.(c|h|json)$/.test(path)).map(posix.dirname)),
  ];
  const linted = present.filter((path) => LINTED.test(path));
  return {
    // The checks before the tests: each has a core.
    lint: async () => {
      const paths = linted.length > 0 ? linted : ['package.json'];
      return lint(
        '@biomejs/biome/bin/biome',
        'check',
        '--colors=off',
        '--error-on-warnings',
        '--no-errors-on-unmatched',
        ...paths,
      )();
    },
    'clang-format': () => checkFormat(present),
    types: STAGES.types,
    native: () => testNative((path) => engine.includes(posix.dirname(path))),
    vitest: () => {
      const tests = testsOf(changed);
      return tests.length > 0 ? vitest('vitest-fast', tests) : { passed: 0, failed: 0, output: '' };
    },
  };
}

await runIfMain(import.meta.url, async ([revision]) => {
  const changed = await changedSince(revision);
  if (changed.length === 0)
    throw new UserError('Nothing has changed, so there is nothing to test.');
  await setup(['emcc', 'gcc']);
  await runStages([['build'], ['lint', 'clang-format', 'types'], ['native'], ['vitest']], {
    ...STAGES,
    ...stagesOf(changed),
  });
});
