// Makes build/core.wasm: the whole engine as one standalone module, no JavaScript glue.
import { must, whenChanged, whenStarted, writeWhole } from './lib.mjs';

const INCLUDES = ['-Iwasm', '-Iwasm/include', '-Iwasm/gen'];
export const STRICT = ['-std=c11', '-Wall', '-Wextra', '-Werror', ...INCLUDES];

// Memory grows only while a machine is loaded. The stack lies below the globals, so that an overflow
// traps instead of overwriting them. Unrolled loops made the engine 2 kB larger to load and no faster.
const FLAGS = [
  ...STRICT,
  '-O3',
  '-fno-unroll-loops',
  '-g2',
  '-sSTANDALONE_WASM',
  '--no-entry',
  '-sINITIAL_MEMORY=1MB',
  '-sALLOW_MEMORY_GROWTH',
  '-sTOTAL_STACK=256KB',
  '-Wl,--stack-first',
];

/** Writes the C headers and the TypeScript constants that follow from the parts' manifests. */
export const generate = () =>
  must('The manifests could not be turned into code.', process.execPath, ['scripts/generate.mjs']);

/** Resolves to true when the module had to be built anew. */
export async function buildWasm() {
  await generate();
  return whenChanged({
    name: 'wasm',
    inputs: ['wasm'],
    recipe: FLAGS.join(' '),
    outputs: ['build/core.wasm'],
    make: () =>
      writeWhole('build/core.wasm', (path) =>
        must('The engine did not compile.', 'emcc', [...FLAGS, 'wasm/host/wasm.c', '-o', path]),
      ),
  });
}

await whenStarted(import.meta.url, buildWasm);
