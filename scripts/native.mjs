// Makes the native programs with gcc: the engine's command-line host, and the unit tests, one program per
// wasm/**/*_test.c.
//
//     node scripts/native.mjs test [PATH]   runs the tests, or those with this in their path
//     node scripts/native.mjs sanitized     makes the host with sanitizers
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  buildIfStale,
  filesUnder,
  must,
  root,
  run,
  runIfMain,
  UserError,
  writeAtomically,
} from './lib.mjs';
import { buildMachines, MACHINES } from './machines.mjs';
import { engineSources, generate, STRICT } from './wasm.mjs';

/** Checking builds: for undefined behaviour, and for the rule of re-entrancy (wasm/core/reentrancy.h). */
const SANITIZE = ['-DSIM_ASSERTS', '-g1', '-fsanitize=address,undefined'];
const STOPS = ['-fno-sanitize-recover=all'];

const gcc = (source, path, args) =>
  must(`${source} did not compile.`, 'gcc', [...STRICT, source, '-o', path, ...args]);

/** Compiles `output` from a source and the engine, unless it is up to date. */
const made = (output, source, args, make = (path) => gcc(source, path, args), more = []) =>
  buildIfStale({
    name: basename(output),
    inputs: [...engineSources(), source, ...more],
    recipe: args.join(' '),
    outputs: [output],
    make: () => writeAtomically(output, make),
  });

/** The host reads files and a clock, which plain C11 does not have. */
const HOST = ['-D_POSIX_C_SOURCE=200809L'];

/** The headless host: build/busyard-native. */
export async function buildNative() {
  await generate();
  await made('build/busyard-native', 'wasm/host/native.c', [...HOST, '-O2']);
}

/** The same with sanitizers: build/busyard-native-asan. */
async function buildSanitized() {
  await generate();
  await made('build/busyard-native-asan', 'wasm/host/native.c', [
    ...HOST,
    '-O1',
    ...SANITIZE,
    ...STOPS,
  ]);
}

const ENGINE = 'build/tests/engine.o';

/** The same for sources that include machines (scripts/machines.mjs). */
const madeTest = (output, source, args, make) => made(output, source, args, make, [MACHINES]);

/**
 * Unit tests also detect accesses beyond an array of the engine (wasm/core/load.c). Some return from signals, which
 * plain C11 does not have.
 */
export const CHECKED = [
  ...SANITIZE,
  '-DSIM_FENCES',
  '-D_POSIX_C_SOURCE=200809L',
  `-I${dirname(MACHINES)}`,
];

/** With g, a test compiles only what it calls, and explorations take half the time. */
const COMPILE = ['-Og', ...CHECKED, ...STOPS, '-c'];

/**
 * For the tests' own code: half of its compile time was checks of pointers, whose use the address sanitizer notices
 * too. The engine that tests are linked with has all checks.
 */
const FEWER_CHECKS = [
  '-fno-sanitize=null,alignment,object-size,pointer-overflow',
  '--param=asan-instrumentation-with-call-threshold=0',
];
const COMPILE_TEST = [...COMPILE, ...FEWER_CHECKS];

/** The engine with sanitizers and what tests share, compiled once. */
const testedEngine = () => madeTest(ENGINE, 'wasm/test/testing.c', COMPILE);

const HEADER = 'build/tests/header.h';

/**
 * What every test includes, precompiled. As a system header: what a test does not use of it is no reason for a
 * warning. (A pragma for this is not part of what is precompiled.)
 */
async function testedHeader() {
  const path = `${HEADER}.gch`;
  const args = [
    ...COMPILE_TEST,
    '-isystem',
    'wasm',
    '-isystem',
    'wasm/include',
    '-isystem',
    'wasm/gen',
  ];
  await buildIfStale({
    name: basename(path),
    inputs: engineSources(),
    recipe: args.join(' '),
    outputs: [path],
    make: async () => {
      await writeAtomically(HEADER, (to) =>
        writeFileSync(join(root, to), '#include "test/testing.h"\n'),
      );
      await writeAtomically(path, (to) =>
        must('wasm/test/testing.h did not compile.', 'gcc', [
          ...STRICT,
          ...args,
          '-x',
          'c-header',
          HEADER,
          '-o',
          to,
        ]),
      );
    },
  });
}

/** What tests are linked with; for engine code that a test includes itself, its own copy is used. */
export const TEST_LINKS = ['-Wl,-z,muldefs', '-lcmocka'];

/** What a cmocka program printed, as counts. A test that started and never ended OK has failed. */
function count({ code, output }) {
  const lines = (pattern) => output.match(pattern)?.length ?? 0;
  const passed = lines(/^\[ {7}OK \]/gm);
  const skipped = lines(/^\[ {2}SKIPPED \]/gm);
  const failed = lines(/^\[ RUN {6}\]/gm) - passed - skipped;
  return { passed, failed: code !== 0 ? Math.max(failed, 1) : failed };
}

/** A module entry point includes the whole engine. */
const bringsEngine = (source) =>
  readFileSync(join(root, source), 'utf8').includes('#include "test/testing.c"');

/** The program name for a source: files of the same name exist in several folders. */
export const programOf = (source) => source.replace(/^wasm\/|\.c$/g, '').replaceAll('/', '-');

/**
 * Compiles a test program, in parallel with the engine. Optimising an included engine takes longer than its
 * tests.
 */
async function buildTest(source, header, engine) {
  const binary = `build/tests/${programOf(source)}`;
  if (bringsEngine(source)) {
    await madeTest(binary, source, ['-O0', ...CHECKED, ...STOPS, ...FEWER_CHECKS, ...TEST_LINKS]);
    return binary;
  }
  await madeTest(binary, source, [...COMPILE_TEST, ENGINE, ...TEST_LINKS], async (path) => {
    await header;
    await gcc(source, `${path}.o`, [...COMPILE_TEST, '-include', HEADER, '-Winvalid-pch']);
    await engine;
    const objects = [`${path}.o`, ENGINE];
    await must(`${source} was not linked.`, 'gcc', [
      ...objects,
      '-o',
      path,
      ...SANITIZE,
      ...TEST_LINKS,
    ]);
    rmSync(join(root, `${path}.o`));
  });
  return binary;
}

/** Builds and runs one test program. */
async function testOne(source, header, engine) {
  try {
    const ran = await run(await buildTest(source, header, engine), []);
    const counts = count(ran);
    return { ...counts, output: counts.failed > 0 ? `${source}\n${ran.output}` : '' };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { passed: 0, failed: 1, output: `${error.message}\n` };
  }
}

/** Builds and runs the C unit tests, or some of them, in parallel on all cores; resolves to counts and failures. */
export async function testNative(isWanted = () => true) {
  await generate();
  await buildMachines();
  const all = filesUnder('wasm').filter((path) => path.endsWith('_test.c') && isWanted(path));
  // Longest first, so that no core waits for it at the end.
  const left = [...all.filter(bringsEngine), ...all.filter((path) => !bringsEngine(path))];
  const result = { passed: 0, failed: 0, output: '' };
  if (left.length === 0) return result;
  const engine = testedEngine();
  const header = testedHeader();
  const work = async () => {
    for (let source = left.shift(); source; source = left.shift()) {
      const { passed, failed, output } = await testOne(source, header, engine);
      result.passed += passed;
      result.failed += failed;
      result.output += output;
    }
  };
  await Promise.all([header, engine, ...Array.from({ length: availableParallelism() }, work)]);
  return result;
}

await runIfMain(import.meta.url, async ([what, part = '']) => {
  if (what === 'sanitized') return buildSanitized();
  if (what !== 'test') return buildNative();
  const { passed, failed, output } = await testNative((path) => path.includes(part));
  console.log(`${output}${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
