// Builds build/core.wasm, the engine as one standalone module without JavaScript glue, and
// build/checks.wasm, the same with all checkers.
import { buildIfStale, filesUnder, must, runIfMain, writeAtomically } from './lib.mjs';

const INCLUDES = ['-Iwasm', '-Iwasm/include', '-Iwasm/gen'];
const WARNED = ['-std=c11', '-Wall', '-Wextra', ...INCLUDES];
/** For tests only: a newer compiler can have more warnings, which must not prevent the page. */
export const STRICT = [...WARNED, '-Werror'];

// Memory grows only while a machine is loaded. The stack is below the globals, so that an overflow traps
// instead of overwriting them.
export const MODULE = [
  '-sSTANDALONE_WASM',
  '--no-entry',
  '-sINITIAL_MEMORY=1MB',
  '-sALLOW_MEMORY_GROWTH',
  '-sTOTAL_STACK=256KB',
  '-Wl,--stack-first',
];

// Loop unrolling made the engine larger and no faster, and so did inlining at -O3's limits (11 kB, most of
// it sim_trace). Functions that benefit are marked "inline", to which this threshold does not apply. The
// names of functions would be another 3 kB.
const INLINED = ['-mllvm', '-inline-threshold=60'];
const FLAGS = [...WARNED, '-O3', '-fno-unroll-loops', ...INLINED, ...MODULE];

/** Writes the C headers and TypeScript constants derived from the parts' manifests. */
export const generate = () =>
  must('The manifests could not be turned into code.', process.execPath, ['scripts/generate.mjs']);

/** All inputs of the engine: a changed test rebuilds nothing else. */
export const engineSources = () => filesUnder('wasm').filter((path) => !path.endsWith('_test.c'));

function module(name, source) {
  const output = `build/${name}.wasm`;
  return buildIfStale({
    name,
    inputs: engineSources(),
    recipe: FLAGS.join(' '),
    outputs: [output],
    make: () =>
      writeAtomically(output, (path) =>
        must('The engine did not compile.', 'emcc', [...FLAGS, source, '-o', path]),
      ),
  });
}

/** Resolves to true if a module had to be rebuilt. */
export async function buildWasm() {
  await generate();
  const built = await Promise.all([
    module('core', 'wasm/host/wasm.c'),
    module('checks', 'wasm/host/verify_wasm.c'),
  ]);
  return built.includes(true);
}

/** Fails if the modules' compiler reports a warning. */
export const warnOfWasm = () =>
  must('The compiler warns of the engine.', 'emcc', [
    ...STRICT,
    '-fsyntax-only',
    'wasm/host/wasm.c',
    'wasm/host/verify_wasm.c',
  ]);

await runIfMain(import.meta.url, buildWasm);
