/**
 * A name of a manifest or protocol is declared once, and the engine's code takes its number from there. So swapping
 * two names in a copy changes what the engine does or records, or the copy is refused.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAbi } from '../scripts/generate/abi.mjs';
import { layoutHeader } from '../scripts/generate/layout.mjs';
import { readManifests } from '../scripts/generate/manifests.mjs';
import { protocolsHeader, readProtocols } from '../scripts/generate/protocols.mjs';
import { readRegisters } from '../scripts/generate/registers.mjs';
import { filesUnder } from '../scripts/lib.mjs';
import { STRICT } from '../scripts/wasm.mjs';
import { runNative } from './support/native';
import { compiled, scenarioAt } from './support/scenarios';

const upper = (text: string) => text.toUpperCase();
const code = (path: string) =>
  readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

/** Hand-written code of the engine: neither tests nor generated files. */
const sources = filesUnder('wasm').filter(
  (path) => /\.[ch]$/.test(path) && !/_test\.c$|^wasm\/(test|gen)\//.test(path),
);
const wordsOf = (paths: readonly string[]) =>
  new Set(paths.flatMap((path) => code(path).match(/\w+/g) ?? []));
const words = wordsOf(sources);

interface Named {
  readonly name: string;
}

function read(root: string) {
  const [abi, registers, protocols] = [readAbi(root), readRegisters(root), readProtocols(root)];
  return { protocols, parts: readManifests(root, abi, registers, protocols) };
}

const { protocols, parts } = read('.');

/**
 * Names whose numbers the generator makes of others: times of states, operations of services, what a protocol counts,
 * what
 * hosts share. Nothing uses the states of the memory without coherence, which the layout hash counts.
 */
const isDerived = (part: Named, key: string, name: string) =>
  (part.name === 'processor' && (/^in_/.test(name) || key === 'op')) ||
  (part.name === 'runway' && key === 'counters') ||
  (part.name === 'memory' && key === 'state') ||
  key === 'invariant';

/** Names of a list that no code of the part, nor any by its whole name, spells. */
function unspelled(part: (typeof parts)[number], key: string, names: readonly string[]) {
  const folder = `wasm/${part.code.replace(/[^/]*$/, '')}`;
  const own = wordsOf(sources.filter((path) => path.startsWith(folder)));
  const manifest = readFileSync(`${folder}${part.name}.json`, 'utf8');
  const prefix = upper(`${part.name}_${key === 'events' ? 'ev' : key}_`);
  return names.filter(
    (name) =>
      !words.has(`${prefix}${upper(name)}`) &&
      !own.has(upper(name)) &&
      !(['counters', 'params'].includes(key) && words.has(name)) &&
      !manifest.includes(`"set": "${name}"`) &&
      !isDerived(part, key, name),
  );
}

const lists = parts.flatMap((part) => [
  ...(['events', 'counters', 'params'] as const).map(
    (key) => [part, key as string, part[key].map(({ name }: Named) => name)] as const,
  ),
  ...Object.entries(part.enums as Record<string, readonly Named[]>)
    .filter(([key]) => !(key in part.ofProtocol))
    .map(([key, members]) => [part, key, members.map(({ name }) => name)] as const),
]);

test('of each list of a manifest all names but one are spelled in code: none is known by its position alone', () => {
  const found = lists.flatMap(([part, key, names]) => {
    const missing = unspelled(part, key, names);
    // A track shows the state that an event of the manifest sets, and is idle otherwise.
    return missing.length > 1 ? [`${part.name}.${key}: ${missing.join(' ')}`] : [];
  });
  expect(found).toEqual([]);
});

test('the values of a protocol are spelled as it declares them', () => {
  const found = protocols.flatMap(({ name, enums }: Named & { enums: Record<string, Named[]> }) =>
    Object.entries(enums).flatMap(([key, members]) => {
      const missing = members.filter((one) => !words.has(upper(`${name}_${key}_${one.name}`)));
      return missing.length > 1 ? [`${name}.${key}`] : [];
    }),
  );
  expect(found).toEqual([]);
});

test('the constants of a protocol are used by code', () => {
  const found = protocols.flatMap(({ name, constants }: Named & { constants: Named[] }) =>
    constants.filter((one) => !words.has(upper(`${name}_${one.name}`))),
  );
  expect(found).toEqual([]);
});

test.each(['src/draw/machine/responses.ts', 'src/model/sandbox/step-film.ts'])(
  '%s names every transaction of Runway that caches snoop',
  (path) => {
    const named = wordsOf([path]);
    const runway = protocols.find(({ name }: Named) => name === 'runway');
    const snooped = (runway?.enums.type ?? []).filter(
      (one: { coherent?: boolean }) => one.coherent,
    );
    expect(snooped.length).toBeGreaterThan(0);
    expect(snooped.filter(({ name }: Named) => !named.has(name))).toEqual([]);
  },
);

describe('in a copy', () => {
  let copy = '';
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'busyard-'));
    for (const folder of ['wasm', 'scripts', 'src/base'])
      cpSync(folder, join(copy, folder), { recursive: true });
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  /** The code generated from the copy with two names of a file swapped; null if it is refused. */
  function swapped<T>(file: string, one: string, other: string, make: () => T): T | null {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    const names: Record<string, string> = { [one]: other, [other]: one };
    const changed = text.replaceAll(/"name": "(\w+)"/g, (whole, name: string) =>
      `"name": "${names[name] ?? name}"`.replace(/^$/, whole),
    );
    expect(changed).not.toBe(text);
    writeFileSync(path, changed);
    try {
      return make();
    } catch {
      return null;
    } finally {
      writeFileSync(path, text);
    }
  }

  const header = () => {
    const now = read(copy);
    return `${layoutHeader(now.parts, '0')}${protocolsHeader(now.protocols)}`;
  };

  const cases = [
    ...parts.flatMap((part) => {
      const file = `wasm/${part.code.replace(/\.c$/, '.json')}`;
      const [first, second] = part.events as readonly Named[];
      return first && second ? [[file, first.name, second.name] as const] : [];
    }),
    ...protocols.flatMap(({ name, enums }: Named & { enums: Record<string, Named[]> }) =>
      Object.values(enums).flatMap(([first, second]) =>
        first && second && name !== 'cache'
          ? [[`wasm/protocols/${name}.json`, first.name, second.name] as const]
          : [],
      ),
    ),
  ];

  test('swapped names change the numbers that code is compiled with, or are rejected', () => {
    const before = header();
    const same = cases.filter(([file, one, other]) => swapped(file, one, other, header) === before);
    expect(same).toEqual([]);
  });

  test('with flush and purge swapped the same session ends in another state', async () => {
    const build = () => {
      const run = (command: string, args: readonly string[]) => {
        const { status, stderr } = spawnSync(command, args, { cwd: copy, encoding: 'utf8' });
        expect(status, stderr).toBe(0);
      };
      run(process.execPath, ['scripts/generate.mjs']);
      const host = ['-D_POSIX_C_SOURCE=200809L', '-O0', 'wasm/host/native.c', '-o', 'swapped'];
      run('gcc', [...STRICT, ...host]);
      return join(copy, 'swapped');
    };
    const program = swapped('wasm/protocols/runway.json', 'flush', 'purge', build);
    const { config } = compiled(scenarioAt('scenarios/hp/flush-and-sync.json'));
    if (program === null) throw new Error('The swapped names were rejected.');
    const { hash } = await runNative(config, { program });
    expect(hash).not.toBe((await runNative(config)).hash);
  }, 120_000);
});
