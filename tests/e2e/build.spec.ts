/** A machine is built by hand from an empty sheet, runs at once, and is there again after a reload. */
import { expect, test } from '@playwright/test';
import { expectAccessible } from './accessible';

test('parts, wires and a program make a machine that runs', async ({ page }) => {
  await page.goto('#/build/start/bus');
  await page.getByRole('button', { name: 'Start empty' }).click();
  await expect(page.getByText('No parts yet')).toBeVisible();
  for (const kind of ['Processor', 'Host bridge', 'Memory, memory', 'PCI bus', 'GT card'])
    await page.getByRole('button', { name: new RegExp(`^Add ${kind}`) }).press('Enter');
  await expect(page.getByText('It is whole, and runs below.')).toBeVisible();
  const sheet = page.locator('#build-part');
  await page.getByRole('button', { name: 'Processor', exact: true }).first().press('Enter');
  await sheet.getByRole('button', { name: 'Wire processor.front to…' }).press('Enter');
  await sheet.getByRole('button', { name: 'bridge.cpu0' }).press('Enter');
  const program = page.locator('#build-program');
  await program.getByRole('button', { name: 'Add a row' }).press('Enter');
  await program.getByLabel('Row 1 does').selectOption('io_load');
  await program.getByLabel('Row 1, from').fill('0x80000000');
  await program.getByLabel('Row 1, from').press('Enter');
  await expect(page.getByText('It is whole, and runs below.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Play' })).toBeEnabled();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Memory', exact: true }).first().press('Delete');
  await expect(page.getByText('"bridge.memory" must be wired')).toBeVisible();
  await page.reload();
  await expect(page.getByText('"bridge.memory" must be wired')).toBeVisible();
  await page.getByRole('button', { name: 'Add Memory, memory' }).press('Enter');
  await expect(
    page.getByText('It is wired: bridge.memory to memory.bridge.').first(),
  ).toBeVisible();
  await expect(page.getByText('It is whole, and runs below.')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.getByText('"bridge.memory" must be wired')).toBeVisible();
});

test('what is typed is kept from the first letter, and undone as one step', async ({ page }) => {
  await page.goto('#/build/start/bus');
  const tab = page.getByRole('tab', { name: 'Text' });
  await tab.click();
  const text = page.getByRole('textbox', { name: 'Scenario text' });
  await expect(text).toHaveValue(/"title": "What a bus is"/);
  const before = await text.inputValue();
  const typed = before.replace('What a bus is', 'My own bus');
  await text.fill(typed);
  await page.reload();
  await tab.click();
  await expect(text).toHaveValue(typed);
  await expect(page.getByText('It is whole, and runs below.')).toBeVisible();
  await text.fill(typed.replace('"until"', '"til"'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(text).toHaveValue(typed);
  await text.fill(typed.replace('"until"', '"til"'));
  await expect(page.getByText('til').first()).toBeVisible();
  await expect(page.getByText(/to mend$/)).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(text).toHaveValue(typed);
  await expect(page.getByText('It is whole, and runs below.')).toBeVisible();
});
