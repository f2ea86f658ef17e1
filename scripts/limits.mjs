// `npm run limits [-- WORDS]`: runs every scenario, or those with these words in their path, with each
// parameter at its limits and with several at once: longer and with more combinations than `npm test`.
// Systems run in parallel.
import { availableParallelism } from 'node:os';
import { filesUnder, run, runIfMain, tool, UserError } from './lib.mjs';
import { buildNative } from './native.mjs';
import { setup } from './setup.mjs';
import { buildWasm } from './wasm.mjs';

/** Scenario folders, largest first, so that a long one does not start late. */
function systemsOf(scenarios) {
  const counts = new Map();
  for (const path of scenarios) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([folder]) => folder);
}

/** Whether all settings of the scenarios with these words ran or were rejected with a clear error. */
async function holds(words) {
  const start = performance.now();
  const test = tool('vitest/vitest.mjs', 'run', 'tests/limits.test.ts', '-t', words);
  const { code, output } = await run(process.execPath, test, { env: { BUSYARD_LONG: '1' } });
  const seconds = Math.round((performance.now() - start) / 1000);
  if (code !== 0) console.log(output);
  console.log(`${words}: ${code === 0 ? 'passed' : 'failed'} (${seconds} s)`);
  return code === 0;
}

await runIfMain(import.meta.url, async ([words]) => {
  const scenarios = filesUnder('scenarios').filter(
    (path) => path.endsWith('.json') && !path.startsWith('scenarios/machines/'),
  );
  if (words && !scenarios.some((path) => path.includes(words)))
    throw new UserError(`No scenario has "${words}" in its path.`);
  await setup(['emcc', 'gcc']);
  await Promise.all([buildNative(), buildWasm()]);
  const left = words ? [words] : systemsOf(scenarios);
  let failed = false;
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      if (!(await holds(next))) failed = true;
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  if (failed) throw new UserError('A setting stops the engine.');
});
