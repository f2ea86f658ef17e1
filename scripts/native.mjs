// Makes the native programs with gcc: the engine's command-line host (also with sanitizers), and the
// unit tests, one program per wasm/**/*_test.c. `node scripts/native.mjs test` runs the tests.
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { filesUnder, must, run, Sentence, whenChanged, whenStarted, writeWhole } from './lib.mjs';
import { generate, STRICT } from './wasm.mjs';

const SANITIZE = ['-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];

function program(output, source, flags, libraries = []) {
  return whenChanged({
    name: basename(output),
    inputs: ['wasm'],
    recipe: [...flags, ...libraries].join(' '),
    outputs: [output],
    make: () =>
      writeWhole(output, (path) =>
        must(`${source} did not compile.`, 'gcc', [
          ...STRICT,
          ...flags,
          source,
          '-o',
          path,
          ...libraries,
        ]),
      ),
  });
}

/** The host reads files and a clock, which plain C11 does not have. */
const HOST = ['-D_POSIX_C_SOURCE=200809L'];

/** The headless host, fast and with sanitizers: build/busyard-native and build/busyard-native-asan. */
export async function buildNative() {
  await generate();
  await Promise.all([
    program('build/busyard-native', 'wasm/host/native.c', [...HOST, '-O2']),
    program('build/busyard-native-asan', 'wasm/host/native.c', [...HOST, '-O1', ...SANITIZE]),
  ]);
}

/** What a cmocka program printed, as counts. A test that started and never ended OK has failed. */
function count({ code, output }) {
  const lines = (pattern) => output.match(pattern)?.length ?? 0;
  const passed = lines(/^\[ {7}OK \]/gm);
  const skipped = lines(/^\[ {2}SKIPPED \]/gm);
  const failed = lines(/^\[ RUN {6}\]/gm) - passed - skipped;
  return { passed, failed: code !== 0 ? Math.max(failed, 1) : failed };
}

/** Builds and runs one program of tests. */
async function testOne(source) {
  const binary = `build/tests/${basename(source, '.c')}`;
  try {
    await program(binary, source, ['-O0', ...SANITIZE], ['-lcmocka']); // they run for less than their compiling takes
    const ran = await run(binary, []);
    const counts = count(ran);
    return { ...counts, output: counts.failed > 0 ? `${source}\n${ran.output}` : '' };
  } catch (error) {
    if (!(error instanceof Sentence)) throw error;
    return { passed: 0, failed: 1, output: `${error.message}\n` };
  }
}

/** Builds and runs every unit test in C, as many at once as there are cores; resolves to counts and what failed. */
export async function testNative() {
  await generate();
  const left = filesUnder('wasm').filter((path) => path.endsWith('_test.c'));
  const result = { passed: 0, failed: 0, output: '' };
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

await whenStarted(import.meta.url, async ([what]) => {
  if (what !== 'test') return buildNative();
  const { passed, failed, output } = await testNative();
  console.log(`${output}${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
