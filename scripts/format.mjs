// `npm run format` rewrites C and everything that Biome formats. `npm test` checks the same in its stages `clang-format`
// and `biome`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, must, root, runIfMain, tool } from './lib.mjs';

/** C that people write; wasm/gen is generated. */
const isFormattedC = (path) => /^wasm\/(?!gen\/).*\.[ch]$/.test(path);

/** The C files among `paths` that differ from what .clang-format asks for, with the text it asks for. */
export async function misformatted(paths = filesUnder('wasm')) {
  // The set-up installs the package; a test run imports this file before that.
  const { format } = await import('@wasm-fmt/clang-format');
  const style = readFileSync(join(root, '.clang-format'), 'utf8');
  return paths.filter(isFormattedC).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const formatted = format(text, path, style);
    return formatted === text ? [] : [{ path, formatted }];
  });
}

await runIfMain(import.meta.url, async () => {
  for (const { path, formatted } of await misformatted()) {
    writeFileSync(join(root, path), formatted);
    console.log(path);
  }
  await must(
    'Biome found mistakes.',
    process.execPath,
    tool('@biomejs/biome/bin/biome', 'check', '--write', '.'),
  );
});
