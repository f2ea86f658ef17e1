// `npm test`: sets up, runs every check, and ends with one line, `N passed, N failed`.
// `npm test -- --only vitest,e2e` runs some of the stages.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { budget } from './budget.mjs';
import { buildCli, buildPage } from './build.mjs';
import { misformatted } from './format.mjs';
import { freePort, root, run, runIfMain, tool, UserError } from './lib.mjs';
import { buildNative, testNative } from './native.mjs';
import { setup } from './setup.mjs';
import { buildWasm, generate, warnOfWasm } from './wasm.mjs';

const node = (path, ...args) => run(process.execPath, tool(path, ...args));

/** A check without parts counts as one. */
const whole = (ok, output) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, output });

export const lint =
  (path, ...args) =>
  async () => {
    const { code, output } = await node(path, ...args);
    return whole(code === 0, output);
  };

/** Checks the format of C: all files, or some. */
export const checkFormat = async (paths) => {
  const wrong = (await misformatted(paths)).map(({ path }) => path);
  return whole(wrong.length === 0, `Not formatted (npm run format):\n${wrong.join('\n')}`);
};

/** Runs a tool that writes a JSON report; without one, the run as a whole has failed. */
async function reported(name, start, count) {
  const path = `build/reports/${name}.json`;
  mkdirSync(join(root, 'build/reports'), { recursive: true });
  rmSync(join(root, path), { force: true });
  const { code, output } = await start(path);
  try {
    const result = count(JSON.parse(readFileSync(join(root, path), 'utf8')), output);
    if (code !== 0 && result.failed === 0) return { ...result, failed: 1, output };
    return result;
  } catch {
    return whole(false, output);
  }
}

function countVitest({ testResults }) {
  const result = { passed: 0, failed: 0, output: '' };
  const fail = (name, message) => {
    result.failed += 1;
    result.output += `${name}\n${message}\n`;
  };
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(root, name);
    for (const test of assertionResults) {
      if (test.status === 'passed') result.passed += 1;
      if (test.status === 'failed')
        fail(`${file} > ${test.fullName}`, test.failureMessages.join('\n'));
    }
    const fails = assertionResults.some((test) => test.status === 'failed');
    if (status === 'failed' && !fails) fail(file, message);
  }
  return result;
}

function countPlaywright({ stats, errors }, output) {
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    output,
  };
}

/** The unit tests, or those of some files. */
export const vitest = (report = 'vitest', files = []) =>
  reported(
    report,
    (path) => node('vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${path}`, ...files),
    countVitest,
  );

let code;
/** Generated once, also for what starts beside the build. */
const generatedCode = () => {
  code ??= generate();
  return code;
};

const generated = (check) => async () => {
  await generatedCode();
  return check();
};

export const STAGES = {
  build: async () => {
    await generatedCode();
    await Promise.all([buildWasm(), buildNative(), warnOfWasm()]);
    return whole(true, '');
  },
  biome: lint('@biomejs/biome/bin/biome', 'check', '--colors=off', '--error-on-warnings', '.'),
  'clang-format': () => checkFormat(),
  types: generated(lint('typescript/bin/tsc')),
  knip: generated(lint('knip/bin/knip.js', '--no-progress')),
  native: testNative,
  page: async () => {
    await buildPage();
    await buildCli();
    const { ok, output } = budget();
    console.log(`  ${output}`);
    return whole(ok, 'The first load is over its budget, or a file is missing.');
  },
  vitest: () => vitest(),
  e2e: async () => {
    await buildPage();
    // Does not conflict with a page served by `npm start`.
    const port = process.env.BUSYARD_E2E_PORT ?? (await freePort());
    return reported(
      'playwright',
      (path) =>
        run(process.execPath, tool('@playwright/test/cli.js', 'test', '--reporter=list,json'), {
          env: { PLAYWRIGHT_JSON_OUTPUT_NAME: path, BUSYARD_E2E_PORT: String(port) },
        }),
      countPlaywright,
    );
  },
};

/**
 * What runs alone leaves a core idle now and then: the checks fill the gaps of the build, and the C tests those of the
 * page. Browsers and unit tests fill all cores by themselves.
 */
const GROUPS = [
  ['build', 'biome', 'clang-format', 'types', 'knip'],
  ['native', 'page'],
  ['vitest'],
  ['e2e'],
];

const PROGRAMS = { native: ['gcc', 'cmocka'], e2e: ['chromium', 'firefox'] };

/** A stage that cannot run (for example because its build fails) counts as failed, and the others continue. */
async function attempt(name, stage) {
  const start = performance.now();
  let result;
  try {
    result = await stage();
  } catch (error) {
    result = whole(false, error instanceof UserError ? error.message : String(error.stack));
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (result.failed > 0) console.log(`\n${result.output.trimEnd()}\n`);
  console.log(`${name}: ${result.passed} passed, ${result.failed} failed (${seconds} s)`);
  return result;
}

function wanted(args) {
  const { values } = parseArgs({ args, options: { only: { type: 'string' } } });
  if (!values.only) return Object.keys(STAGES);
  const names = values.only.split(',');
  const unknown = names.find((name) => !(name in STAGES));
  if (unknown !== undefined) {
    throw new UserError(`"${unknown}" is not a stage. Stages: ${Object.keys(STAGES).join(', ')}.`);
  }
  return ['build', ...names.filter((name) => name !== 'build')];
}

/** Runs groups of stages one after another, and ends with the line of total counts. */
export async function runStages(groups, stages = STAGES) {
  const total = { passed: 0, failed: 0 };
  for (const group of groups) {
    const results = await Promise.all(group.map((name) => attempt(name, stages[name])));
    for (const { passed, failed } of results) {
      total.passed += passed;
      total.failed += failed;
    }
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  if (total.failed > 0) process.exitCode = 1;
}

await runIfMain(import.meta.url, async (args) => {
  const names = wanted(args);
  await setup(['emcc', 'gcc', ...new Set(names.flatMap((name) => PROGRAMS[name] ?? []))]);
  await runStages(GROUPS.map((group) => group.filter((name) => names.includes(name))));
});
