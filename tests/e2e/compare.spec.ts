import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './accessible';

const ADDRESS = './#/compare/gt/crossover?a=7.0&b=7.1';

async function openComparison(page: Page, address = ADDRESS): Promise<void> {
  await uncover(page);
  await page.goto(address);
  await expect(page.getByRole('heading', { name: /^First divergence/ })).toBeVisible({
    timeout: 30_000,
  });
}

/** These tests are about the contents, but for the first. */
const uncover = (page: Page): Promise<unknown> =>
  page.addInitScript(() => localStorage.setItem('busyard.cover', 'off'));

test('a comparison waits for the answer to an open question, or until it is asked for', async ({
  page,
}) => {
  await page.goto('./#/compare/hp/five-ways');
  await expect(page.getByText('a comparison would show the answer')).toBeVisible();
  await expect(page.locator('#main canvas')).toHaveCount(0);
  await page.getByRole('button', { name: 'Just show me' }).click();
  await expect(page.locator('#main canvas')).toBeVisible({ timeout: 30_000 });
});

const readout = (page: Page) => page.locator('[data-readout="both"]');

/** The common time after a key that changes it. */
async function timeAfter(page: Page, key: string): Promise<string> {
  const before = (await readout(page).textContent()) ?? '';
  await page.keyboard.press(key);
  await expect(readout(page)).not.toHaveText(before);
  return (await readout(page).textContent()) ?? '';
}

test('two runs share one time axis and step together, and the page shows where they diverge', async ({
  page,
}) => {
  await openComparison(page);
  await expect(page.getByText(/^CPU begins a PIO write of 512\u00a0B\. At .*µs\.$/)).toBeVisible();
  await expect(page.getByText('CPU begins a DMA write of 512\u00a0B.')).toBeVisible();
  await expect(page.getByText(/^A ends .* earlier\.$/)).toBeVisible();
  await expect(page.getByRole('row', { name: /CPU: stores .* only in A/ })).toBeVisible();
  await expectAccessible(page);
  await expect(readout(page)).toHaveText(/^0\s/);
  await timeAfter(page, 'ArrowRight');
  const second = await timeAfter(page, 'ArrowRight');
  await timeAfter(page, 'ArrowRight');
  expect(await timeAfter(page, 'ArrowLeft')).toBe(second);
  await timeAfter(page, 'End');
  expect(await timeAfter(page, 'Home')).toMatch(/^0\s/);
});

test('a run does not diverge from itself', async ({ page }) => {
  await openComparison(page, './#/compare/gt/crossover?a=3.0&b=3.0');
  await expect(page.getByText('Nowhere: every event is the same, to the end.')).toBeVisible();
  await expect(page.getByText('Both are the same run.')).toBeVisible();
});

test('an edited machine beside the published one shows the changes', async ({ page }) => {
  await uncover(page);
  await page.goto('./#/machine/gt/crossover');
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  await page.locator('#machine').getByRole('button', { name: 'Host bridge' }).click();
  await page
    .locator('#inspector')
    .getByRole('slider', { name: 'Posting buffer', exact: true })
    .focus();
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('menuitem', { name: 'With the machine as published' }).click();
  await expect(page.getByRole('heading', { name: /^First divergence/ })).toBeVisible({
    timeout: 30_000,
  });
  await expect(page.getByRole('row', { name: 'Host bridge: posting buffer 8 7' })).toBeVisible();
});
