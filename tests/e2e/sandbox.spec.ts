import { expect, test } from '@playwright/test';
import { expectAccessible } from './accessible';

test('by keyboard alone, a violation is made in the sandbox, fixed, undone, shared and opened again', async ({
  page,
  context,
}) => {
  await page.goto('./');
  await page.getByRole('link', { name: /^Sandbox/ }).focus();
  await page.keyboard.press('Enter');
  const notice = page.getByRole('region', { name: 'Can you make it lie?' });
  await expect(notice).toContainText('Read and write');
  await page.keyboard.press('b');
  await page.keyboard.press('6');
  await page.keyboard.press('q');
  await expect(notice).toContainText('Yes, in 2 steps.');
  await expect(notice).toContainText('I/O adapter is not coherent: it does not snoop');
  await expect(notice.getByText('each device read gets the newest write')).toBeVisible();
  await expectAccessible(page);
  const fix = notice.getByRole('button', { name: /flush B before the disk reads/ });
  await fix.focus();
  await page.keyboard.press('Enter');
  await expect(notice).toContainText('Not in 3 steps.');
  await page.keyboard.press('Control+z');
  await expect(notice).toContainText('Yes, in 2 steps.');
  await page.keyboard.press('ArrowLeft');
  const words = page.getByRole('region', { name: 'What it did' });
  await expect(words).toContainText('CPU 1 writes line B');

  await page.getByRole('button', { name: 'Share', exact: true }).last().focus();
  await page.keyboard.press('Enter');
  const link = page.getByRole('textbox', { name: 'Link to this session' });
  await expect(link).toHaveValue(/#s=/);
  const other = await context.newPage();
  await other.goto(await link.inputValue());
  await expect(other.getByRole('region', { name: 'What it did' })).toContainText(
    'CPU 1 writes line B',
  );
  await expect(other.getByRole('region', { name: 'Can you make it lie?' })).toContainText(
    'Yes, in 2',
  );
  const workspace = other.getByRole('button', { name: 'Open in the workspace' });
  await workspace.focus();
  await other.keyboard.press('Enter');
  await expect(other).toHaveURL(/#\/machine\/start\/poke/);
  await expect(other.getByRole('region', { name: /^Machine/ })).toBeVisible();
});

test('a reload restores the shown step, and the focus stays with the steps', async ({ page }) => {
  await page.goto('./#/sandbox/start/poke');
  const currentStep = page
    .getByRole('navigation', { name: 'Steps so far' })
    .locator('[aria-current]');
  await expect(page.getByRole('region', { name: 'Can you make it lie?' })).toContainText(
    'Read and write',
  );
  await page.keyboard.press('2');
  await page.keyboard.press('q');
  await expect(currentStep).toHaveAccessibleName(/^Step 2/);
  await page.reload();
  await expect(currentStep).toHaveAccessibleName(/^Step 2/);
  await page.keyboard.press('ArrowLeft');
  await expect(currentStep).toHaveAccessibleName(/^Step 1/);
  await page.reload();
  await expect(currentStep).toHaveAccessibleName(/^Step 1/);
  await page.getByRole('button', { name: 'Start again' }).focus();
  await page.keyboard.press('Enter');
  await expect(currentStep).toHaveAccessibleName('start');
  await expect(currentStep).toBeFocused();
});

test('a press before the first run is carried out, and a reload right after a press restores its step', async ({
  page,
}) => {
  await page.goto('./#/sandbox/start/poke');
  const steps = page.getByRole('navigation', { name: 'Steps so far' });
  const currentStep = steps.locator('[aria-current]');
  await page.getByRole('button', { name: 'CPU 0: write, line A' }).click();
  await page.getByRole('button', { name: 'CPU 1: read, line A' }).click();
  await expect(currentStep).toHaveAccessibleName(/^Step 2: CPU 1 reads A/);
  await page.getByRole('button', { name: 'CPU 1: write, line A' }).click();
  await page.reload();
  await expect(currentStep).toHaveAccessibleName(/^Step 3: CPU 1 writes A/);
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft');
  await expect(currentStep).toHaveAccessibleName('start');
  await page.reload();
  await expect(currentStep).toHaveAccessibleName('start');
});
