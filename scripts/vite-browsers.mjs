// The oldest supported browsers: `browserslist` in package.json. The build target and the message of
// public/support.js are derived from it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib.mjs';

const NAMES = { chrome: 'Chrome', edge: 'Edge', firefox: 'Firefox', safari: 'Safari' };

const oldest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).browserslist.map(
  (entry) => {
    const [, name, version] = entry.match(/^(\w+) >= ([\d.]+)$/) ?? [];
    if (!(name in NAMES))
      throw new Error(`"${entry}" of browserslist is not "<browser> >= <version>".`);
    return { name, version };
  },
);

/** In Vite's format. */
export const target = oldest.map(({ name, version }) => name + version);

const words = oldest.map(({ name, version }) => `${NAMES[name]} ${version}`);

export function browsers() {
  return {
    name: 'browsers',
    transformIndexHtml: (html) =>
      html.replace(
        '<div id="root">',
        `<div id="root" data-browsers="${words.slice(0, -1).join(', ')} and ${words.at(-1)}, and in newer ones">`,
      ),
  };
}
