/** Command lines in tests, and a folder for their files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, vi } from 'vitest';
import { program } from '../../src/cli/program';

export const folder = mkdtempSync(join(tmpdir(), 'busyard-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file of the folder; its path. */
export function file(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line here and keeps what it writes. */
export async function busyard(...args: string[]): Promise<Ended> {
  let [out, err] = ['', ''];
  const keep = (add: (text: string) => void) => (text: string | Uint8Array) => {
    add(String(text));
    return true;
  };
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(
    keep((text) => {
      out += text;
    }),
  );
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(
    keep((text) => {
      err += text;
    }),
  );
  const code = await program(args);
  stdout.mockRestore();
  stderr.mockRestore();
  return { code, out, err };
}
