// The byte budget of the first load: the JavaScript that the page needs before any lazy part (with the
// engine's worker), all that the gallery's first picture needs, and the engine. Prints the figures; exit
// code 1 when one is too large.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root, runIfMain, UserError } from './lib.mjs';

// All five systems with their checkers are in the engine.
const LIMITS = { JavaScript: 200, gallery: 410, engine: 140 };

const zipped = (name) =>
  gzipSync(readFileSync(join(root, 'dist/assets', name)), { level: 9 }).length;

const assets = () => readdirSync(join(root, 'dist/assets'));

/** The entry and its static imports (Vite lists them all in the page). */
function entryScripts() {
  const html = readFileSync(join(root, 'dist/index.html'), 'utf8');
  return [...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map((match) => match[1]);
}

/** Scripts and all that they import at once. */
function withImports(names, found = new Set()) {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const text = readFileSync(join(root, 'dist/assets', name), 'utf8');
    const imports = text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g);
    withImports(
      [...imports].map((match) => match[1]),
      found,
    );
  }
  return [...found];
}

const named = (pattern) => assets().filter((name) => pattern.test(name));

export function budget() {
  const files = {
    // Other workers start when a person asks for their work.
    JavaScript: [...entryScripts(), ...named(/^worker-[^/]*\.js$/)],
    gallery: withImports([...entryScripts(), ...named(/^Gallery-[^/]*\.js$/)]),
    engine: named(/^core-[^/]*\.wasm$/),
  };
  const rows = Object.entries(files).map(([what, names]) => {
    const bytes = names.map(zipped).reduce((sum, size) => sum + size, 0);
    return { what, kilobytes: bytes / 1000, limit: LIMITS[what], found: names.length > 0 };
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
