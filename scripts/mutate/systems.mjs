// The scenarios that contain a part: the others need not run to detect a change of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, root } from '../lib.mjs';

const MACHINES = 'scenarios/machines/';

/** The texts of a system's scenarios, with the machines they extend. */
function textOf(system) {
  const open = filesUnder(`scenarios/${system}`).filter((path) => path.endsWith('.json'));
  const seen = new Set();
  let text = '';
  for (let path = open.pop(); path; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const own = readFileSync(join(root, path), 'utf8');
    text += own;
    for (const [, machine] of own.matchAll(/"extends":\s*"([^"]+)"/g)) {
      open.push(`${MACHINES}${machine}.json`);
    }
  }
  return text;
}

const paths = filesUnder('scenarios').filter((path) => !path.startsWith(MACHINES));
const texts = new Map(
  [...new Set(paths.map((path) => path.split('/')[1]))].map((name) => [name, textOf(name)]),
);

/** Systems without a part of this source; none if the source belongs to no part. */
export function systemsWithout(path) {
  const type = /^wasm\/(?:parts|os)\/(?:\w+\/)?(\w+)\/\w+\.[ch]$/.exec(path)?.[1];
  if (!type) return [];
  const has = new RegExp(`"type":\\s*"${type}"`);
  const without = [...texts].filter(([, text]) => !has.test(text)).map(([name]) => name);
  return without.length < texts.size ? without : [];
}

/** A pattern for the names of tests that remain when these systems are excluded. */
export const namesWithout = (systems) =>
  systems.length === 0 ? undefined : `^(?!.*\\b(${systems.join('|')})(/| ends in the recorded))`;
