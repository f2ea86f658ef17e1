import { readdirSync, readFileSync } from 'node:fs';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { type Site, serveSite } from '../support/site';
import { expectAccessible } from './accessible';
import { atRest, edit, shows, UNCHANGED } from './work';

const heading = (page: Page) => page.locator('header h1');
const banner = (page: Page) => page.locator('[role="alert"][data-kind]');

const go = (page: Page, hash: string) =>
  page.evaluate((fragment) => {
    location.hash = fragment;
  }, hash);

let site: Site;
test.beforeEach(async () => {
  site = await serveSite();
});
test.afterEach(async () => {
  await site.close().catch(() => undefined);
});

test.describe('after the first visit', () => {
  test.use({ serviceWorkers: 'allow' });

  /** Waits until all files are cached. */
  const kept = (page: Page) =>
    page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });

  test('the page says so in its bar, beside the controls at each width', async ({
    page,
    browserName,
  }) => {
    test.skip(browserName === 'firefox', 'a matter of layout, which one browser shows');
    // The notice stays until it has been measured at each width.
    await page.addInitScript(() => {
      const { setTimeout } = window;
      const late = (call: () => void, ms?: number) => setTimeout(call, ms === 5000 ? 1e6 : ms);
      window.setTimeout = late as typeof setTimeout;
    });
    await page.goto(`${site.url}#/machine/gt/one-word`);
    const notice = page.getByText('Busyard now also works offline.');
    await expect(notice).toBeVisible({ timeout: 60_000 });
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await atRest(page);
      const covered = await notice.evaluate((element) => {
        const at = element.getBoundingClientRect();
        const bar = element.closest('header');
        const inBar = bar?.getBoundingClientRect();
        const isInside =
          inBar !== undefined &&
          at.left >= inBar.left &&
          at.right <= inBar.right &&
          at.bottom <= inBar.bottom;
        const controls = [...(bar?.querySelectorAll('a, button') ?? [])].filter((control) => {
          const { left, right } = control.getBoundingClientRect();
          return left < at.right && right > at.left;
        });
        return isInside ? controls.map(({ textContent }) => textContent) : ['the page below'];
      });
      expect(covered, `${width} x ${height}`).toEqual([]);
    }
  });

  test("the cached page is shown instead of the server's errors, and every view works offline", async ({
    page,
    context,
  }) => {
    await page.goto(site.url);
    await kept(page);
    const next = await context.newPage();
    for (const [status, path] of [
      [429, ''],
      [500, 'index.html'],
      [502, '?theme=dark'],
      [503, ''],
      [504, ''],
    ] as const) {
      site.status = status;
      const response = await next.goto(site.url + path);
      expect(response?.status(), `${path} for ${status}`).toBe(200);
      await expect(heading(next)).toHaveText('Gallery');
      // Another address, so that the same one is requested again.
      await next.goto('about:blank');
    }
    await next.goto(`${site.url}#/machine/gt/one-word`);
    await next.reload();
    await expect(heading(next)).toHaveText('One word at a time');
    await next.close();

    await site.close();
    for (const [view, part] of [
      ['lab/gt/crossover', 'Throughput by transfer size'],
      ['machine/hp/stale-inbound', 'Machine'],
      ['machine/pools/one-lock-or-sixteen', 'Bitmap, one row per pool'],
      ['report', 'Reproduction report'],
      ['prove', 'Prove it, break it'],
    ] as const) {
      await go(page, `#/${view}`);
      await expect(page.getByRole('region', { name: part }).first()).toBeVisible();
      await expect(banner(page)).toHaveCount(0);
    }
    await page.goto(`${site.url}?theme=dark#/machine/gt/gfixit`);
    await expect(heading(page)).toHaveText('Batch the small reads');
    await expect(page.locator('[data-hash]')).toBeVisible();
  });

  test('a newer page is shown when there is one, and an open tab stays consistent', async ({
    page,
    context,
  }) => {
    await page.goto(site.url);
    await kept(page);
    const removed = readdirSync('dist/assets').find((name) => /^gfixit-.*\.js$/.test(name)) ?? '';
    const built = readFileSync('dist/index.html', 'utf8');
    const worker = readFileSync('dist/sw.js', 'utf8');
    expect(worker).toContain(removed);
    site.instead.set(`assets/${removed}`, null);
    site.instead.set('assets/newer-01234567.js', 'export default 1;');
    site.instead.set(
      'index.html',
      built.replace('<title>', '<meta name="build" content="newer"><title>'),
    );
    const revised = worker.replace(/(url:.\.\/.,revision:.)\w+/, '$10123456789abcdef');
    site.instead.set('sw.js', revised.replace(removed, 'newer-01234567.js'));

    const newer = await context.newPage();
    await newer.goto(site.url);
    expect(await newer.content()).toContain('content="newer"');
    await newer.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
    });
    const waits = () =>
      newer.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null);
    await expect.poll(waits).toBe(true);
    await go(page, '#/machine/gt/gfixit');
    await expect(heading(page)).toHaveText('Batch the small reads');

    await page.close();
    await newer.close();
    // The newer worker takes over only while no tab is open, and each check opens one; a tab that does not
    // load is reopened.
    const old = async () => {
      const look = await context.newPage();
      const there = look
        .goto(site.url)
        .then(() => look.evaluate((name) => caches.match(`assets/${name}`).then(Boolean), removed));
      const patience = look.waitForTimeout(20_000).then(() => true);
      return Promise.race([there, patience]).finally(() => look.close());
    };
    await expect.poll(old, { intervals: [500, 3_000], timeout: 90_000 }).toBe(false);
    const last = await context.newPage();
    await site.close();
    await last.goto(site.url);
    expect(await last.content()).toContain('content="newer"');
    await expect(heading(last)).toHaveText('Gallery');
  });
});

test('a failed download of a scenario, a panel or an overlay is reported, and each opens once it can be loaded', async ({
  page,
}) => {
  // The heading appears before the gallery has been loaded.
  const loaded = async () => {
    await expect(heading(page)).toHaveText('Gallery');
    await expect(page.getByRole('link', { name: /One word at a time/ })).toBeVisible();
    await atRest(page);
  };
  await page.goto(site.url);
  await loaded();
  const again = page.getByRole('button', { name: 'Try again' });

  await test.step('a scenario', async () => {
    await site.close();
    await page.getByRole('link', { name: /One word at a time/ }).click();
    await expect(banner(page)).toContainText('The scenario could not be opened.');
    await expect(banner(page)).toContainText('could not be fetched');
    await expect(page).not.toHaveURL(/one-word/);
    await again.click();
    await expect(page.getByText('The site still cannot be reached.')).toBeVisible();
    await site.reopen();
    await again.click();
    await expect(heading(page)).toHaveText('One word at a time');
    await expect(banner(page)).toHaveCount(0);
    await expect(page).toHaveURL(/#\/machine\/gt\/one-word/);
    await atRest(page);
  });

  await test.step('a panel', async () => {
    await site.close();
    await go(page, '#/report');
    const notice = page.getByRole('alert').filter({ hasText: 'cannot be shown' });
    await expect(notice).toContainText('could not be fetched');
    await site.reopen();
    await page.getByRole('button', { name: 'Show it again' }).click();
    await expect(notice).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
  });

  await test.step('an overlay: the page stays', async () => {
    await go(page, '#');
    await loaded();
    await site.close();
    await page.keyboard.press('?');
    await expect(banner(page)).toContainText('Keys cannot be shown.');
    await expect(heading(page)).toHaveText('Gallery');
    await site.reopen();
    await again.click();
    await expect(banner(page)).toHaveCount(0);
  });
});

test.describe('a page that is older than the site', () => {
  /** The site after an update: another page, without the old files that were not fetched yet. */
  const publish = (fetched: ReadonlySet<string>) => {
    const built = readFileSync('dist/index.html', 'utf8');
    for (const name of readdirSync('dist/assets'))
      if (!fetched.has(`assets/${name}`)) site.instead.set(`assets/${name}`, null);
    site.instead.set('index.html', built.replace(/(type="module"[^>]*src=")[^"]*/, '$1./newer.js'));
  };
  const restore = () => site.instead.clear();
  const saysReload = (notice: Locator) =>
    expect(notice).toContainText('Busyard was updated since this page was loaded');

  test('suggests a reload for a scenario, and opens it then', async ({ page, browserName }) => {
    test.skip(browserName === 'firefox', 'fetched as a panel is');
    await page.goto(site.url);
    await expect(page.getByRole('link', { name: /One word at a time/ })).toBeVisible();
    await atRest(page);
    publish(new Set(site.asked));
    await page.getByRole('link', { name: /One word at a time/ }).click();
    await saysReload(banner(page));
    await expect(banner(page)).not.toContainText('network');
    restore();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await expect(heading(page)).toHaveText('One word at a time');
  });

  test('suggests a reload for a panel, which keeps an edit', async ({ page }) => {
    await page.goto(`${site.url}#/machine/gt/gfixit?t=0`);
    await shows(page, UNCHANGED);
    await atRest(page);
    await edit(page, '150');
    publish(new Set(site.asked));
    await page.keyboard.press('Escape');
    await go(page, '#/report');
    const notice = page.getByRole('alert').filter({ hasText: 'cannot be shown' });
    await saysReload(notice);
    await page.goBack();
    await shows(page, '150');
    await go(page, '#/report');
    restore();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
    await page.goBack();
    await shows(page, '150');
  });

  test('suggests a reload for an overlay and for a worker', async ({ page }) => {
    await page.goto(`${site.url}#url=${site.url}missing.json`);
    await atRest(page);
    publish(new Set(site.asked));
    await page.getByRole('button', { name: 'Fetch it' }).click();
    await saysReload(banner(page).filter({ hasText: 'no longer has all parts' }));
    await page.keyboard.press('?');
    await saysReload(banner(page).filter({ hasText: 'Keys cannot be shown' }));
    await expectAccessible(page);
  });
});
