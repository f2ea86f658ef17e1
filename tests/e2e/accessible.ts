/** Checks the page with axe in both themes. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const THEMES = ['dark', 'light'] as const;

/** All rules in the light theme; in the dark one only contrast, the rule that can differ. */
async function expectNoViolation(
  page: Page,
  theme: (typeof THEMES)[number],
  inside: readonly string[],
): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
  // The script of axe is half a megabyte: a page that has it does not load it again.
  const isLoaded = await page.evaluate(() => 'axe' in window);
  const axe = new AxeBuilder(isLoaded ? { page, axeSource: ';' } : { page });
  // Passing nodes need no description, which takes most of the time. Nothing here is in a cross-origin frame,
  // for which the other mode opens a page each time.
  const quick = axe.setLegacyMode().options({ resultTypes: ['violations'] });
  const all = inside.reduce((builder, selector) => builder.include(selector), quick);
  const rules = theme === 'dark' ? all.withRules(['color-contrast']) : all;
  const { violations } = await rules.analyze();
  const found = violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]);
  expect(found, theme).toEqual([]);
}

export async function expectAccessible(page: Page, inside: readonly string[] = []): Promise<void> {
  // Playwright cannot change the theme in Firefox, and the rules do not depend on the browser.
  if (page.context().browser()?.browserType().name() === 'firefox') return;
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await expectNoViolation(page, theme, inside);
  }
}

/** The same for a page that follows the theme only when it is loaded. */
export async function expectAccessibleOnLoad(page: Page): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await page.reload();
    await expectNoViolation(page, theme, []);
  }
}
