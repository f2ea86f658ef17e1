import { readFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './accessible';
import { atRest } from './work';

/** Half a minute on a quiet machine with two cores; the duration is not asserted. */
const ALL_RUN = { timeout: 600_000 };
test.setTimeout(700_000);

/** The figures written by the command line or a test in Node. */
const FIGURES = readFileSync('docs/figures.md', 'utf8');

/** Opens the report and waits until every scenario has been run. */
async function openReport(page: Page): Promise<void> {
  await page.goto('./#/report');
  await expect(page.getByText(/built by the same engine/)).toBeVisible(ALL_RUN);
}

/** Running everything takes longest, so that the tests share one page. */
test.describe.configure({ mode: 'serial' });
let page: Page;
test.beforeAll(async ({ browser }) => {
  test.setTimeout(700_000); // the file's timeout does not apply to hooks
  page = await (await browser.newContext()).newPage();
  await openReport(page);
});
test.afterAll(() => page.context().close());

test('gives the reasons of rows without a prediction and of missed rows, and when tolerances were chosen', async () => {
  const values = page.getByRole('region', { name: 'Values' });
  await expect(values.getByText('structural: The size of the table is an input.')).toBeVisible();
  await expect(values.getByText(/^missed: One store is under way at a time/)).toBeVisible();
  await expect(values.getByText(/^more than a third of PIO write throughput/)).toBeVisible();
  await expect(values.getByRole('row', { name: /writing, K200 .*MB/ })).toContainText(
    '25\u00a0% after',
  );
});

test('states its limits, and which engine produced the numbers', async () => {
  const summary = page.getByRole('complementary', { name: 'Summary' });
  await expect(summary.getByText('Not claimed')).toBeVisible();
  await expect(summary.getByText(/engine layout [0-9a-f]{8}/)).toBeVisible();
  await expect(summary.getByText(/digest [0-9a-f]{8}/)).toBeVisible();
});

test('has no accessibility violations', async () => {
  await expectAccessible(page);
});

test('saves its rows as CSV and JUnit', async () => {
  const save = async (name: string) => {
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name, exact: true }).click();
    const file = await (await waiting).path();
    return readFileSync(file, 'utf8');
  };
  expect(await save('CSV')).toMatch(/^figure,scenario,published/);
  expect(await save('JUnit')).toContain('<testsuite name="gt/crossover"');
});

test('has the values of the same engine without a browser', async () => {
  const [, elsewhere] = /digest of all values: ([0-9a-f]{8})/.exec(FIGURES) ?? [];
  await expect(page.getByText(`digest ${elsewhere}`)).toBeVisible();
});

test('counts predictions of the rows that it shows', async () => {
  const summary = page.getByRole('complementary', { name: 'Summary' });
  const sentence = (await summary.getByText(/held-out values land inside/).textContent()) ?? '';
  const [, inside, all, outside] =
    /(\d+) of (\d+) held-out values .*\. (\d+) are outside/.exec(sentence) ?? [];
  await page.getByRole('button', { name: 'Unfold the tables' }).click();
  const rows = page.locator('[data-role="held-out"]');
  await expect(rows).toHaveCount(Number(all));
  expect(await rows.filter({ hasText: 'missed' }).count()).toBe(Number(outside));
  expect(Number(inside) + Number(outside)).toBe(Number(all));
  for (const [role, title] of [
    ['calibrated', 'calibrated'],
    ['structural', 'structural'],
  ]) {
    const count = await page.locator(`td [data-role="${role}"]`).count();
    await expect(summary.getByText(`${count} ${title}`)).toBeVisible();
  }
});

test('opens the run behind a value', async () => {
  await page.getByRole('button', { name: 'DMA write, 1 KiB' }).click();
  await expect(page).toHaveURL(/#\/machine\/gt\/crossover/);
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  await expect(page.getByLabel('method')).toContainText('DMA write');
  await expect(page.getByLabel('transfer size').locator('option:checked')).toHaveText('1 KiB');
});

test('can be repeated, pauses while another view is open, and can be stopped', async () => {
  await page.goto('./#/report');
  await page.getByRole('button', { name: 'Run all again' }).click();
  await expect(page.getByText('digest follows')).toBeVisible();
  await page.goto('./#/glossary');
  await expect(page.locator('header h1')).toHaveText('Glossary');
  await atRest(page);
  await page.goBack();
  await expect(page.getByText('digest follows')).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('button', { name: 'Run all again' })).toBeEnabled();
});
