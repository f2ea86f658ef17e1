/** How people come back to their work: by the address, the back button, the gallery, another visit. */
import { readFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { banner, edit, isKept, openRun, putRecords, recent, shows, toGallery } from './work';

const OTHER = './#/machine/gt/one-word';

// Several pages one after another, each with its own engine.
test.setTimeout(180_000);

test('a chosen run is restored after a reload, is in the address, and can be undone', async ({
  page,
  context,
}) => {
  const rewritten = (of: Page) => of.getByRole('combobox', { name: 'way of reading' });
  await page.goto('./#/machine/gt/gfixit?way=rewritten');
  await expect(rewritten(page)).toHaveValue('1');
  await expect(page).toHaveURL(/[?&]s=/);
  await page.reload();
  await expect(rewritten(page)).toHaveValue('1');
  await expect(page).toHaveURL(/[?&]s=/);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(rewritten(other)).toHaveValue('1');
  await other.close();
  await rewritten(page).selectOption('0');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(rewritten(page)).toHaveValue('1');
});

test('work whose changes were all undone is not offered again', async ({ page, context }) => {
  await openRun(page);
  await edit(page, '150');
  await isKept(page);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await isKept(page);
  const next = await context.newPage();
  await openRun(next);
  await expect(banner(next)).toHaveCount(0);
  await toGallery(next);
  await expect(next.getByText('Change anything in a run')).toBeVisible();
  await expect(recent(next)).toHaveCount(0);
});

test.describe('returning to an edited run', () => {
  test('shows the edit, by the back button and from the gallery, and offers it on another visit', async ({
    page,
    context,
  }) => {
    await openRun(page);
    await edit(page, '150');
    await page.goto(OTHER);
    await expect(page.locator('header h1')).toContainText('word');
    await page.goBack();
    await shows(page, '150');
    await page.goForward();
    await expect(page.locator('header h1')).toContainText('word');
    await toGallery(page);
    await page
      .getByRole('region', { name: 'PIO or DMA' })
      .getByRole('link', { name: /Batch the small reads/ })
      .click();
    await expect(page.getByText('Your earlier changes are active')).toBeVisible();
    await shows(page, '150');
    await isKept(page);
    const next = await context.newPage();
    await openRun(next);
    await expect(banner(next)).toContainText('You worked on this before.');
    await next.getByRole('button', { name: 'Resume' }).click();
    await shows(next, '150');
    await expect(banner(next)).toHaveCount(0);
  });
});

test('the address bar transfers the edit to another browser', async ({ page, browser }) => {
  await openRun(page);
  await edit(page, '150');
  await expect(page).toHaveURL(/#\/machine\/gt\/gfixit\?.*s=/);
  const context = await browser.newContext();
  const elsewhere = await context.newPage();
  await elsewhere.goto(page.url());
  await shows(elsewhere, '150');
  await expect(elsewhere).toHaveURL(/#\/machine\/gt\/gfixit\?.*s=/);
  await edit(elsewhere, '160');
  await elsewhere.reload();
  await shows(elsewhere, '160');
  await context.close();
});

test('bookmarks survive a reload and are in the session file', async ({ page }) => {
  await page.goto('./#/machine/gt/gfixit?t=8330000');
  await expect(page.locator('[data-readout="time"] b')).toHaveText(/8.33/);
  await page.keyboard.press('b');
  const flags = page.locator('#overview g text');
  await expect(flags).toHaveText(['1']);
  await page.reload();
  await expect(flags).toHaveText(['1']);
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /^Save as session file(?! with)/ }).click();
  const file = readFileSync(await (await download).path(), 'utf8');
  expect(JSON.parse(file)).toMatchObject({ bookmarks: [8_330_000] });
});

test.describe('recent work', () => {
  const document = (change: object) =>
    JSON.stringify({
      ...{ busyard_session: 1, scenario: { id: 'gt/crossover' }, edits: {}, commands: [] },
      ...{ seed: null, variables: {}, cursor: { events: 0 }, view: {}, measured: null },
      ...{ layout: '00000000', hash: null },
      ...change,
    });

  const BAD: readonly (readonly [title: string, text: string, sentence: RegExp])[] = [
    ['Of tomorrow', document({ busyard_session: 2 }), /format version "2"/],
    ['Cut in two', '{ "busyard_session": 1, "scen', /cannot be opened/],
    ['Of a scenario gone', document({ scenario: { id: 'gt/gone' } }), /gt\/gone/],
    ['Of a parameter gone', document({ edits: { 'cpu.gone': '1 us' } }), /cpu\.gone/],
  ];

  test('that cannot be opened gives the reason and its text; the gallery stays open', async ({
    page,
  }) => {
    await page.goto('./');
    const at = Date.now();
    await putRecords(page, {
      ...Object.fromEntries(
        BAD.map(([title, text], index) => [title, { title, text, savedAt: at - index }]),
      ),
      odd: { title: { of: 'a strange kind' }, savedAt: 1e300, text: 7 },
      nothing: null,
    });
    await page.reload();
    await page.getByRole('button', { name: 'All sessions' }).click();
    for (const [title, text, sentence] of BAD) {
      await page.getByRole('button', { name: new RegExp(`^${title}`) }).click();
      await expect(banner(page)).toContainText(`“${title}” cannot be opened`);
      await expect(banner(page)).toContainText(sentence);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save its text as a file' }).click();
      expect(readFileSync(await (await download).path(), 'utf8')).toBe(text);
      await expect(
        page.getByRole('heading', { name: /Your program saved the file/ }),
      ).toBeVisible();
    }
    await page
      .getByRole('button', { name: /^Untitled session/ })
      .first()
      .click();
    await expect(banner(page)).toContainText('“Untitled session” cannot be opened');
  });

  test('is all kept, and deleted work can be restored', async ({ page }) => {
    await page.goto('./');
    const records = Array.from({ length: 43 }, (_, index) => [
      `id${index}`,
      { title: `Work ${index}`, text: document({}), savedAt: Date.now() - index * 1000 },
    ]);
    await putRecords(page, Object.fromEntries(records));
    await page.reload();
    await expect(page.getByText('All 43 are kept until you delete them.')).toBeVisible();
    await page.getByRole('button', { name: 'Delete the oldest 3' }).click();
    await expect(banner(page)).toContainText('3 sessions were deleted');
    await expect(page.getByText('until you delete them')).toHaveCount(0);
    await page.getByRole('button', { name: 'Restore them' }).click();
    await expect(page.getByText('All 43 are kept until you delete them.')).toBeVisible();
    await page.getByRole('button', { name: 'Delete Work 0' }).click();
    await expect(page.getByRole('button', { name: /^Work 0/ })).toHaveCount(0);
    await page.getByRole('button', { name: 'Restore it' }).click();
    await expect(page.getByRole('button', { name: /^Work 0/ })).toHaveCount(1);
  });
});
