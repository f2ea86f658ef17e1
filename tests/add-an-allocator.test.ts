/** An allocator is added in one folder, with nothing edited elsewhere: a small one, in a copy of the engine. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { STRICT } from '../scripts/wasm.mjs';

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

test('a part with the port of an allocator serves the services of the HP machine', () => {
  const copy = mkdtempSync(join(tmpdir(), 'busyard-'));
  const run = (program: string, args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: copy, encoding: 'utf8' });
    expect(status, `${program}\n${stdout}${stderr}`).toBe(0);
  };
  try {
    for (const folder of ['wasm', 'scripts', 'src/base'])
      cpSync(here(folder), join(copy, folder), { recursive: true });
    mkdirSync(join(copy, 'wasm/os/lifo'));
    cpSync(here('tests/data/allocator'), join(copy, 'wasm/os/lifo'), { recursive: true });
    run(process.execPath, ['scripts/generate.mjs']);
    run('gcc', [...STRICT, '-O0', 'wasm/os/lifo/lifo_test.c', '-o', 'lifo_test', '-lcmocka']);
    run(join(copy, 'lifo_test'), []);
  } finally {
    rmSync(copy, { recursive: true });
  }
}, 120_000);
