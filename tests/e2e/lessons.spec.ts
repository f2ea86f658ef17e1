import { expect, type Page, test } from '@playwright/test';

/** The time at the needle, as the transport shows it: "60 µs". */
const timeNow = async (page: Page): Promise<string> =>
  (await page.locator('[data-readout="time"]').textContent()) ?? '';

/** The machine stands at the needle, and its run is recorded to the end. */
async function ready(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Play' })).toBeEnabled();
  await expect(page.getByRole('slider', { name: 'Time' })).toHaveAttribute('aria-busy', 'false');
  await expect(page.locator('[data-hash]')).toHaveAttribute('data-hash', /^[0-9a-f]{16}$/);
}

async function openFromGallery(page: Page, title: string): Promise<void> {
  await page.getByRole('link', { name: title }).first().click();
  await expect(page).toHaveURL(/#\/(machine|lab)\//);
  await ready(page);
}

test('a scenario opens at its own beginning, whatever was looked at before', async ({ page }) => {
  await page.goto('./#/machine/hp/at-work');
  await ready(page);
  await page.keyboard.press('End');
  await expect.poll(() => timeNow(page)).toContain('400');
  await page.locator('#machine').getByRole('button', { name: 'Memory', exact: true }).click();
  await page.evaluate(() => {
    location.hash = '#';
  });
  await openFromGallery(page, 'Stale data, outbound');
  await expect.poll(() => timeNow(page)).toMatch(/^0\D/);
  expect(page.url()).not.toContain('t=');
  await expect(page.locator('#inspector h3', { hasText: 'Whole machine' })).toBeVisible();
});
