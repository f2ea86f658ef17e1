/** An allocator or a service is added in one folder, with nothing edited elsewhere: a small one, in a copy of the engine. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { STRICT } from '../scripts/wasm.mjs';

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

test.each([
  ['allocator', 'lifo', 'serves the mapping services of the HP machine'],
  ['service', 'stamper', 'has operations and times of its own, and calls the mapping service'],
])(
  '%s: %s %s',
  (kind, name) => {
    const copy = mkdtempSync(join(tmpdir(), 'busyard-'));
    const run = (program: string, args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: copy, encoding: 'utf8' });
      expect(status, `${program}\n${stdout}${stderr}`).toBe(0);
    };
    try {
      for (const folder of ['wasm', 'scripts', 'src/base'])
        cpSync(here(folder), join(copy, folder), { recursive: true });
      cpSync(here(`tests/data/${kind}`), join(copy, 'wasm/os', name), { recursive: true });
      run(process.execPath, ['scripts/generate.mjs']);
      const test = `${name}_test`;
      run('gcc', [...STRICT, '-O0', `wasm/os/${name}/${test}.c`, '-o', test, '-lcmocka']);
      run(join(copy, test), []);
    } finally {
      rmSync(copy, { recursive: true });
    }
  },
  120_000,
);
