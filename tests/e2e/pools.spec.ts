import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';

/** The run of one lock, with the needle where CPUs have been queueing for a while. */
const ADDRESS = './#/lab/pools/one-lock-or-sixteen?t=2000000000';

async function openLab(page: Page): Promise<void> {
  await page.goto(ADDRESS);
  await expect(page.locator('#pool-search')).toContainText('The search starts at', {
    timeout: 20_000,
  });
}

const bitmap = (page: Page) =>
  page.getByRole('group', { name: /^Bitmap: arrow keys move the lens/ });

/** Rows of the table that says what the picture shows. */
async function poolsInText(page: Page): Promise<number> {
  const panel = page.locator('#pool-bitmap');
  await panel.getByRole('button', { name: 'Show as text' }).click();
  const rows = await panel.getByRole('table').getByRole('rowheader').count();
  await panel.getByRole('button', { name: 'Show as picture' }).click();
  return rows;
}

async function sixteenPools(page: Page): Promise<void> {
  const bar = page
    .locator('#pool-results')
    .getByRole('button', { name: /^16 pools, call outside/ });
  await bar.focus();
  await page.keyboard.press('Enter');
}

test.describe('the lab of pools', () => {
  test('shows map, search and wait at the needle, and says nothing in the console', async ({
    page,
  }) => {
    const said: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') said.push(message.text());
    });
    await openLab(page);
    await expect(bitmap(page)).toBeVisible();
    await expect(page.locator('#pool-waits')).toContainText(/Why (has|did) CPU \d+ wait/);
    await expect(page.locator('#pool-waits')).toContainText('the lock of pool 0');
    await expect(page.locator('#crossover-chart')).toHaveCount(0);
    expect(said).toEqual([]);
  });

  test('opens the run of a bar by key: other pools, another map', async ({ page }) => {
    await openLab(page);
    expect(await poolsInText(page)).toBe(1);
    await sixteenPools(page);
    await expect.poll(() => poolsInText(page)).toBe(16);
  });

  test('moves the lens by keys, and lets it follow the search again', async ({ page }) => {
    await openLab(page);
    await bitmap(page).focus();
    await page.keyboard.press('ArrowRight');
    const follow = page.getByRole('button', { name: 'Follow the search' });
    await expect(follow).toBeVisible();
    await follow.click();
    await expect(follow).toBeHidden();
  });

  test('zooms to single entries and back', async ({ page }) => {
    await openLab(page);
    await bitmap(page).focus();
    const whole = page.getByRole('button', { name: 'Whole pools' });
    for (let i = 0; i < 3; i++) await page.keyboard.press('w');
    await expect(whole).toBeVisible();
    await whole.click();
    await expect(whole).toBeHidden();
  });

  test('goes to the time of a reason', async ({ page }) => {
    await openLab(page);
    const reason = page.locator('#pool-waits').getByRole('button').last();
    const time = await reason.locator('time').innerText();
    await reason.click();
    const needle = page.locator('[data-readout="time"]');
    await expect
      .poll(async () => (await needle.innerText()).replace(/\s/g, ''))
      .toBe(time.replace(/\s/g, ''));
  });

  test('tells the same in words', async ({ page }) => {
    await openLab(page);
    for (const id of ['pool-search', 'pool-results'])
      await page.locator(`#${id}`).getByRole('button', { name: 'Show as text' }).click();
    await expect(page.locator('#pool-search').getByRole('listitem').first()).toContainText(
      /^Words? /,
    );
    await expect(page.locator('#pool-results')).toContainText(/can be served by 1.pool\./);
  });

  for (const [name, width, height] of [
    ['a desk', 1440, 900],
    ['a phone', 390, 844],
  ] as const)
    test(`has no accessibility problems on ${name}`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.goto(ADDRESS);
      await expect(bitmap(page)).toBeVisible({ timeout: 20_000 });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations).toEqual([]);
    });
});
