// Programs that contain many mutants at once. Each is compiled once; a number set at start activates a
// mutant: natively by the environment, in a module by four bytes of its data.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildIfStale, filesUnder, must, root, run, UserError } from '../lib.mjs';
import { MACHINES } from '../machines.mjs';
import { CHECKED, programOf, TEST_LINKS } from '../native.mjs';
import { MODULE } from '../wasm.mjs';
import { instrumented, mutantsOf, mutated } from './operators.mjs';

/** BUSYARD_MUTATE selects another work folder. */
export const WORK = process.env.BUSYARD_MUTATE ?? 'build/mutate';
const TREE = `${WORK}/wasm`;
const PLAIN = `${WORK}/plain`;
const flags = (tree) => ['-std=c11', '-w', `-I${tree}`, `-I${tree}/include`, `-I${tree}/gen`];
const PRELUDE = ['-include', 'scripts/mutate/mutant.h'];
const UNSET = [0xed, 0x17, 0x5a, 0xeb];

/**
 * With the checks of the unit tests, but a test continues after a sanitizer's report, because a stronger
 * judge may detect more.
 */
const GOES_ON = [...CHECKED, '-fsanitize-recover=all'];

/** The mutated sources: the engine, its parts and checkers; not tests, their machines, or generated code. */
const LEFT_OUT = /^wasm\/gen\/|_test\.c$|^wasm\/test\/|^wasm\/host\/native\.c$/;
const sources = () =>
  filesUnder('wasm').filter((path) => /\.[ch]$/.test(path) && !LEFT_OUT.test(path));

const read = (path) => readFileSync(join(root, path), 'utf8');
export const allMutants = () => sources().flatMap((path) => mutantsOf(path, read(path)));

/**
 * Writes all of wasm/ to the work folder, unchanged and with these mutants: later changes of the tree have
 * no effect.
 */
function writeTree(mutants) {
  for (const tree of [TREE, `${PLAIN}/wasm`]) {
    rmSync(join(root, tree), { recursive: true, force: true });
    cpSync(join(root, 'wasm'), join(root, tree), { recursive: true });
  }
  const numberOf = new Map(mutants.map(({ id, number }) => [id, number]));
  for (const path of new Set(mutants.map((mutant) => mutant.path))) {
    writeFileSync(join(root, WORK, path), instrumented(path, read(path), numberOf));
  }
}

/** The translation unit that includes everything. */
const WHOLE = 'host/verify_wasm.c';

/** Numbers of mutants with compiler errors: the last one that begins before each error. */
export function culprits(output, textOf) {
  const found = new Set();
  for (const [, path, line, column] of output.matchAll(/^([^:\n]+):(\d+):(\d+): error/gm)) {
    const before = textOf(path).split('\n')[line - 1].slice(0, column);
    const number = [...before.matchAll(/SIM_ON\((\d+)\)/g)].at(-1)?.[1];
    if (number === undefined)
      throw new UserError(`${output}\nThe instrumented engine did not compile.`);
    found.add(Number(number));
  }
  return found;
}

/** The mutants that compile; some do not: a place that must be constant, a sum of two pointers. */
export async function valid(mutants) {
  let left = mutants.map((mutant, i) => ({ ...mutant, number: i + 1 }));
  for (;;) {
    writeTree(left);
    const { code, output } = await run('emcc', [
      ...[...flags(TREE), ...PRELUDE, '-DSIM_ASSERTS', '-fsyntax-only', '-ferror-limit=0'],
      `${TREE}/${WHOLE}`,
    ]);
    if (code === 0) return left;
    const bad = culprits(output, read);
    left = left.filter(({ number }) => !bad.has(number));
  }
}

export const HOST = `${WORK}/native`;
const MODULES = { core: 'host/wasm.c', checks: WHOLE };

/** Compiles a program of the tree, unless it exists. */
const compiled = (program, compiler, args) =>
  buildIfStale({
    name: `${basename(WORK)}-${basename(program)}`,
    inputs: [TREE, PRELUDE[1], MACHINES],
    recipe: args.join(' '),
    outputs: [program],
    make: () => must('The instrumented engine did not compile.', compiler, args),
  });

/** Compiles a source of the tree natively; resolves to the files that it includes. */
async function native(source, output, args) {
  await compiled(output, 'gcc', [
    ...[...flags(TREE), ...PRELUDE, '-O1', '-MMD', '-MF', `${output}.d`],
    ...[`${WORK}/${source}`, '-o', output, ...args],
  ]);
  const files = read(`${output}.d`).split(/[\s\\]+/);
  return files.map((path) => path.replace(`${WORK}/`, ''));
}

const SHARED = 'wasm/test/testing.c';
let shared = null;

/** The engine that tests link to, compiled once; tests that include engine code use their own copy of it. */
async function sharedEngine() {
  const object = `${WORK}/engine.o`;
  const library = `${WORK}/engine.a`;
  const files = await native(SHARED, object, [...GOES_ON, '-c']);
  await must('The library could not be written.', 'ar', ['rcs', library, object]);
  return { library, files };
}

/** C unit tests: the program, and the files compiled into it. */
async function nativeTest(source) {
  shared ??= sharedEngine();
  const { library, files } = await shared;
  const program = `${WORK}/${programOf(source)}`;
  const own = await native(source, program, [...GOES_ON, library, ...TEST_LINKS]);
  const links = own.includes('wasm/test/testing.h') && !own.includes(SHARED);
  return { program, files: new Set(links ? [...own, ...files] : own) };
}

/** The unit tests with the tree's mutants, each compiled on first use. */
export function unitTests() {
  const sources = filesUnder(TREE).filter((path) => path.endsWith('_test.c'));
  return sources.map((path) => {
    const source = path.replace(`${WORK}/`, '');
    let made = null;
    return {
      source,
      built: () => {
        made ??= nativeTest(source);
        return made;
      },
    };
  });
}

/** Compiles a module with the tree's mutants. */
export async function buildModule(name, level = '-O2') {
  const output = `${WORK}/all-${name}.wasm`;
  await compiled(output, 'emcc', [
    ...[...flags(TREE), ...PRELUDE, ...MODULE, level],
    ...[`${TREE}/${MODULES[name]}`, '-o', output],
  ]);
  return output;
}

/** Everything that TypeScript tests start: the modules, and the host. */
export async function buildAll() {
  for (const name of Object.keys(MODULES)) await buildModule(name);
  await native('wasm/host/native.c', HOST, ['-D_POSIX_C_SOURCE=200809L']);
}

/** Writes the modules with one mutant on, 0 for none, to a folder. */
export function writeModules(folder, number) {
  mkdirSync(join(root, folder), { recursive: true });
  for (const name of Object.keys(MODULES)) {
    const bytes = readFileSync(join(root, WORK, `all-${name}.wasm`));
    const at = bytes.indexOf(Buffer.from(UNSET));
    if (at < 0) throw new Error(`The number of the mutant is not in ${name}.wasm.`);
    bytes.writeUInt32LE(number, at);
    writeFileSync(join(root, folder, `${name}.wasm`), bytes);
  }
}

/** Coverage bytes of a run, one per mutant number. */
export const REACHED = 1 << 15;

/** Numbers of the mutants reached by native programs; resets the coverage. */
export function takeReached(file) {
  const found = new Set();
  if (!existsSync(file)) return found;
  const bytes = readFileSync(file);
  rmSync(file);
  for (let at = bytes.indexOf(1); at >= 0; at = bytes.indexOf(1, at + 1)) found.add(at % REACHED);
  return found;
}

let whole = null;
let last = Promise.resolve();

async function comparedCode(mutant) {
  whole ??= await objectCode(`${PLAIN}/wasm`);
  const place = join(root, PLAIN, mutant.path);
  const source = readFileSync(place, 'utf8');
  writeFileSync(place, mutated(source, mutant));
  const code = await objectCode(`${PLAIN}/wasm`);
  writeFileSync(place, source);
  return code.equals(whole);
}

/** Whether optimised object code is the same with and without the mutant: then no test can detect it. */
export function sameCode(mutant) {
  last = last.then(() => comparedCode(mutant));
  return last;
}

async function objectCode(tree) {
  const object = `${WORK}/plain.o`;
  await must('The engine did not compile.', 'emcc', [
    ...[...flags(tree), '-O2', '-c', '-o', object, `${tree}/${WHOLE}`],
  ]);
  return readFileSync(join(root, object));
}
