// The engine of another revision, built from its own tree in a folder of its own.
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must, root, run, UserError } from '../scripts/lib.mjs';

/**
 * The whole name of a revision.
 * @throws {Sentence} when there is none
 */
export async function commitOf(revision) {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const { code, output } = await run('git', asked);
  if (code !== 0) throw new UserError(`"${revision}" is no revision of this repository.`);
  return output.trim();
}

/** A folder with the tree of a commit and its engine, to be removed when it has served. */
export async function checkOut(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'busyard-against-'));
  const archive = join(folder, 'tree.tar');
  await must('The revision could not be read.', 'git', ['archive', '-o', archive, commit]);
  await must('The revision could not be unpacked.', 'tar', ['-xf', archive, '-C', folder]);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const script of ['wasm', 'native']) {
    const path = join(folder, `scripts/${script}.mjs`);
    await must(`The engine of ${commit} could not be built.`, process.execPath, [path]);
  }
  return folder;
}
