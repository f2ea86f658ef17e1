/** What leaves the page for a lecture: the drawing as a film that plays, and the view on paper. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';

test('the machine is saved as an animated GIF from the present moment on', async ({ page }) => {
  await page.goto('./#/machine/start/bus?t=1063200');
  await page.getByRole('button', { name: 'Just show me' }).first().click();
  // Near the end of the run, so that the film is short.
  await page.goto('./#/machine/start/bus?t=2300000');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('Save the machine as a film');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Save the machine as a film' });
  await dialog.getByRole('radio', { name: '5 s' }).check({ force: true });
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save the film' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/\.gif$/);
  await expect(dialog).toBeHidden();
  const data = [...readFileSync(await file.path())];
  const shown = await page.evaluate(async (bytes) => {
    const decoder = new ImageDecoder({ data: Uint8Array.from(bytes), type: 'image/gif' });
    await Promise.all([decoder.completed, decoder.tracks.ready]);
    const { frameCount = 0 } = decoder.tracks.selectedTrack ?? {};
    const { image } = await decoder.decode({ frameIndex: frameCount - 1 });
    return { frameCount, width: image.displayWidth, lastMs: (image.duration ?? 0) / 1000 };
  }, data);
  expect(shown.frameCount).toBeGreaterThan(1);
  expect(shown).toMatchObject({ width: 1280, lastMs: 1500 });

  // On paper the panels stand one after another, none is cut, and controls of the page are left out.
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('banner').getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Session' })).toBeHidden();
  await expect(
    page.getByRole('button', { name: /^(Maximise|Play|Bookmark|Next step)$/ }),
  ).toHaveCount(0);
  const cut = await page.locator('main section *').evaluateAll((all) =>
    all
      .filter((one) => getComputedStyle(one).overflowY !== 'visible' && one.clientHeight > 4)
      .filter((one) => one.scrollHeight > one.clientHeight + 2)
      .map((one) => one.className),
  );
  expect(cut).toEqual([]);
});
