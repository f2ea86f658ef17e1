/**
 * The layers of wasm/: core knows no part, a part knows itself and core, verify knows what it checks, test/ knows
 * all, and only host/ and test/ meet the outside world. By each file's #include lines, by the names it uses (all is
 * compiled as one, so a name
 * may be in sight without an #include), and by words that have no place in the engine.
 */
import { posix } from 'node:path';

const SYSTEM_HEADERS = ['stdint.h', 'stddef.h', 'stdbool.h', 'string.h', 'limits.h'];

/** No heap, no clock, no chance, no floating point, no console: a run must repeat bit for bit. */
const BANNED =
  /\b(malloc|calloc|realloc|free|time|clock|rand|srand|random|\w*printf|puts|fopen)\s*\(|\b(float|double)\b/;

/** What a file belongs to: "core", or the folder of its part, such as "parts/bus/pci" or "os/kernel". */
function zoneOf(path: string): string {
  const [, zone = ''] = path.split('/');
  return zone === 'parts' || zone === 'os' ? posix.dirname(path).slice('wasm/'.length) : zone;
}

function mayKnow(from: string, to: string): boolean {
  if (from === 'host' || from === 'gen' || from === to) return true;
  if (from === 'include') return false;
  if (from === 'test') return true;
  if (from === 'verify') return to !== 'host' && to !== 'test';
  return to === 'include' || to === 'gen' || (from !== 'core' && to === 'core');
}

/** Blanks comments and, unless it is an #include, the insides of strings; lines keep their numbers. */
function bare(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/^(?!\s*#\s*include).*$/gm, (line) => line.replace(/"(\\.|[^"\\])*"/g, '""'));
}

function includeProblem(path: string, wanted: string, known: ReadonlySet<string>): string | null {
  const roots = [posix.dirname(path), 'wasm', 'wasm/include', 'wasm/gen'];
  const files = roots.map((root) => posix.normalize(posix.join(root, wanted)));
  const file = files.find((candidate) => known.has(candidate)) ?? files[1] ?? wanted;
  const [from, to] = [zoneOf(path), zoneOf(file)];
  // The face of the engine is written around what it shares with its hosts.
  if (from === 'include' && file === 'wasm/gen/abi.h') return null;
  return mayKnow(from, to) ? null : `${from} must not know ${to}`;
}

const isTest = (path: string) => path.endsWith('_test.c');

/**
 * Functions and macros by the folder that defines them: those of parts and verify with a prefix, which no local name
 * has.
 */
export function symbolsOf(files: readonly (readonly [path: string, text: string])[]) {
  const symbols = new Map<string, string>();
  for (const [path, text] of files) {
    if (isTest(path) || !/^(parts|os|verify)/.test(zoneOf(path))) continue;
    for (const [, name, macro] of bare(text).matchAll(
      /^(?:[a-z]\w* |SIM_\w+ |\*)+\*?(\w+)\s*\([^;\n]*$|^#\s*define\s+(\w+)/gm,
    ))
      if (/^(?!sim_|__)[a-z]+_/i.test(name ?? macro ?? ''))
        symbols.set(name ?? macro ?? '', zoneOf(path));
  }
  return symbols;
}

/** Uses of names from a folder that this file must not know, by whatever way they became visible. */
export function symbolProblemsOfC(
  path: string,
  text: string,
  symbols: ReadonlyMap<string, string>,
): string[] {
  const from = zoneOf(path);
  if (isTest(path) || from === 'gen') return [];
  const foreign = (name: string) => {
    const to = symbols.get(name);
    return to !== undefined && !mayKnow(from, to) ? to : undefined;
  };
  return bare(text)
    .split('\n')
    .flatMap((line, i) =>
      [...line.matchAll(/(?<![.\w]|->|struct )[A-Za-z_]\w*/g)].flatMap(([name]) => {
        const to = foreign(name);
        return to ? [`${path}:${i + 1}: uses ${name}: ${from} must not know ${to}`] : [];
      }),
    );
}

/** Sentences, each with path and line. `known` are the paths of all C files of the engine. */
export function problemsOfC(path: string, text: string, known: ReadonlySet<string>): string[] {
  if (isTest(path) || zoneOf(path) === 'gen') return [];
  const outside = ['host', 'test'].includes(zoneOf(path));
  const problems: string[] = [];
  bare(text)
    .split('\n')
    .forEach((line, i) => {
      const report = (problem: string) => problems.push(`${path}:${i + 1}: ${problem}`);
      const own = line.match(/#\s*include\s*"([^"]+)"/)?.[1];
      const system = line.match(/#\s*include\s*<([^>]+)>/)?.[1];
      const problem = own && includeProblem(path, own, known);
      if (problem) report(`includes ${own}: ${problem}`);
      if (outside) return;
      if (system && !SYSTEM_HEADERS.includes(system)) {
        report(`includes <${system}>: only host/ meets the outside world`);
      }
      const banned = line.match(BANNED)?.[0];
      if (banned) report(`${banned}: not in the engine, where a run must repeat bit for bit`);
    });
  return problems;
}
