// `npm run limits [-- WORDS]`: every scenario, or those with these words in their path, with each parameter at its
// limits and with several of them there: longer, and with more of them, than `npm test` does.
import { must, runIfMain, tool } from './lib.mjs';
import { buildNative } from './native.mjs';
import { setup } from './setup.mjs';
import { buildWasm } from './wasm.mjs';

await runIfMain(import.meta.url, async ([words = 'scenarios/']) => {
  await setup(['emcc', 'gcc']);
  await Promise.all([buildNative(), buildWasm()]);
  const run = tool('vitest/vitest.mjs', 'run', 'tests/limits.test.ts', '-t', words);
  const env = { BUSYARD_LONG: '1' };
  await must('A setting stops the engine.', process.execPath, run, { show: true, env });
});
