import { expect, type Page, test } from '@playwright/test';
import { Busyard } from 'busyard/playwright';

/** The time at the playhead, as the transport shows it: "60 µs". */
const timeNow = async (page: Page): Promise<string> =>
  (await page.locator('[data-readout="time"]').textContent()) ?? '';

const ready = (page: Page) => new Busyard(page).ready();

async function openFromGallery(page: Page, title: string): Promise<void> {
  await page.getByRole('link', { name: title }).first().click();
  await expect(page).toHaveURL(/#\/(machine|lab)\//);
  await ready(page);
}

test('a scenario opens at its own moment, whatever was shown before', async ({ page }) => {
  await page.goto('./#/machine/hp/at-work');
  await ready(page);
  await page.keyboard.press('End');
  await expect.poll(() => timeNow(page)).toBe('399.908µs');
  await page.locator('#machine').getByRole('button', { name: 'Memory', exact: true }).click();
  await page.evaluate(() => {
    location.hash = '#';
  });
  await openFromGallery(page, 'Stale data, outbound');
  await expect.poll(() => timeNow(page)).toBe('0.683µs');
  await expect(page).toHaveURL(/t=683333/);
  await expect(page.locator('#inspector h3', { hasText: 'Complete machine' })).toBeVisible();
});

test.describe('a question', () => {
  const TWO_STREAMS = './#/machine/hp/two-streams';

  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => document.activeElement?.closest('[data-sheet]')?.id ?? 'nothing');

  test('masks what it asks about until the run reaches the deciding event', async ({ page }) => {
    await page.goto(TWO_STREAMS);
    await ready(page);
    const lesson = page.locator('#lesson');
    const missRate = page.locator('#inspector tr', { hasText: 'miss rate' });
    await expect(missRate).toContainText('hidden');
    await expect(page.locator('#io-tlb')).toContainText('sealed until you answer');
    await expect(page.locator('#io-tlb')).not.toContainText('missed');
    await page.keyboard.press('End');
    // Before the rate of the misses tells the answer.
    await expect.poll(() => timeNow(page)).toContain('3.038');
    await expect(missRate).toContainText('hidden');
    await page.keyboard.press('Home');

    await lesson.getByLabel('Once for each page').check();
    await lesson.getByRole('button', { name: 'Break the seal' }).press('Enter');
    expect(await focused(page)).toBe('lesson');
    await expect(lesson.getByText('Which row does each address choose?')).toBeVisible();
    await lesson.getByLabel('Nearly always').check();
    await lesson.getByRole('button', { name: 'Try once more' }).press('Enter');
    await expect(lesson.getByText('what happened')).toBeVisible();
    await expect(lesson.locator('label[data-struck]')).toContainText('Once for each page');
    expect(await focused(page)).toBe('lesson');
    await expect.poll(() => timeNow(page)).not.toMatch(/^0\D/);
    await expect(page.locator('#inspector h3', { hasText: 'I/O adapter' })).toBeVisible();
    await expect(page.locator('#why h3')).toContainText('I/O adapter');
    await expect(page.locator('#io-tlb')).toContainText('missed');

    await page.keyboard.press('End');
    await expect.poll(() => timeNow(page)).toContain('731');
  });

  test('is answered by keyboard, stays answered, is asked again, and masks nothing if the user has disabled that', async ({
    page,
  }) => {
    await page.goto(TWO_STREAMS);
    await ready(page);
    const lesson = page.locator('#lesson');
    const panel = page.locator('#io-tlb');

    await test.step('answered by keyboard alone', async () => {
      await lesson.getByRole('radio').first().focus();
      await page.keyboard.press('Space');
      // The order of the options differs from reader to reader.
      while (!(await lesson.getByLabel('Nearly always').isChecked()))
        await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expect(lesson.getByText('what happened')).toBeVisible();
      await page.keyboard.press('Tab');
      await expect(lesson.getByRole('button', { name: 'Next step' }).first()).toBeFocused();
    });

    await test.step('stays answered, and is asked again', async () => {
      const marks = lesson.getByRole('img', { name: /^2 questions/ });
      await expect(marks).toHaveAccessibleName('2 questions: 1 predicted, 1 open');
      await page.reload();
      await ready(page);
      await expect(lesson.locator('label[data-right]')).toContainText('Nearly always');
      await expect(panel).not.toContainText('sealed until');
      await page.goto('./#');
      await expect(page.getByText(/^1 of \d+ questions answered, 1 predicted$/)).toBeVisible();
      await page.goto(TWO_STREAMS);
      await ready(page);
      await lesson.getByRole('button', { name: 'Ask again' }).click();
      expect(await focused(page)).toBe('lesson');
      await expect(panel).toContainText('sealed until');
    });

    await test.step('revealed from a masked panel leaves the focus there', async () => {
      await panel.getByRole('button', { name: 'Just show me' }).press('Enter');
      await expect(panel).toContainText('missed');
      expect(await focused(page)).toBe('io-tlb');
      await expect(lesson.getByText('what happened')).toBeVisible();
    });

    await test.step('no step loses the focus', async () => {
      for (let step = 2; step <= 5; step++) {
        await lesson.getByRole('button', { name: 'Next step' }).last().press('Enter');
        await expect(lesson.getByText(`Step ${step} of 5`)).toBeVisible();
        await expect.poll(() => focused(page)).toBe('lesson');
      }
    });

    await test.step('masks nothing if the user has disabled that', async () => {
      await lesson.getByRole('button', { name: 'Step 1' }).click();
      await lesson.getByRole('button', { name: 'Ask again' }).click();
      await expect(panel).toContainText('sealed until');
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
      await page.keyboard.type('hide what questions');
      await page.keyboard.press('Enter');
      await expect(panel).not.toContainText('sealed until');
      await expect(lesson.getByText('answers are not hidden')).toBeVisible();
    });
  });
});

test('a lab has its lesson beside it, with a question that seals its curve', async ({ page }) => {
  await page.goto('./#/lab/gt/crossover');
  const lesson = page.locator('#lesson');
  await expect(lesson.getByText('Two ways to move a block')).toBeVisible();
  const chart = page.locator('#crossover-chart');
  await expect(chart).toContainText('PIO write: sealed, step 2 asks about it');
  await lesson.getByRole('button', { name: 'Next step' }).click();
  await expect(chart).toContainText('PIO write: sealed until you answer');
  await expect(chart.getByText('read: DMA from 128\u00a0B')).toBeVisible();
  await lesson.getByLabel('About 8 µs').check();
  await lesson.getByRole('button', { name: 'Break the seal' }).click();
  await expect(lesson.getByText('what happened')).toBeVisible();
  await expect(chart).not.toContainText('sealed');
  await lesson.getByRole('button', { name: 'See it in the machine' }).click();
  await expect(page).toHaveURL(/#\/machine\/gt\/crossover/);
  await expect(page.locator('#inspector h3', { hasText: 'CPU' })).toBeVisible();
});

test('linked words wrap like other text, and those to a scenario are links', async ({ page }) => {
  await page.goto('./#/machine/pools/one-lock-or-sixteen?step=5');
  const link = page
    .locator('#lesson')
    .getByRole('link', { name: 'limit in another test on another machine' });
  await expect(link).toHaveAttribute('href', '#/lab/pools/rds');
  // It exists before it is laid out.
  await expect.poll(() => link.evaluate((one) => one.getClientRects().length)).toBe(2);
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    link.click({ modifiers: ['ControlOrMeta'] }),
  ]);
  await expect(opened.locator('header h1')).toHaveText('A wall at 80 000 requests');
  await opened.close();
  await expect(page).toHaveURL(/one-lock-or-sixteen/);

  await page.goto('./#/machine/hp/what-if?step=3');
  const set = page.locator('#lesson').getByRole('button', { name: 'Map every page safe' });
  await set.press(' ');
  await expect(set).toHaveAttribute('aria-pressed', 'true');
  await page.setViewportSize({ width: 390, height: 844 });
  const all = page.locator('#lesson [aria-pressed]');
  await expect(all).toHaveCount(2);
  expect(await all.evaluateAll((some) => some.map((one) => getComputedStyle(one).display))).toEqual(
    ['inline', 'inline'],
  );
});

test('a table in a lesson is a table, and fits on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('./#/machine/zx1/pa-risc?step=3');
  const table = page.locator('#lesson').getByRole('table');
  await expect(table.getByRole('columnheader', { name: 'zx1' })).toBeVisible();
  const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: '3' }) });
  await expect(row.getByRole('cell')).toHaveText(['125', '161', '171', '251']);
  await expect(page.locator('#lesson')).not.toContainText('|');
  const hidden = (box: Element) => box.scrollWidth - box.clientWidth;
  expect(await table.locator('..').evaluate(hidden)).toBe(0);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('the lesson is below the drawing, whatever tab is shown above', async ({ page }) => {
    await page.goto('./#/machine/start/bus?step=4');
    const lesson = page.locator('#lesson');
    await expect(lesson.getByRole('heading', { name: 'Loads have to wait' })).toBeVisible();
    await expect(page.locator('#machine')).toBeVisible();
    const [above, below] = [
      await page.locator('#machine').boundingBox(),
      await lesson.boundingBox(),
    ];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    await page.getByRole('tab', { name: 'Why' }).tap();
    await lesson.getByText('More than ten times as long').tap();
    await lesson.getByRole('button', { name: 'Break the seal' }).tap();
    await expect(lesson.getByText('what happened')).toBeVisible();
    await expect(page.locator('#why')).toBeVisible();
  });
});
