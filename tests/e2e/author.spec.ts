/** A lesson is written beside its machine: checked as it is typed, previewed, and kept. */
import { expect, test } from '@playwright/test';
import { expectAccessible } from './accessible';
import { textOf, typeInPlaceOf } from './editor';

const LABEL = 'Lesson text';

test('a lesson is written beside its machine', async ({ page }) => {
  await page.goto('./#/machine/start/bus?t=1063200');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('Write the lesson');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: LABEL });
  const editor = panel.getByRole('textbox', { name: LABEL });
  await expect(panel.getByText('correct', { exact: true })).toBeVisible();

  await typeInPlaceOf(page, LABEL, '[processor](part:cpu)', '[processor](part:cpo)');
  const problem = panel.getByRole('list', { name: 'Problems of the lesson' });
  await expect(problem).toHaveText(/^line 11 There is no part "cpo"; did you mean "cpu"\?$/);
  await expect(editor.locator('.cm-lintRange-error')).toContainText('(part:cpo)');
  await expectAccessible(page);
  await problem.getByRole('button', { name: 'line 11' }).click();
  await expect(editor).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(panel.getByText('correct', { exact: true })).toBeVisible();

  // A letter is a letter here, and no command of the page.
  await typeInPlaceOf(page, LABEL, 'A computer is more', '');
  await page.keyboard.type('My own machine ');
  await panel.getByRole('button', { name: 'Link to this moment' }).click();
  await page.keyboard.type(' is more');
  const mine = 'My own machine [1.0632 µs](time:1.0632 us) is more than its';
  expect(await textOf(page, LABEL)).toContain(mine);
  const lesson = page.getByRole('region', { name: 'Lesson', exact: true });
  await expect(lesson).toContainText('My own machine 1.0632 µs is more than its processor');
  await expect(panel.getByText('correct', { exact: true })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(editor).not.toBeFocused();

  await page.reload();
  await expect(lesson).toContainText('My own machine 1.0632 µs is more than its processor');
});
