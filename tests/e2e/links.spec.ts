import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect, type Page, test } from '@playwright/test';
import { quiet } from './work';

const heading = (page: Page) => page.locator('header h1');
const banner = (page: Page) => page.locator('[role="alert"][data-kind]');

/** The link that the page offers for what it shows. */
async function sharedLink(page: Page): Promise<URL> {
  await page.getByRole('button', { name: 'Share' }).click();
  const field = page.getByRole('textbox', { name: 'Link to this session' });
  await expect(field).toHaveValue(/#s=/);
  return new URL(await field.inputValue());
}

const unpacked = (link: URL) =>
  JSON.parse(inflateRawSync(Buffer.from(link.hash.slice(3), 'base64url')).toString());

const packed = (document: unknown) =>
  `#s=${deflateRawSync(JSON.stringify(document)).toString('base64url')}`;

test.describe('a link', () => {
  for (const place of ['machine/gt/gfixit?t=8330000', 'lab/gt/crossover']) {
    test(`says which state it was made in, and opens there without a word: ${place}`, async ({
      page,
    }) => {
      await page.goto(`./#/${place}`);
      await expect(heading(page)).not.toHaveText('Opening');
      await quiet(page);
      const link = await sharedLink(page);
      const { hash } = unpacked(link);
      expect(hash).toMatch(/^[0-9a-f]{16}$/);
      await page.keyboard.press('Escape');
      const shown = page.locator('[data-hash]');
      if (place.startsWith('machine')) await expect(shown).toHaveAttribute('data-hash', hash);
      const reader = await page.context().newPage();
      await reader.goto(link.href);
      await expect(heading(reader)).toHaveText(await heading(page).innerText());
      expect(unpacked(await sharedLink(reader)).hash).toBe(hash);
      await expect(banner(reader)).toHaveCount(0);
    });
  }

  test('whose state is another says so in a sentence', async ({ page }) => {
    await page.goto('./#/machine/gt/one-word');
    await expect(heading(page)).not.toHaveText('Opening');
    const document = unpacked(await sharedLink(page));
    const reader = await page.context().newPage();
    await reader.goto(`./${packed({ ...document, hash: '0123456789abcdef' })}`);
    await expect(banner(reader)).toContainText('Not the run that was shared');
    await expect(banner(reader)).toContainText(`state ${document.hash.slice(0, 8)}`);
    await expect(banner(reader)).toContainText('the link says 01234567');
  });
});
