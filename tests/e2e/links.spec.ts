import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect, type Page, test } from '@playwright/test';
import { atRest } from './work';

const heading = (page: Page) => page.locator('header h1');
const banner = (page: Page) => page.locator('[role="alert"][data-kind]');

/** The link that the page offers for the present state. */
async function sharedLink(page: Page): Promise<URL> {
  await page.getByRole('button', { name: 'Share', exact: true }).click();
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
    test(`has the hash of its state, and opens in the same state without a message: ${place}`, async ({
      page,
    }) => {
      await page.goto(`./#/${place}`);
      await expect(heading(page)).not.toHaveText('Opening');
      await atRest(page);
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

  test('with another state hash shows a message', async ({ page }) => {
    await page.goto('./#/machine/gt/one-word');
    await expect(heading(page)).not.toHaveText('Opening');
    const document = unpacked(await sharedLink(page));
    const reader = await page.context().newPage();
    await reader.goto(`./${packed({ ...document, hash: '0123456789abcdef' })}`);
    await expect(banner(reader)).toContainText('This is not the run that was shared');
    await expect(banner(reader)).toContainText(`state ${document.hash.slice(0, 8)}`);
    await expect(banner(reader)).toContainText('the link has state 01234567');
  });
});

/** Links of a few kilobytes that unpack to the largest session allowed, or to far more. */
const HOSTILE: readonly (readonly [what: string, text: string, sentence: RegExp])[] = [
  ['very much', ' '.repeat(20_000_000), /decompresses to more than the maximum size of a session/],
  [
    'a long list',
    `{"busyard_session":1,"edits":[${'1,'.repeat(2_000_000)}1]}`,
    /could not be opened/,
  ],
  [
    'very many entries',
    JSON.stringify({
      ...{
        busyard_session: 1,
        scenario: { id: 'gt/crossover' },
        edits: {},
        commands: [],
        seed: null,
      },
      view: Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [`v${i}`, 1])),
      ...{ variables: {}, cursor: { events: 0 }, measured: null, layout: '00000000', hash: null },
    }),
    /at most 10000 entries/,
  ],
];

test.describe('a link made to take long', () => {
  test('is unpacked in a worker while the page stays responsive', async ({ page }) => {
    await page.addInitScript(() => {
      const counted = window as unknown as { unpacked: number; longest: number };
      counted.unpacked = 0;
      counted.longest = 0;
      const Inflate = DecompressionStream;
      window.DecompressionStream = ((format: CompressionFormat) => {
        counted.unpacked++;
        return new Inflate(format);
      }) as unknown as typeof DecompressionStream;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries())
          counted.longest = Math.max(counted.longest, duration);
      }).observe({ type: 'longtask' });
    });
    await page.goto('./');
    await expect(page.getByRole('link', { name: /One word at a time/ })).toBeVisible();
    // The code for opening a session is loaded before the measurement begins.
    await page.evaluate(() => {
      location.hash = '#s=abc';
    });
    await expect(banner(page)).toContainText('The link is damaged');
    await banner(page).getByRole('button', { name: 'Close' }).click();
    for (const [what, text, sentence] of HOSTILE)
      await test.step(what, async () => {
        await atRest(page);
        await page.evaluate(() => {
          (window as unknown as { longest: number }).longest = 0;
        });
        await page.evaluate(
          (hash) => {
            location.hash = hash;
          },
          `#s=${deflateRawSync(text).toString('base64url')}`,
        );
        await expect(banner(page)).toContainText(sentence, { timeout: 60_000 });
        const { unpacked: inPage, longest } = await page.evaluate(() => {
          const { unpacked, longest } = window as unknown as { unpacked: number; longest: number };
          return { unpacked, longest };
        });
        expect(inPage).toBe(0);
        // On the page's thread it would take seconds; load alone does not take this long.
        expect(longest).toBeLessThan(500);
        await banner(page).getByRole('button', { name: 'Close' }).click();
        await expect(banner(page)).toHaveCount(0);
      });
  });

  test('can be stopped, leaves the open session, and can be restarted', async ({ page }) => {
    const worker = /unpack-worker-/;
    await page.route(worker, () => new Promise(() => undefined));
    await page.goto('./#/machine/gt/one-word');
    await expect(heading(page)).toHaveText('One word at a time');
    await page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      packed({ busyard_session: 1 }),
    );
    await expect(banner(page)).toContainText('Unpacking the link');
    await banner(page).getByRole('button', { name: 'Stop' }).click();
    const message = page
      .locator('[data-kind]')
      .filter({ hasText: 'Unpacking the link was stopped' });
    await expect(message).toBeVisible();
    await expect(heading(page)).toHaveText('One word at a time');
    await page.unroute(worker);
    await message.getByRole('button', { name: 'Restart' }).click();
    await expect(banner(page)).toContainText('The link could not be opened');
    await expect(message).toHaveCount(0);
  });
});
