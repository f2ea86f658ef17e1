// The byte budget of the first load: the JavaScript that the page needs before any lazy part (with the
// worker), and the engine. Prints the figures; exit code 1 when one is too large.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root, runIfMain, UserError } from './lib.mjs';

// All five systems with their checkers are in the engine.
const LIMITS = { JavaScript: 200, engine: 140 };

const zipped = (path) => gzipSync(readFileSync(join(root, 'dist', path)), { level: 9 }).length;

/** The entry and its static imports (Vite lists them all in the page), and the worker's script. */
function firstLoadScripts() {
  const html = readFileSync(join(root, 'dist/index.html'), 'utf8');
  const inPage = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map((match) => match[1]);
  const workers = assets().filter((path) => /worker[^/]*\.js$/i.test(path));
  return [...new Set([...inPage, ...workers])];
}

const assets = () => readdirSync(join(root, 'dist/assets')).map((name) => `assets/${name}`);

export function budget() {
  const files = {
    JavaScript: firstLoadScripts(),
    engine: assets().filter((path) => /core[^/]*\.wasm$/.test(path)),
  };
  const rows = Object.entries(files).map(([what, paths]) => {
    const bytes = paths.map(zipped).reduce((sum, size) => sum + size, 0);
    return { what, kilobytes: bytes / 1000, limit: LIMITS[what], found: paths.length > 0 };
  });
  const output = rows
    .map(({ what, kilobytes, limit }) => `${what}: ${kilobytes.toFixed(1)} kB gzip of ${limit} kB`)
    .join('; ');
  return { ok: rows.every((row) => row.found && row.kilobytes <= row.limit), output };
}

await runIfMain(import.meta.url, () => {
  const { ok, output } = budget();
  if (!ok)
    throw new UserError(`The first load is over its budget, or a file is missing: ${output}`);
  console.log(output);
});
