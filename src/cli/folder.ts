/** Scenario files in folders. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folders that hold no scenarios of their own: machines are parts of them. */
const LEFT_OUT = ['machines', 'node_modules'];

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function scenariosIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return LEFT_OUT.includes(entry.name) || entry.name.startsWith('.') ? [] : scenariosIn(path);
      if (!entry.isFile() || !entry.name.endsWith('.json')) return [];
      return /"busyard(_session)?"\s*:/.test(readFileSync(path, 'utf8')) ? [path] : [];
    });
}

/** The paths, each folder replaced by the scenarios and sessions in it; each file once. */
export const withFolders = (paths: readonly string[]): string[] => {
  const files = paths.flatMap((path) => (isFolder(path) ? scenariosIn(path) : [path]));
  return [...new Map(files.map((file) => [resolve(file), file])).values()];
};
