/**
 * A page shared by the tests of a file: opening it costs several times as much as navigating in it. Each test
 * starts in the gallery. For tests that leave no edit, answer or other run behind; after a failure the next
 * test gets a new page.
 */
import { test as alone, expect, type Page } from '@playwright/test';

const WIDE = { width: 1440, height: 900 };

interface SharedPage {
  page: Page | null;
  file: string;
}

/** Returns to the gallery, where no panel keeps a selection of the test. */
async function leave(page: Page): Promise<void> {
  await page.setViewportSize(WIDE);
  await page.mouse.move(0, 0);
  await page.goto('./#/');
  await expect(page.locator('header h1')).toHaveText('Gallery');
  await expect(page.getByRole('heading', { name: /Your program saved the file/ })).toBeVisible();
  const kept = await page.evaluate(
    () =>
      new Promise<number>((resolve, failed) => {
        const request = indexedDB.open('busyard');
        request.onerror = failed;
        request.onupgradeneeded = () => request.result.createObjectStore('sessions');
        request.onsuccess = () => {
          const counting = request.result.transaction('sessions').objectStore('sessions').count();
          counting.onsuccess = () => {
            request.result.close();
            resolve(counting.result);
          };
        };
      }),
  );
  expect(kept, 'no work was kept').toBe(0);
}

export const test = alone.extend<object, { shared: SharedPage }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright's way to request no fixtures
    async ({}, use) => {
      const shared: SharedPage = { page: null, file: '' };
      await use(shared);
      await shared.page?.context().close();
    },
    { scope: 'worker' },
  ],
  page: async ({ shared, browser }, use, info) => {
    if (shared.file !== info.file) {
      await shared.page?.context().close();
      shared.page = null;
    }
    shared.file = info.file;
    shared.page ??= await (await browser.newContext({ viewport: WIDE })).newPage();
    const { page } = shared;
    await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' });
    await use(page);
    if (info.status === info.expectedStatus) return leave(page);
    await page.context().close();
    shared.page = null;
  },
});
