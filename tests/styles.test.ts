/** Every class name that a component takes from a CSS module is defined there, and every class of a module is used. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder } from '../scripts/lib.mjs';

const FILES: readonly string[] = filesUnder('src');
const read = (path: string) => readFileSync(path, 'utf8');

interface Uses {
  readonly names: Set<string>;
  /** A component picks a class by an expression, so that any may be used. */
  computed: boolean;
}

/** What components take from each CSS module. */
function usesOf(files: readonly string[]): Map<string, Uses> {
  const found = new Map<string, Uses>();
  for (const file of files.filter((path) => /\.tsx?$/.test(path))) {
    const text = read(file);
    for (const [, local = '', path = ''] of text.matchAll(
      /import (\w+) from '([^']+\.module\.css)'/g,
    )) {
      const module = posix.join(posix.dirname(file), path);
      const uses = found.get(module) ?? { names: new Set(), computed: false };
      for (const [, name = ''] of text.matchAll(new RegExp(`(?<!['/.\\w])${local}\\.(\\w+)`, 'g')))
        uses.names.add(name);
      uses.computed ||= text.includes(`${local}[`);
      found.set(module, uses);
    }
  }
  return found;
}

const classesOf = (css: string): Set<string> =>
  new Set(
    [
      ...css
        .replace(/\/\*[\s\S]*?\*\/|:global\([^)]*\)/g, '')
        .matchAll(/\.([a-zA-Z_][\w-]*)(?=[^;{}]*\{)/g),
    ].map(([, name = '']) => name),
  );

const USES = usesOf(FILES);
const MODULES = FILES.filter((path) => path.endsWith('.module.css'));

test('components use only classes that their CSS modules define', () => {
  const missing = [...USES].flatMap(([path, { names }]) => {
    const defined = classesOf(read(path));
    return [...names].filter((name) => !defined.has(name)).map((name) => `${path}: ${name}`);
  });
  expect(MODULES.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});

test('CSS modules define no class that nothing uses', () => {
  const unused = MODULES.flatMap((path) => {
    const { names, computed } = USES.get(path) ?? { names: new Set(), computed: false };
    const rest = computed ? [] : [...classesOf(read(path))].filter((name) => !names.has(name));
    return rest.map((name) => `${path}: ${name}`);
  });
  expect(unused).toEqual([]);
});
