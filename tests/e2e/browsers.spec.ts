/** Unsupported browsers get a message; supported ones understand the syntax of all built scripts. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parse } from 'acorn';
import { expectAccessibleOnLoad } from './accessible';

/**
 * The newest ECMAScript edition that all browsers of `browserslist` understand: Safari 17.0 lacks later
 * syntax.
 */
const EDITION = 2022;

const OLDEST = (
  JSON.parse(readFileSync('package.json', 'utf8')) as { browserslist: string[] }
).browserslist.map((entry) => entry.replace(' >= ', ' '));

const LACKING: readonly (readonly [what: string, remove: string])[] = [
  ['WebAssembly', 'delete globalThis.WebAssembly'],
  ['workers', 'delete globalThis.Worker'],
  ['JavaScript modules', 'delete HTMLScriptElement.prototype.noModule'],
  ['JavaScript as of 2023 (ES2023)', 'delete Array.prototype.toSorted'],
  ['ResizeObserver', 'delete globalThis.ResizeObserver'],
  ['the Popover API', 'delete HTMLElement.prototype.showPopover'],
  ['CompressionStream', 'delete globalThis.CompressionStream'],
];

for (const [what, remove] of LACKING)
  test(`a browser without ${what} gets a message`, async ({ page }) => {
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.addInitScript(remove);
    await page.goto('./#/machine/gt/one-word');
    const notice = page.getByRole('alert');
    await expect(notice).toContainText(
      `This browser lacks ${what}, or its settings switch it off.`,
    );
    for (const browser of OLDEST) await expect(notice).toContainText(new RegExp(browser, 'i'));
    await page.waitForLoadState('networkidle');
    await expect(page.locator('#root')).toHaveCount(0);
    expect(errors).toEqual([]);
  });

test('several missing features are named together, accessibly', async ({ page }) => {
  await page.addInitScript('delete globalThis.WebAssembly; delete globalThis.Worker');
  await page.goto('./');
  await expect(page.getByRole('alert')).toContainText(
    'This browser lacks WebAssembly and workers, or its settings switch them off.',
  );
  await expectAccessibleOnLoad(page);
});

test('the check itself runs in browsers of any age', () => {
  for (const name of ['support.js'])
    expect(() => parse(readFileSync(`dist/${name}`, 'utf8'), { ecmaVersion: 5 })).not.toThrow();
});

test('all built scripts use the syntax of the supported browsers', () => {
  const scripts = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  expect(scripts.length).toBeGreaterThan(10);
  for (const name of scripts) {
    const text = readFileSync(`dist/${name}`, 'utf8');
    expect(() => parse(text, { ecmaVersion: EDITION, sourceType: 'module' }), name).not.toThrow();
  }
});
