/** The tests that `npm run test:fast` selects for a change. */
import { expect, test } from 'vitest';
import { importersOf, reached, withinBudget } from '../scripts/test-fast.mjs';

const FILES: Readonly<Record<string, string>> = {
  'src/base/a.ts': 'export const a = 1;',
  'src/model/b.ts': "import { a } from '../base/a';\nexport const b = a;",
  'src/model/c.ts': "import type { a } from '../base/a';\nexport const c = 1;",
  'src/app/panels.ts': "const all = import.meta.glob('../panels/*/index.tsx', { eager: true });",
  'src/panels/one/index.tsx': "export {\n  b,\n} from '../../model/b';",
  'src/panels/one/deep/index.tsx': 'export const d = 1;',
  'src/engine/workers.ts': "new Worker(new URL('./worker.ts', import.meta.url));",
  'src/engine/worker.ts': 'postMessage(1);',
  'src/base/a.test.ts': "import { a } from './a';",
  'src/model/b.test.ts': "const { b } = await import('./b');",
  'src/model/c.test.ts': "import { c } from './c';",
  'tests/page.test.tsx': "import { all } from '../src/app/panels';",
  'tests/worker.test.ts': "vi.mock('../src/engine/workers', () => ({}));",
};

const names = Object.keys(FILES);
const importers = importersOf(names, names, (path: string) => FILES[path] ?? '');

test.each([
  ['src/base/a.ts', ['src/base/a.test.ts', 'src/model/b.test.ts', 'tests/page.test.tsx']],
  ['src/model/c.ts', ['src/model/c.test.ts']],
  ['src/panels/one/index.tsx', ['tests/page.test.tsx']],
  ['src/panels/one/deep/index.tsx', []],
  ['src/engine/worker.ts', ['tests/worker.test.ts']],
  ['src/model/c.test.ts', ['src/model/c.test.ts']],
])('a change of %s reaches the tests that run it, the nearest first', (path, tests) => {
  expect(reached([path], importers)).toEqual(tests);
});

test('tests run until the budget is spent, and changed ones in any case', () => {
  const seconds: Readonly<Record<string, number>> = {
    near: 20,
    long: 90,
    far: 30,
    farther: 30,
    own: 50,
  };
  const chosen = withinBudget(
    Object.keys(seconds),
    (path: string) => seconds[path] ?? 0,
    (path: string) => path === 'own',
    60,
  );
  expect(chosen).toEqual(['near', 'far', 'own']);
});
