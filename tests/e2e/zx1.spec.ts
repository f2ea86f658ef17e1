import { expect, test } from '@playwright/test';
import { expectAccessible } from './accessible';

/** These tests are about the contents, so answers are not masked. */
test.beforeEach(({ page }) =>
  page.addInitScript(() => localStorage.setItem('busyard.cover', 'off')),
);

const ADDRESS = './#/machine/zx1/lines-ahead?t=878000';

test('the contents of the read buffer are in words, and a hint changed by key continues the run at the same time', async ({
  page,
}) => {
  await page.goto(ADDRESS);
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  const machine = page.locator('#machine');
  await machine.getByRole('button', { name: 'Show as text' }).click();
  await expect(machine).toContainText('read buffer: 1 here, 15 empty');
  await machine.getByRole('button', { name: 'Show as picture' }).click();
  const hints = page.locator('#hints');
  const depth = hints.getByRole('combobox', { name: 'MRM, consistent: lines ahead' });
  const measures = page.locator('#inspector');
  await expect(depth).toHaveValue('0');
  // The end is known when the whole run has been recorded.
  const atEnd = (text: RegExp) =>
    expect(async () => {
      await page.keyboard.press('End');
      await expect(measures).toContainText(text, { timeout: 500 });
    }).toPass();
  await atEnd(/retries on PCI15\D?360/);
  await depth.focus();
  await page.keyboard.press('3');
  await expect(depth).toHaveValue('3');
  await page.keyboard.press('Escape');
  await page.getByRole('slider', { name: 'Time' }).focus();
  await atEnd(/retries on PCI3\D?840/);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('tab', { name: 'Hints' }).click();
  await expect(page.locator('#hints').getByRole('table')).toBeVisible();
  const fits = await page.evaluate(() => {
    const table = document.querySelector('#hints table')?.getBoundingClientRect();
    return document.documentElement.scrollWidth <= 390 && (table?.right ?? 999) <= 390;
  });
  expect(fits, 'on a phone nothing is wider than the screen').toBe(true);
});

test('the bus is walked clock by clock with keys, and saved for a waveform viewer', async ({
  page,
}) => {
  await page.goto('./#/machine/zx1/one-read?t=899970');
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  await page.getByRole('tab', { name: 'Bus' }).click();
  const analyser = page.locator('#bus-analyser');
  const grid = analyser.getByRole('grid', { name: /Clocks of the bus/ });
  await grid.focus();
  // Home is the first visible clock; Enter moves the playhead.
  await page.keyboard.press('Home');
  await expect(grid.getByRole('gridcell')).toHaveText(/Clock 0, address; Storage adapter owns/);
  await page.keyboard.press('ArrowRight');
  await expect(grid.getByRole('gridcell')).toHaveText(/Clock 1, turn-around/);
  const time = page.getByRole('slider', { name: 'Time' });
  const before = await time.getAttribute('aria-valuetext');
  await page.keyboard.press('Enter');
  await expect(time).not.toHaveAttribute('aria-valuetext', before ?? '');
  const there = await time.getAttribute('aria-valuetext');
  await page.keyboard.press(']');
  await expect(time).not.toHaveAttribute('aria-valuetext', there ?? '');
  const saving = page.waitForEvent('download');
  await analyser.getByRole('button', { name: 'Save VCD' }).click();
  expect((await saving).suggestedFilename()).toBe('one-read-on-pci-clock-by-clock.vcd');
  await expectAccessible(page);
});

test('the whole matrix is in view, and matrix and machine have no accessibility violations', async ({
  page,
}) => {
  await page.goto('./#/machine/zx1/ordering?t=98153838');
  const matrix = page.locator('#hints').getByRole('table');
  for (const field of await matrix.getByRole('combobox').all())
    await expect(field).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
});
