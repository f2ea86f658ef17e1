// Makes the native programs with gcc: the engine's command-line host, and the unit tests, one program per
// wasm/**/*_test.c.
//
//     node scripts/native.mjs test [PATH]   runs the tests, or those with this in their path
//     node scripts/native.mjs sanitized     makes the host with sanitizers
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import {
  filesUnder,
  must,
  root,
  run,
  Sentence,
  whenChanged,
  whenStarted,
  writeWhole,
} from './lib.mjs';
import { engineSources, generate, STRICT } from './wasm.mjs';

/** Builds that check: for undefined behaviour, and for the rule of re-entrancy (wasm/core/asking.h). */
const SANITIZE = [
  '-DBY_ASSERTS',
  '-g1',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
];

const gcc = (source, path, args) =>
  must(`${source} did not compile.`, 'gcc', [...STRICT, source, '-o', path, ...args]);

/** Makes `output` from a source and the engine's, unless it was made from just these. */
const made = (output, source, args, make = (path) => gcc(source, path, args)) =>
  whenChanged({
    name: basename(output),
    inputs: [...engineSources(), source],
    recipe: args.join(' '),
    outputs: [output],
    make: () => writeWhole(output, make),
  });

/** The host reads files and a clock, which plain C11 does not have. */
const HOST = ['-D_POSIX_C_SOURCE=200809L'];

/** The headless host: build/busyard-native. */
export async function buildNative() {
  await generate();
  await made('build/busyard-native', 'wasm/host/native.c', [...HOST, '-O2']);
}

/** The same to look for undefined behaviour with: build/busyard-native-asan. */
async function buildSanitized() {
  await generate();
  await made('build/busyard-native-asan', 'wasm/host/native.c', [...HOST, '-O1', ...SANITIZE]);
}

const ENGINE = 'build/tests/engine.a';

/** The engine with sanitizers and what tests share, compiled once. Not optimized: tests run for less than that would take. */
function testedEngine() {
  const source = 'wasm/host/testing.c';
  const args = ['-O0', ...SANITIZE, '-c'];
  return made(ENGINE, source, args, async (path) => {
    await gcc(source, `${path}.o`, args);
    await must('The library could not be written.', 'ar', ['rcs', path, `${path}.o`]);
    rmSync(join(root, `${path}.o`));
  });
}

/** What a cmocka program printed, as counts. A test that started and never ended OK has failed. */
function count({ code, output }) {
  const lines = (pattern) => output.match(pattern)?.length ?? 0;
  const passed = lines(/^\[ {7}OK \]/gm);
  const skipped = lines(/^\[ {2}SKIPPED \]/gm);
  const failed = lines(/^\[ RUN {6}\]/gm) - passed - skipped;
  return { passed, failed: code !== 0 ? Math.max(failed, 1) : failed };
}

/** With g, what a test does not call is not compiled, a fifth sooner than with 1; one that brings the whole engine needs all of it anyway. */
const levelOf = (source) =>
  readFileSync(join(root, source), 'utf8').includes('#include "host/testing.c"') ? '0' : 'g';

/** A name for the program of a source: files of the same name stand in several folders. */
export const programOf = (source) => source.replace(/^wasm\/|\.c$/g, '').replaceAll('/', '-');

/** Builds and runs one program of tests. */
async function testOne(source) {
  const binary = `build/tests/${programOf(source)}`;
  try {
    await made(binary, source, [`-O${levelOf(source)}`, ...SANITIZE, ENGINE, '-lcmocka']);
    const ran = await run(binary, []);
    const counts = count(ran);
    return { ...counts, output: counts.failed > 0 ? `${source}\n${ran.output}` : '' };
  } catch (error) {
    if (!(error instanceof Sentence)) throw error;
    return { passed: 0, failed: 1, output: `${error.message}\n` };
  }
}

/** Builds and runs the unit tests in C, as many at once as there are cores; resolves to counts and what failed. */
export async function testNative(part = '') {
  await generate();
  const left = filesUnder('wasm').filter((path) => path.endsWith('_test.c') && path.includes(part));
  const result = { passed: 0, failed: 0, output: '' };
  await testedEngine();
  const work = async () => {
    for (let source = left.shift(); source; source = left.shift()) {
      const { passed, failed, output } = await testOne(source);
      result.passed += passed;
      result.failed += failed;
      result.output += output;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return result;
}

await whenStarted(import.meta.url, async ([what, part]) => {
  if (what === 'sanitized') return buildSanitized();
  if (what !== 'test') return buildNative();
  const { passed, failed, output } = await testNative(part);
  console.log(`${output}${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
