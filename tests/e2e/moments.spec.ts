/**
 * Edits lost by an event at a given delay after the edit is shown. `BUSYARD_TRIES=10` repeats each case at
 * every tenth of a second, including the killed browser, and prints the table.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserType, expect, type Page, test } from '@playwright/test';
import { drop, edit, isKept, openRun, recent, shows, toGallery } from './work';

const TRIES = Number(process.env.BUSYARD_TRIES ?? 0);
const DELAYS = TRIES > 0 ? [0, 100, 200, 300, 400, 500, 600, 700] : [0];
const FILE = readFileSync('scenarios/gt/one-word.json', 'utf8');

/** Opens the newest work on the run from the gallery, if there is any. */
async function findAgain(page: Page): Promise<Page> {
  const newest = recent(page).first();
  await newest.click({ timeout: 15_000 }).catch(() => undefined);
  return page;
}

async function visit(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto('./');
  return findAgain(page);
}

/** Events that may happen to an edited page; each returns the page that should show the edit again. */
const WAYS: Readonly<Record<string, (page: Page, context: BrowserContext) => Promise<Page>>> = {
  async reload(page) {
    await page.reload();
    return page;
  },
  async 'closed tab'(page, context) {
    await page.close();
    return visit(context);
  },
  async 'another address'(page) {
    // Within the page: Firefox may not report the end of a navigation that only changes the fragment.
    await page.evaluate(() => {
      location.hash = '#/machine/gt/one-word';
    });
    await expect(page.locator('header h1')).toHaveText('One word at a time');
    await toGallery(page);
    return findAgain(page);
  },
  async 'a file'(page) {
    await drop(page, 'other.json', FILE);
    await expect(page.locator('header h1')).toHaveText('One word at a time');
    await toGallery(page);
    return findAgain(page);
  },
  async 'gallery and reload'(page) {
    await toGallery(page);
    await page.reload();
    return findAgain(page);
  },
};

/** Whether the page shows an edit; a page that opened something else keeps showing another value. */
async function isThere(page: Page, value: string): Promise<boolean> {
  return shows(page, value).then(
    () => true,
    () => false,
  );
}

/** A page with the run, unchanged or as the previous try left it. */
async function fresh(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await openRun(page);
  return page;
}

/**
 * Edits lost at each delay. The first try is the first edit of the work; later ones continue it where it was
 * found.
 */
async function losses(
  name: string,
  start: () => Promise<Page>,
  event: (page: Page) => Promise<Page>,
): Promise<number[]> {
  const all: number[] = [];
  let value = 130;
  for (const delay of DELAYS) {
    let lost = 0;
    let page = await start();
    for (let again = 0; again < Math.max(1, TRIES); again++) {
      await edit(page, String(++value));
      await page.waitForTimeout(delay);
      page = await event(page);
      if (await isThere(page, String(value))) continue;
      lost++;
      await openRun(page);
    }
    await page.close();
    all.push(lost);
  }
  if (TRIES > 0) console.log(`${test.info().project.name} | ${name} | ${all.join(' | ')}`);
  return all;
}

test.setTimeout(TRIES > 0 ? 7_200_000 : 180_000);

/** Other tests have these at once after an edit: `keeping.spec.ts`, `returning.spec.ts`. */
const ELSEWHERE = ['reload', 'another address'];

for (const [way, event] of Object.entries(WAYS)) {
  if (TRIES === 0 && ELSEWHERE.includes(way)) continue;
  test(`no edit is lost by ${way}`, async ({ context, browserName }) => {
    // What a closed tab still writes depends on the browser; the other ways are the page's own.
    test.skip(browserName === 'firefox' && way !== 'closed tab', 'the same code in each browser');
    const lost = await losses(
      way,
      () => fresh(context),
      (page) => event(page, context),
    );
    expect(lost).toEqual(DELAYS.map(() => 0));
  });
}

/** Kills every process of the browser with this profile, as a crash would. */
function kill(profile: string): void {
  const found = execFileSync('pgrep', ['-f', '--', profile], { encoding: 'utf8' });
  for (const id of found.split('\n').filter(Boolean).map(Number)) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It ended with its parent.
    }
  }
}

test.describe('a killed browser', () => {
  let profile = '';
  let type: BrowserType;
  const start = (baseURL: string | undefined) => {
    const { launchOptions, channel } = test.info().project.use;
    const options = {
      ...launchOptions,
      ...(channel ? { channel } : {}),
      ...(baseURL ? { baseURL } : {}),
    };
    return type.launchPersistentContext(profile, options);
  };

  test.beforeEach(({ browser }) => {
    profile = mkdtempSync(join(tmpdir(), 'busyard-profile-'));
    type = browser.browserType();
  });

  test.afterEach(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));

  test('has the work that was reported as saved', async ({ baseURL }) => {
    const first = await start(baseURL);
    const page = await first.newPage();
    await openRun(page);
    await edit(page, '150');
    await isKept(page);
    kill(profile);
    const second = await start(baseURL);
    await shows(await visit(second), '150');
    await second.close();
  });

  test('has an edit made a second ago', async ({ baseURL }) => {
    test.skip(TRIES === 0, 'a matter of time, so it is measured and not asserted');
    let context: BrowserContext | null = null;
    const again = async () => {
      await context?.close();
      context = await start(baseURL);
      return context;
    };
    const lost = await losses(
      'killed browser',
      async () => fresh(await again()),
      async () => {
        kill(profile);
        context = null;
        return visit(await again());
      },
    );
    await (context as BrowserContext | null)?.close();
    expect(lost).toHaveLength(DELAYS.length);
  });
});
