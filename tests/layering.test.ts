import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesUnder } from '../scripts/lib.mjs';
import { problemsOfC, symbolProblemsOfC, symbolsOf } from './layering/c';
import { problemsOfSource, ringsOf } from './layering/typescript';

const LONGEST_FILE = 700;

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const sources = filesUnder('src').filter((path) => /\.(tsx?|m[tj]s)$/.test(path));
const engine = filesUnder('wasm').filter((path) => /\.[ch]$/.test(path));
const known = new Set(engine);

describe('the tree', () => {
  test('sources know only the layers below their own', () => {
    expect(sources.flatMap((path) => problemsOfSource(path, read(path)))).toEqual([]);
  });

  test('files, and folders of a layer, import one another in one direction', () => {
    const tree = sources.map((path) => [path, read(path)] as const);
    expect(ringsOf(tree)).toEqual({ files: [], folders: [] });
  });

  test('the engine in C includes only what its folder may include', () => {
    expect(engine.flatMap((path) => problemsOfC(path, read(path), known))).toEqual([]);
  });

  test('the engine in C uses only names that its folder may use', () => {
    const files = engine.map((path) => [path, read(path)] as const);
    const symbols = symbolsOf(files);
    expect(symbols.size).toBeGreaterThan(500);
    expect(files.flatMap(([path, text]) => symbolProblemsOfC(path, text, symbols))).toEqual([]);
  });

  test('no file is longer than the limit', () => {
    const written = [...filesUnder('src', 'wasm', 'tests', 'scripts')].filter(
      (path) => /\.(tsx?|m[tj]s|css|[ch])$/.test(path) && !path.includes('/gen/'),
    );
    const long = written
      .map((path) => `${path}: ${read(path).split('\n').length} lines`)
      .filter((line) => Number(line.match(/(\d+) lines$/)?.[1]) > LONGEST_FILE);
    expect(long).toEqual([]);
  });
});

describe('a source file is rejected if it', () => {
  test.each([
    ['imports a layer above', 'src/model/a.ts', "import { x } from '../draw/x';"],
    ['re-exports a layer above', 'src/engine/a.ts', "export * from '../model/x';"],
    ['imports a layer above lazily', 'src/base/a.ts', "const x = () => import('../app/x');"],
    ['takes in a layer above by pattern', 'src/draw/a.ts', "import.meta.glob('../panels/*/x.ts');"],
    [
      'starts a worker of a layer above',
      'src/base/a.ts',
      "new URL('../engine/w.ts', import.meta.url)",
    ],
    ['takes a type from a layer above', 'src/base/a.ts', "type X = import('../app/x').X;"],
    [
      'imports a higher floor of the model',
      'src/model/trace/a.ts',
      "import { x } from '../lab/x';",
    ],
    ['imports its own floor', 'src/model/report/a.ts', "import { x } from '../sandbox/x';"],
    ['is in a room without a floor', 'src/model/attic/a.ts', "import { x } from '../trace/x';"],
    ['imports another panel', 'src/panels/lab/a.ts', "import { x } from '../keys/x';"],
    ['is of the headless program and draws', 'src/cli/a.ts', "import { x } from '../draw/x';"],
    ['draws with React', 'src/draw/a.ts', "import { useState } from 'react';"],
    ['reaches for the page below widgets', 'src/draw/a.ts', "document.createElement('a');"],
    [
      'names a type of the page below widgets',
      'src/model/a.ts',
      'let x: HTMLElement | null = null;',
    ],
    ['needs Node in the page', 'src/widgets/a.ts', "import { x } from 'node:fs';"],
    ['takes in scripts', 'src/base/a.ts', "import { x } from '../../scripts/x.mjs';"],
  ])('%s', (_, path, text) => {
    expect(problemsOfSource(path, `\n${text}`)).toEqual([expect.stringContaining(`${path}:2: `)]);
  });

  test.each([
    ['src/app/a.tsx', "import.meta.glob('../panels/*/index.tsx');"],
    ['src/panels/lab/a.tsx', "import { x } from './x'; import { y } from '../../widgets/y';"],
    ['src/engine/a.ts', "import url from '../../build/core.wasm?url';"],
    ['src/model/a.ts', 'const location = 1; const x = { document: location }; x.document;'],
    ['src/cli/a.ts', "import { x } from 'node:fs';"],
    ['src/model/lab/a.ts', "import { x } from '../trace/x';"],
    ['src/model/trace/a.test.ts', "import { x } from '../lab/x';"],
    ['src/draw/a.ts', "import { scaleLog } from 'd3-scale';"],
  ])('but not %s with %s', (path, text) => {
    expect(problemsOfSource(path, text)).toEqual([]);
  });
});

test('folders that import one another are a ring, and those of two layers or of tests are none', () => {
  const use = (file: string) => `import { x } from '${file}';`;
  expect(
    ringsOf([
      ['src/draw/lab/a.ts', use('../run/b')],
      ['src/draw/run/b.ts', use('../axis')],
      ['src/draw/axis.ts', `${use('../base/x')} const y = () => import('./lab/a');`],
      ['src/base/x.test.ts', use('./y/z')],
      ['src/base/y/z.ts', use('../x')],
    ]).folders,
  ).toEqual(['src/draw/lab > src/draw/run > src/draw > src/draw/lab']);
});

test('files that import one another are a ring, also by a type or on demand', () => {
  expect(
    ringsOf([
      ['src/draw/a.tsx', "import type { X } from './b';"],
      ['src/draw/b.ts', "const x = () => import('./lab/c');"],
      ['src/draw/lab/c.ts', "export { x } from '../a';"],
      ['src/draw/lab/c.test.ts', "import { x } from './d';"],
      ['src/draw/lab/d.ts', "import { x } from './c';"],
    ]).files,
  ).toEqual(['src/draw/a > src/draw/b > src/draw/lab/c > src/draw/a']);
});

describe('a file of the engine is rejected if it', () => {
  const files = new Set([
    'wasm/parts/bus/pci/pci.h',
    'wasm/parts/cpu/cpu/cpu.h',
    'wasm/core/engine.h',
  ]);
  test.each([
    ['is core and knows a part', 'wasm/core/a.c', '#include "parts/bus/pci/pci.h"'],
    ['is a part and knows another', 'wasm/parts/cpu/cpu/a.c', '#include "../../bus/pci/pci.h"'],
    ['prints', 'wasm/core/a.c', '#include <stdio.h>'],
    ['takes memory from a heap', 'wasm/os/lock/a.c', 'void *p = malloc (4);'],
    ['asks for the time', 'wasm/parts/cpu/cpu/a.c', 'x = time(0);'],
    ['counts in floating point', 'wasm/verify/a.c', 'double x;'],
  ])('%s', (_, path, text) => {
    expect(problemsOfC(path, `\n${text}`, files)).toEqual([expect.stringContaining(`${path}:2: `)]);
  });

  test('uses a name of a part that it does not include', () => {
    const symbols = symbolsOf([
      ['wasm/parts/bus/pci/pci.c', 'static void pci_turn(sim *m) {\n}\n#define PCI_SLOTS 4\n'],
      ['wasm/core/run.c', 'static uint32_t sim_run(sim *m) {\n}\n'],
    ]);
    expect([...symbols.keys()]).toEqual(['pci_turn', 'PCI_SLOTS']);
    const text = 'x = sim_run(m);\npci_turn(m); y->pci_turn = z.PCI_SLOTS; // pci_turn';
    expect(symbolProblemsOfC('wasm/parts/cpu/cpu/a.c', text, symbols)).toEqual([
      expect.stringContaining('wasm/parts/cpu/cpu/a.c:2: uses pci_turn'),
    ]);
    expect(symbolProblemsOfC('wasm/host/a.c', text, symbols)).toEqual([]);
  });

  test.each([
    ['wasm/parts/cpu/cpu/a.c', '#include "cpu.h"\n#include "core/engine.h"\n#include <stdint.h>'],
    ['wasm/host/a.c', '#include <stdio.h>\n#include "parts/bus/pci/pci.h"'],
    ['wasm/core/a.c', '/* a double\n time( */ int x; // free(x)\nx = sim_time(m);'],
  ])('but not %s with %s', (path, text) => {
    expect(problemsOfC(path, text, files)).toEqual([]);
  });
});
