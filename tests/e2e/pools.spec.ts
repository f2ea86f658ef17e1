import { expect, type Page, test } from '@playwright/test';
import { Busyard } from 'busyard/playwright';
import { expectAccessible } from './accessible';
import { atRest } from './work';

/** These tests are about the contents, so answers are not masked. */
test.beforeEach(({ page }) =>
  page.addInitScript(() => localStorage.setItem('busyard.cover', 'off')),
);

/** The run with one lock, at a time when CPUs have been queueing for a while. */
const ADDRESS = './#/lab/pools/one-lock-or-sixteen?t=2000000000';

async function openLab(page: Page): Promise<void> {
  await page.goto(ADDRESS);
  await expect(page.locator('#pool-search')).toContainText('The search starts at', {
    timeout: 20_000,
  });
}

const bitmap = (page: Page) =>
  page.getByRole('group', { name: /^Bitmap: arrow keys move the lens/ });

/** Rows of the table in the text alternative. */
async function poolsInText(page: Page): Promise<number> {
  const panel = page.locator('#pool-bitmap');
  await panel.getByRole('button', { name: 'Show as text' }).click();
  const rows = await panel.getByRole('table').getByRole('rowheader').count();
  await panel.getByRole('button', { name: 'Show as picture' }).click();
  return rows;
}

test.describe('the lab of pools', () => {
  test('shows map, search, waits and locks at the playhead, also in words', async ({ page }) => {
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await openLab(page);

    await test.step('all panels, with an empty console', async () => {
      await expect(bitmap(page)).toBeVisible();
      await expect(page.locator('#pool-waits')).toContainText(/Why (has|did) CPU \d+ wait/);
      await expect(page.locator('#pool-waits')).toContainText('the lock of pool 0');
      await expect(page.locator('#crossover-chart')).toHaveCount(0);
    });

    await test.step('has no accessibility problems on a desk and on a phone', async () => {
      await expectAccessible(page);
      await page.setViewportSize({ width: 390, height: 844 });
      await expect(page.getByRole('tablist', { name: 'Panels' })).toBeVisible();
      await expect(bitmap(page)).toBeVisible();
      await expectAccessible(page);
      await page.setViewportSize({ width: 1440, height: 900 });
    });

    await test.step('moves the lens by keys, and lets it follow the search again', async () => {
      await bitmap(page).focus();
      await page.keyboard.press('ArrowRight');
      const follow = page.getByRole('button', { name: 'Follow the search' });
      await expect(follow).toBeVisible();
      await follow.click();
      await expect(follow).toBeHidden();
    });

    const whole = page.getByRole('button', { name: 'Whole pools' });

    await test.step('zooms to single entries by keys, and back', async () => {
      await bitmap(page).focus();
      for (let i = 0; i < 3; i++) await page.keyboard.press('w');
      await expect(whole).toBeVisible();
      await whole.click();
      await expect(whole).toBeHidden();
    });

    await test.step('zooms with two fingers, and by a double click to the bits', async () => {
      const sheet = bitmap(page);
      const finger = (type: string, pointerId: number, clientX: number) =>
        sheet.dispatchEvent(type, { pointerId, clientX, clientY: 200, pointerType: 'touch' });
      await sheet.evaluate((element) => {
        element.setPointerCapture = () => {};
      });
      await finger('pointerdown', 5, 600);
      await finger('pointerdown', 6, 700);
      await finger('pointermove', 6, 900);
      await expect(whole).toBeVisible();
      await finger('pointerup', 5, 600);
      await finger('pointerup', 6, 900);
      await whole.click();
      await expect(whole).toBeHidden();
      for (let i = 0; i < 3; i++) await sheet.dblclick({ position: { x: 400, y: 100 } });
      await expect(whole).toBeVisible();
      await whole.click();
    });

    await test.step('counts locks as lockstat does: every acquisition is in one row', async () => {
      await page.getByRole('tab', { name: 'Locks' }).click();
      const table = page.locator('#pool-locks').getByRole('table');
      await expect(table).toContainText('pool 0');
      const cells = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
      const [contentions, most, total, mean, acquisitions] = cells.map((text) =>
        Number(text.replace(/[^\d.]/g, '')),
      ) as [number, number, number, number, number];
      expect(contentions).toBeLessThan(acquisitions);
      expect(mean).toBeLessThanOrEqual(most);
      expect(total / contentions).toBeCloseTo(mean, 1);
    });

    await test.step('shows how much room is left for requests of each size', async () => {
      await page.getByRole('tab', { name: 'Room' }).click();
      const row = page.locator('#pool-room').getByRole('row').nth(1);
      await expect(row).toContainText('pool 0');
      const shares = (await row.getByRole('cell').allInnerTexts())
        .slice(2)
        .map((text) => Number.parseInt(text, 10));
      expect(shares[0]).toBe(100);
      expect(shares).toEqual(shares.toSorted((a, b) => b - a));
      expect(shares.at(-1)).toBe(0);
    });

    await test.step('shows two runs on one time axis, also in words', async () => {
      const lanes = page.locator('#pool-lanes');
      const [one, other] = [lanes.locator('section').first(), lanes.locator('section').last()];
      await expect(one).toContainText(/\d+\s%\s*waiting/);
      await expect(other).toContainText('10 locks and no waits');
      await other.getByLabel('Compared run').selectOption({ label: '1 pool, call outside' });
      await expect(other).toContainText(/\d+\s%\s*waiting/);
      await expect(other).not.toContainText('10 locks');
      await lanes
        .locator('canvas')
        .first()
        .click({ position: { x: 200, y: 60 } });
      await page.keyboard.press('t');
      await expect(lanes.getByRole('listitem').first()).toContainText(
        /^1 pool, call under the lock: \d+\s%\swaiting/,
      );
    });

    await test.step('has a text alternative with the same contents', async () => {
      for (const id of ['pool-search', 'pool-results']) {
        await new Busyard(page).show(id);
        await page.locator(`#${id}`).getByRole('button', { name: 'Show as text' }).click();
      }
      await expect(page.locator('#pool-search').getByRole('listitem').first()).toContainText(
        /^Words? /,
      );
      await expect(page.locator('#pool-results')).toContainText(/can be served by 1.pool\./);
    });

    await test.step('goes to the time of a cause', async () => {
      const reason = page.locator('#pool-waits').getByRole('button').last();
      const time = await reason.locator('time').innerText();
      await reason.click();
      const playhead = page.locator('[data-readout="time"]');
      await expect
        .poll(async () => (await playhead.innerText()).replace(/\s/g, ''))
        .toBe(time.replace(/\s/g, ''));
    });
    expect(errors).toEqual([]);
  });

  test('opens the runs of advice and bars, and follows an edit', async ({ page }) => {
    await openLab(page);
    const bar = (name: RegExp) => page.locator('#pool-results').getByRole('button', { name });

    await test.step('the advice names the one lock, and opens the run with sixteen', async () => {
      await page.getByRole('tab', { name: 'Advice' }).click();
      const advice = page.locator('#pool-doctor');
      await expect(advice).toContainText('The one lock of 10 CPUs is found taken');
      expect(await poolsInText(page)).toBe(1);
      await advice.getByRole('button', { name: '16 pools' }).click();
      await expect.poll(() => poolsInText(page)).toBe(16);
      await expect(advice).toContainText('6 of 16 pools are never used');
    });

    const oneLock = bar(/^1 pool, call under the lock/);

    await test.step('a bar opens its run by key, with other pools and another map', async () => {
      await oneLock.focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => poolsInText(page)).toBe(1);
    });

    await test.step('an edit changes the results, and can be undone', async () => {
      await expect(oneLock).toHaveAccessibleName(/: 1\.56 Gb\/s/, { timeout: 20_000 });
      await new Busyard(page).show('parameters');
      const demap = page.locator('#parameters').getByRole('slider', { name: 'Demap' });
      await demap.focus();
      for (let i = 0; i < 4; i++) await page.keyboard.press('PageDown');
      await expect(oneLock).not.toHaveAccessibleName(/1\.56 Gb/, { timeout: 20_000 });
      await page.getByRole('button', { name: 'Reset all' }).click();
      await expect(oneLock).toHaveAccessibleName(/: 1\.56 Gb\/s/, { timeout: 30_000 });
    });
  });
});

test('the map of a small table: colours by age or owner, and an entry selects its processor', async ({
  page,
}) => {
  await page.goto('./#/machine/pools/last-two?t=20000000');
  await expect(page.locator('#pool-lens')).toContainText('CPU 0 asks', { timeout: 20_000 });
  const panel = page.locator('#pool-map');
  const picture = () => panel.locator('canvas').screenshot();
  await expect(panel).toContainText('≤ 50 µs');
  const byAge = await picture();
  await panel.getByText('owner', { exact: true }).click();
  await expect(panel).toContainText('by its CPUs');
  await expect.poll(async () => (await picture()).equals(byAge)).toBe(false);
  await panel.locator('canvas').click({ position: { x: 190, y: 50 } });
  await expect(panel).toContainText('CPU 0’s');
  await expect(page.locator('#inspector')).toContainText('CPU 0');
  await page.mouse.move(5, 5);
  await page.keyboard.press('Escape');
  await expect(panel).not.toContainText('CPU 0’s');
});

test('the map beside the machine has no accessibility problems', async ({ page }) => {
  await page.goto('./#/machine/pools/fragmentation?t=5000000');
  await expect(bitmap(page)).toBeVisible({ timeout: 20_000 });
  await expectAccessible(page);
  for (const [tab, panel] of [
    ['Locks', 'pool-lock-table'],
    ['Room', 'pool-room-table'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    await expect(page.locator(`#${panel}`)).toContainText('pool 0');
    await expectAccessible(page, [`#${panel}`]);
  }
});

test('dragging over the map reserves entries, and the run starts anew around them', async ({
  page,
}) => {
  await page.goto('./#/machine/pools/one-lock-or-sixteen?case=after');
  await atRest(page);
  const map = page.locator('[data-own-keys]').first();
  await page.getByRole('button', { name: 'Reserve', exact: true }).click();
  await atRest(page);
  const box = await map.boundingBox();
  if (!box) throw new Error('The map is not drawn.');
  const [y, from, to] = [box.y + 30, box.x + box.width * 0.3, box.x + box.width * 0.6];
  await page.mouse.move(from, y);
  await page.mouse.down();
  await page.mouse.move((from + to) / 2, y);
  await page.mouse.move(to, y);
  await page.mouse.up();
  await expect(page.getByText(/entries are reserved: the machine was rerun/)).toBeVisible();

  await atRest(page);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await atRest(page);
  await map.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/4.096 entries are reserved/)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/No entry is reserved any more/)).toBeVisible();
});
