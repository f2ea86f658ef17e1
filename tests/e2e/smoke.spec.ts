import { expect, test } from '@playwright/test';
import { atRest } from './work';

test('the page opens, and the console stays free of errors', async ({ page }) => {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto('./');
  await expect(page).toHaveTitle(/Busyard/);
  await expect(page.locator('#root')).not.toBeEmpty();
  await atRest(page);
  expect(errors).toEqual([]);
});
