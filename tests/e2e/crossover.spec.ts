import { readFileSync } from 'node:fs';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { expectAccessible } from './accessible';

const ADDRESS = './#/lab/gt/crossover';

/** Opens the lab and waits until every run of the table has finished. */
async function openLab(page: Page): Promise<void> {
  // What the lesson asks about is not hidden here.
  await page.addInitScript(() => localStorage.setItem('busyard.cover', 'off'));
  await page.goto(ADDRESS);
  // Other tests run in parallel on few processors.
  const all = { timeout: 20_000 };
  await expect(page.locator('#crossover-chart')).toContainText(/114\sruns, /, all);
}

const handle = (page: Page, title: string): Locator =>
  page.getByRole('slider', { name: new RegExp(`^Crossing ${title}`) });

/** The size at which the curves cross, as its handle states it. */
async function crossing(page: Page, title: string): Promise<number> {
  const text = (await handle(page, title).getAttribute('aria-valuetext')) ?? '';
  return Number(/cross at ([\d\u202f]+)/.exec(text)?.[1]?.replace(/\u202f/g, ''));
}

const slider = (page: Page, name: string): Locator =>
  page.locator('#parameters').getByRole('slider', { name, exact: true });

const centreOf = async (at: Locator) => {
  await at.scrollIntoViewIfNeeded();
  const box = await at.boundingBox();
  if (!box) throw new Error('not on the page');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

test.describe('the crossover lab', () => {
  test('shows the published crossings, the sizes between them, and the runs behind them', async ({
    page,
  }) => {
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await openLab(page);
    const chart = page.locator('#crossover-chart');
    await test.step('the published crossings', async () => {
      await expect(chart.getByText('write: DMA from 1\u202f024\u00a0B')).toBeVisible();
      await expect(chart.getByText('read: DMA from 128\u00a0B')).toBeVisible();
      await expect(page.locator('#crossover-why')).toContainText('Why does');
      await expect(page.locator('#crossover-runs')).toContainText('later');
    });
    await test.step('compares the two runs in lockstep', async () => {
      await page.getByRole('button', { name: 'Compare in lockstep' }).click();
      await expect(page).toHaveURL(/#\/compare\/gt\/crossover\?a=7\.0&b=7\.1/);
      await page.goBack();
      await expect(page.locator('#crossover-chart')).toContainText('DMA from');
    });
    await test.step('no accessibility violations', async () => {
      await expectAccessible(page);
    });
    await test.step('walks the sizes with keys and shows the values there', async () => {
      const walker = page.getByRole('slider', { name: 'Transfer size' });
      await walker.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await expect(walker).toHaveAttribute('aria-valuetext', /^8\sB: PIO write measured 49\.98/);
      await expect(page.locator('#crossover-size')).toContainText('At 8\u00a0B');
      await expect(page.locator('#crossover-why')).toContainText('8\u00a0B');
    });
    await test.step('exports exactly the numbers of its table', async () => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      const file = readFileSync((await (await saved).path()) ?? '', 'utf8');
      const rows = file.trim().split('\n').slice(1);
      expect(rows).toHaveLength(114);
      await chart.getByRole('button', { name: 'Show as text' }).click();
      const cells = await chart
        .getByRole('table', { name: 'DMA write' })
        .getByRole('row', { name: /^4\s096/ })
        .getByRole('cell')
        .allInnerTexts();
      const own = rows.find((row) => row.startsWith('4096,dma_write'))?.split(',') ?? [];
      expect(cells[1]).toBe(`${Number(own[2]).toFixed(2)}\u00a0MB/s`);
      expect(cells[0]).toBe(`${Number(own.at(-1)).toFixed(2)}\u00a0MB/s`);
      await chart.getByRole('button', { name: 'Show as picture' }).click();
    });
    await test.step('saves its drawing as SVG and as PNG', async () => {
      for (const [title, kind] of [
        ['SVG', '.svg'],
        ['PNG', '.png'],
      ] as const) {
        const saved = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Export', exact: true }).click();
        await page.getByRole('menuitem', { name: `Export the chart as ${title}` }).click();
        const download = await saved;
        expect(download.suggestedFilename()).toMatch(new RegExp(`${kind}$`));
        const file = readFileSync((await download.path()) ?? '');
        if (kind === '.svg') expect(file.toString()).toContain('write: DMA from');
        else expect(file.subarray(1, 4).toString()).toBe('PNG');
      }
    });
    await test.step('shows the user’s own table, and says where an invalid one is wrong', async () => {
      const good =
        '_g  SIZE  _w_...S.  _w_P..S.\n_g   64    9.99    50.00\n_g  128   20.00    50.00\n';
      await page.getByRole('button', { name: 'Layers of the chart' }).click();
      await page.getByRole('menuitem', { name: /own gttp table/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Your own gttp table' });
      await dialog.getByRole('textbox').fill(good.replace('9.99', 'fast'));
      await dialog.getByRole('button', { name: 'Show beside the model' }).click();
      await expect(dialog.getByRole('alert')).toContainText('line 2');
      await expect(dialog.getByRole('alert')).toContainText('fast');
      await dialog.getByRole('textbox').fill(good);
      await dialog.getByRole('button', { name: 'Show beside the model' }).click();
      await expect(dialog).toHaveCount(0);
      await expect(chart.locator('path[data-kind="own"]')).toHaveCount(5);
      await expect(chart.getByText('your table')).toBeVisible();
    });
    await test.step('shows times, processor times and the linear fit', async () => {
      await chart.getByText('CPU time', { exact: true }).first().click();
      await expect(chart.getByRole('heading', { name: 'CPU time by transfer size' })).toBeVisible();
      await expect(chart.locator('[data-kind="measured"]')).toHaveCount(0);
      await chart.getByText('throughput', { exact: true }).click();
      await page.getByRole('button', { name: 'Layers of the chart' }).click();
      await page.getByRole('menuitem', { name: 'Show the linear fit' }).click();
      await expect(chart.getByText(/fit \d+\s%$/).first()).toBeVisible();
    });
    await test.step('no accessibility violations in words', async () => {
      const pictures = page.getByRole('button', { name: 'Show as text' });
      while ((await pictures.count()) > 0) await pictures.first().click();
      await expectAccessible(page, ['[data-as-text]']);
      const texts = page.getByRole('button', { name: 'Show as picture' });
      while ((await texts.count()) > 0) await texts.first().click();
    });
    await test.step('shows two runs on one time axis and opens one of them', async () => {
      const sheet = page.locator('[data-chart] svg');
      const point = sheet.locator('circle[data-kind="measured"][data-hue="1"][data-open]').nth(9);
      const at = await centreOf(point);
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      await page.mouse.up();
      const runs = page.locator('#crossover-runs');
      await expect(runs).toContainText('Two runs of 2\u202f048\u00a0B, same clock');
      await expect(runs).toContainText('DMA read');
      await runs.getByRole('button', { name: 'In numbers' }).click();
      await expect(runs.getByRole('table')).toContainText('from call to return');
      await runs
        .getByRole('button', { name: /^Open run/ })
        .last()
        .click();
      await expect(page).toHaveURL(/#\/machine\/gt\/crossover/);
    });
    expect(errors).toEqual([]);
  });

  test('follows sliders and handles, shows the previous curve, and is undone', async ({ page }) => {
    await openLab(page);
    const chart = page.locator('#crossover-chart');
    await test.step('a slider moved by keys', async () => {
      const before = await crossing(page, 'write');
      await slider(page, 'Set-up').focus();
      await page.keyboard.press('End');
      await expect.poll(() => crossing(page, 'write')).toBeGreaterThan(before + 20);
      await expect(chart.getByText(/^before:/).first()).toBeVisible();
      await expect(chart.getByText('before the last edit')).toBeVisible();
      await expect(page.getByText('1 change since calibration')).toBeVisible();
      await slider(page, 'Set-up').blur();
      await page.keyboard.press('Control+z');
      await expect.poll(() => crossing(page, 'write')).toBe(before);
      await expect(page.getByText('1 change since calibration')).toHaveCount(0);
    });
    await test.step('a slider dragged with the mouse; one drag is one undo step', async () => {
      const before = await crossing(page, 'read');
      const at = await centreOf(slider(page, 'Per load, CPU share'));
      await page.mouse.move(at.x - 20, at.y);
      await page.mouse.down();
      for (let step = 0; step < 10; step++) await page.mouse.move(at.x + step * 6, at.y);
      await page.mouse.up();
      await expect.poll(() => crossing(page, 'read')).toBeLessThan(before);
      await slider(page, 'Per load, CPU share').blur();
      await page.keyboard.press('Control+z');
      await expect.poll(() => crossing(page, 'read')).toBe(before);
    });
    await test.step('a crossing moved by its handle changes the parameter it solves for', async () => {
      const before = await crossing(page, 'write');
      const grip = handle(page, 'write').locator('rect').first();
      const at = await centreOf(grip);
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      for (let step = 1; step <= 8; step++) await page.mouse.move(at.x - step * 2, at.y);
      await page.mouse.up();
      await expect.poll(() => crossing(page, 'write')).toBeLessThan(before - 40);
      await expect(page.getByText('1 change since calibration')).toBeVisible();
      const row = page.locator('#parameters').getByRole('group', { name: 'Context switch' });
      await expect(row.locator('s')).toBeVisible();
      await page.keyboard.press('Control+z');
      await expect.poll(() => crossing(page, 'write')).toBe(before);
    });
    await test.step('the slider that a handle moves is beside the curves, and its reach is drawn', async () => {
      const held = page.getByRole('group', { name: 'Moved by the handles' });
      const value = held.getByRole('spinbutton', { name: 'Context switch' });
      await expect(value).toBeInViewport();
      const still = await value.inputValue();
      await held.getByRole('slider', { name: 'Context switch' }).hover();
      await expect(chart.getByText(/^Context switch: from 0\sµs to 10\sµs$/)).toBeVisible();
      await expect(chart.locator('[data-curve$="-fan"]').first()).toBeVisible();
      const at = await centreOf(handle(page, 'write').locator('rect').first());
      await page.mouse.move(at.x, at.y);
      await expect(chart.locator('[data-curve$="-fan"]')).toHaveCount(0);
      await page.mouse.down();
      for (let step = 1; step <= 20; step++) {
        await page.mouse.move(at.x + step * 2, at.y);
        await page.waitForTimeout(20);
      }
      await expect(value).not.toHaveValue(still);
      await expect(chart.locator('[data-curve$="-before"]').first()).toBeVisible();
      await page.mouse.up();
    });
  });
});

test.describe('the crossover lab on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('shows one panel at a time, never scrolls sideways, and shows the size under the finger', async ({
    page,
  }) => {
    // What the lesson asks about is not hidden here.
    await page.addInitScript(() => localStorage.setItem('busyard.cover', 'off'));
    await page.goto(ADDRESS);
    const panels = {
      Chart: 'write 1\u202f024\u00a0B',
      'At point': 'At 512\u00a0B',
      Why: 'Why does',
      Costs: 'Per call',
      Runs: 'Two runs of 512\u00a0B',
    };
    for (const [tab, text] of Object.entries(panels)) {
      await page.getByRole('tab', { name: tab }).click();
      await expect(page.getByText(text).first()).toBeVisible();
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(wide, tab).toBe(false);
    }
    await page.getByRole('tab', { name: 'Chart' }).click();
    await expectAccessible(page);
    const mark = page.locator('[data-chart] circle[data-kind="measured"][data-hue="2"]').nth(12);
    await expect(mark).toBeVisible();
    const at = await centreOf(mark);
    await page.touchscreen.tap(at.x, at.y);
    await page.getByRole('tab', { name: 'At point' }).click();
    await expect(page.getByRole('heading', { name: 'At 16\u00a0KiB' })).toBeVisible();
  });
});
