/**
 * A small allocator, service and protocol are added to a copy of the engine as new files, without editing any other.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MACHINES } from '../scripts/machines.mjs';
import { STRICT } from '../scripts/wasm.mjs';

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The engine, and the compiler of its tests' machines. */
const COPIED = ['wasm', 'scripts', 'scenarios/machines', 'src/base', 'src/engine', 'src/model'];

/** Replaces the pooled library in a machine's text by another allocator. */
function lendFrom(path: string, type: string): void {
  const text = readFileSync(path, 'utf8');
  const other = text.replace(
    /"pools": \{ "type": "iommu_map".*\},\n/,
    `"pools": { "type": "${type}" },\n`,
  );
  expect(other).not.toBe(text);
  writeFileSync(path, other);
}

test.each([
  ['allocator', 'os/lifo', 'serves the mapping services of the HP machine'],
  ['service', 'os/stamper', 'has operations and times of its own, and calls the mapping service'],
  [
    'protocol',
    'parts/other/echoer',
    'joins two parts by it, and a part that calls back is stopped',
  ],
])(
  '%s: %s %s',
  (kind, folder) => {
    const copy = mkdtempSync(join(tmpdir(), 'busyard-'));
    const run = (program: string, args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: copy, encoding: 'utf8' });
      expect(status, `${program}\n${stdout}${stderr}`).toBe(0);
    };
    try {
      for (const folder of COPIED) cpSync(here(folder), join(copy, folder), { recursive: true });
      symlinkSync(here('node_modules'), join(copy, 'node_modules'));
      const into = kind === 'protocol' ? 'wasm' : `wasm/${folder}`;
      cpSync(here(`tests/data/${kind}`), join(copy, into), { recursive: true });
      if (kind === 'allocator') lendFrom(join(copy, 'wasm/test/machines/hp-agents.json'), 'lifo');
      run(process.execPath, ['scripts/generate.mjs']);
      run(process.execPath, ['scripts/machines.mjs']);
      const test = `${basename(folder)}_test`;
      const whole = [
        '-DSIM_ASSERTS',
        '-D_POSIX_C_SOURCE=200809L',
        '-O0',
        `-I${dirname(MACHINES)}`,
        '-include',
        'test/testing.c',
      ];
      run('gcc', [...STRICT, ...whole, `wasm/${folder}/${test}.c`, '-o', test, '-lcmocka']);
      run(join(copy, test), []);
    } finally {
      rmSync(copy, { recursive: true });
    }
  },
  120_000,
);
