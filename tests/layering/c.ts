/**
 * The layers of wasm/: core knows no part, a part knows itself and core, a check knows what it checks, and
 * only host/ meets the outside world. One file at a time: its #include lines, and words that have no place in the engine.
 */
import { posix } from 'node:path';

const SYSTEM_HEADERS = ['stdint.h', 'stddef.h', 'stdbool.h', 'string.h', 'limits.h'];

/** No heap, no clock, no chance, no floating point, no console: a run must repeat bit for bit. */
const BANNED =
  /\b(malloc|calloc|realloc|free|time|clock|rand|srand|random|\w*printf|puts|fopen)\s*\(|\b(float|double)\b/;

/** The folder that a file belongs to: "core", "parts/bus", ... */
function zoneOf(path: string): string {
  const [, zone = '', part = ''] = path.split('/');
  return zone === 'parts' || zone === 'os' ? `${zone}/${part}` : zone;
}

function mayInclude(path: string, file: string): boolean {
  const from = zoneOf(path);
  const to = zoneOf(file);
  if (from === 'host' || from === 'gen' || from === to) return true;
  if (from === 'include') return false;
  if (from === 'check') return to !== 'host';
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
  return mayInclude(path, file) ? null : `${zoneOf(path)} must not know ${zoneOf(file)}`;
}

/** Sentences, each with path and line. `known` are the paths of all C files of the engine. */
export function problemsOfC(path: string, text: string, known: ReadonlySet<string>): string[] {
  if (path.endsWith('_test.c') || zoneOf(path) === 'gen') return [];
  const outside = zoneOf(path) === 'host';
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
