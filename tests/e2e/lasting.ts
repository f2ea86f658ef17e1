/**
 * A page shared by the tests of a file: opening it costs several times as much as navigating in it. Each test
 * starts in the gallery. For tests that leave no edit, answer or other run behind; after a failure the next
 * test gets a new page.
 */
import { test as alone, expect, type Page } from '@playwright/test';

const WIDE = { width: 1440, height: 900 };

interface Held {
  page: Page | null;
  file: string;
}

/** Returns to the gallery, where no panel keeps a selection of the test. */
async function leave(page: Page): Promise<void> {
  await page.setViewportSize(WIDE);
  await page.mouse.move(0, 0);
  await page.goto('./#/');
  await expect(page.locator('header h1')).toHaveText('Gallery');
  await expect(page.getByRole('heading', { name: /How data gets/ })).toBeVisible();
  const kept = await page.evaluate(
    () =>
      new Promise<number>((told, failed) => {
        const request = indexedDB.open('busyard');
        request.onerror = failed;
        request.onupgradeneeded = () => request.result.createObjectStore('sessions');
        request.onsuccess = () => {
          const counting = request.result.transaction('sessions').objectStore('sessions').count();
          counting.onsuccess = () => {
            request.result.close();
            told(counting.result);
          };
        };
      }),
  );
  expect(kept, 'no work was kept').toBe(0);
}

export const test = alone.extend<object, { held: Held }>({
  held: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright's way to request no fixtures
    async ({}, use) => {
      const held: Held = { page: null, file: '' };
      await use(held);
      await held.page?.context().close();
    },
    { scope: 'worker' },
  ],
  page: async ({ held, browser }, use, info) => {
    if (held.file !== info.file) {
      await held.page?.context().close();
      held.page = null;
    }
    held.file = info.file;
    held.page ??= await (await browser.newContext({ viewport: WIDE })).newPage();
    const { page } = held;
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
    await use(page);
    if (info.status === info.expectedStatus) return leave(page);
    await page.context().close();
    held.page = null;
  },
});
