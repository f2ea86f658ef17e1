/** Checks the page with axe in both themes. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** All rules in the light theme; in the dark one only contrast, the rule that can differ. */
export async function expectAccessible(page: Page, inside: readonly string[] = []): Promise<void> {
  // Passing nodes need no description, which takes most of the time. Nothing here is in a cross-origin frame,
  // for which the other mode opens a page each time.
  const quick = () =>
    new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const all = () => inside.reduce((axe, selector) => axe.include(selector), quick());
  const contrast = () => all().withRules(['color-contrast']);
  for (const [theme, rules] of [
    ['dark', contrast],
    ['light', all],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    const { violations } = await rules().analyze();
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]);
    expect(found, theme).toEqual([]);
  }
}
