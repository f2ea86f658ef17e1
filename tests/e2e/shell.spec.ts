import { readFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './accessible';
import { drop, dropAll, edit, openRun, recent, shows, toGallery } from './work';

const SCENARIO = readFileSync('scenarios/gt/one-word.json', 'utf8');
const MY_SCENARIO = SCENARIO.replace(/"title": "[^"]*"/, '"title": "Word by word at home"');

const SYSTEMS = [
  'Coherent I/O',
  'DMA hints',
  'Shared address space',
  'PIO or DMA',
  'Pooled allocation',
];

const open = async (page: Page, fragment = '') => {
  await page.goto(`./${fragment}`);
  await expect(page.locator('header h1')).not.toHaveText('Opening');
};

const scrolls = (page: Page) =>
  page.evaluate(() => {
    const root = document.documentElement;
    return root.scrollWidth > root.clientWidth || root.scrollHeight > root.clientHeight;
  });

/** After the next animation frame. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((next) => requestAnimationFrame(() => setTimeout(next))));

const heading = (page: Page) => page.locator('header h1');
const banner = (page: Page) => page.locator('[role="alert"][data-kind]');

test.describe('the gallery', () => {
  test('opens only what exists', async ({ page }) => {
    await open(page);
    await expect(page.getByRole('heading', { name: /Your program saved the file/ })).toBeVisible();
    for (const system of SYSTEMS) {
      const region = page.getByRole('region', { name: system });
      const built = (await region.getByRole('link').count()) > 0;
      await expect(region.getByText('not yet built')).toHaveCount(built ? 0 : 1);
    }
    const gt = page.getByRole('region', { name: 'PIO or DMA' });
    await gt.getByRole('link', { name: /One word at a time/ }).click();
    await expect(page).toHaveURL(/#\/machine\/gt\/one-word/);
    await expect(heading(page)).toHaveText('One word at a time');
    await page.goBack();
    await expect(heading(page)).toHaveText('Gallery');
    await expect(gt.getByRole('link', { name: /crossover/ })).toHaveAttribute(
      'href',
      /#\/lab\/gt\/crossover$/,
    );
    await expect(gt.getByLabel('opened before')).toHaveCount(1);
  });

  test('leads to old data in two presses, by keyboard, and to the lesson about it', async ({
    page,
  }) => {
    await open(page);
    const first = page.getByRole('region', { name: 'A first look' });
    await expect(first).toContainText('waits for the file');
    await first.getByRole('button', { name: 'Save the file' }).press('Enter');
    const second = first.getByRole('button', { name: 'Let the disk read it' });
    await expect(second).toBeFocused();
    await expect(first).toContainText('out of date');
    await expect(first).toContainText('waits for the file');
    await second.press('Enter');
    await expect(first).toContainText('written to disk');
    await expect(first.getByRole('link', { name: 'Why did nobody notice?' })).toBeFocused();
    await first.getByRole('button', { name: 'Again' }).press('Enter');
    await expect(first).toContainText('waits for the file');
    await expect(first.getByRole('button', { name: 'Save the file' })).toBeFocused();
    await first.getByRole('button', { name: 'Save the file' }).click();
    await second.click();
    await first.getByRole('link', { name: 'Why did nobody notice?' }).click();
    await expect(heading(page)).toHaveText('Why data gets old');
  });

  test('has no accessibility violations', async ({ page }) => {
    await open(page);
    await expect(page.getByRole('heading', { name: /Your program saved the file/ })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
    await expectAccessible(page, ['dialog']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox')).toBeFocused();
    await expectAccessible(page, ['dialog']);
  });
});

test.describe('the keyboard', () => {
  test('first reaches the skip link, regains the focus from a dialog, and finds a scenario by a few letters', async ({
    page,
  }) => {
    await open(page);
    await test.step('the skip link', async () => {
      await page.keyboard.press('Tab');
      await expect(page.getByRole('button', { name: 'Skip to the contents' })).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(page.locator('main')).toBeFocused();
    });
    await test.step('the focus after a dialog', async () => {
      const help = page.getByRole('button', { name: 'Key help' });
      await help.click();
      await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(help).toBeFocused();
    });
    await test.step('a scenario by a few letters', async () => {
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('combobox')).toBeFocused();
      // Each letter changes the ranking; the selected match must be visible.
      for (const letter of 'cross') {
        await page.keyboard.type(letter);
        const first = page.getByRole('option').first();
        await expect(first).toHaveAttribute('aria-selected', 'true');
        await expect(first).toBeInViewport();
      }
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(/#\/lab\/gt\/crossover$/);
      await expect(page.getByRole('dialog')).toHaveCount(0);
    });
  });

  test('loses its single letters when the user disables them, also after a reload', async ({
    page,
  }) => {
    await open(page);
    await page.keyboard.press('?');
    await page.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.keyboard.press('l');
    await expect(page.getByRole('button', { name: 'Projector mode' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox')).toBeFocused();
  });
});

test('the theme follows the system until the user chooses, and is remembered', async ({ page }) => {
  const theme = (name: string) => expect(page.locator('html')).toHaveAttribute('data-theme', name);
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(page);
  await theme('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await theme('light');
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await theme('dark');
  await page.reload();
  await theme('dark');
});

test('the panels of a lab are reached, maximised and resized by keys; edits are undone, and survive a reload', async ({
  page,
}) => {
  await open(page, '#/lab/gt/crossover');
  await expect(page.getByRole('region', { name: 'Throughput by transfer size' })).toBeVisible();
  await test.step('panels get the focus by Alt and their digit', async () => {
    await page.keyboard.press('Alt+2');
    await expect(
      page.getByRole('region', { name: 'Throughput by transfer size' }).first(),
    ).toBeFocused();
    await page.keyboard.press('Alt+1');
    await expect(page.getByRole('region', { name: 'Lesson' }).first()).toBeFocused();
    await page.keyboard.press('Alt+6');
    await expect(page.getByRole('region', { name: 'Parameters' }).first()).toBeFocused();
  });
  await test.step('they are maximised by M, and restored by Escape', async () => {
    await page.keyboard.press('Alt+2');
    const chart = page.getByRole('region', { name: 'Throughput by transfer size' }).first();
    await page.keyboard.press('m');
    await expect(page.getByRole('region', { name: 'Parameters' })).toHaveCount(0);
    await expect(chart).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('region', { name: 'Parameters' }).first()).toBeVisible();
    await expect(chart).toBeFocused();
  });
  await test.step('they are resized by the keyboard', async () => {
    const width = async () =>
      (await page.getByRole('region', { name: 'Parameters' }).first().boundingBox())?.width ?? 0;
    const before = await width();
    await page.locator('[role="separator"][aria-orientation="vertical"]').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await width()).toBeGreaterThan(before);
  });
  await test.step('projector mode is entered, blanked and left', async () => {
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const size = () => page.locator('main').evaluate((main) => getComputedStyle(main).fontSize);
    const before = Number.parseFloat(await size());
    await page.keyboard.press('l');
    await expect(page.getByRole('button', { name: /leave projector mode/ })).toBeVisible();
    expect(Number.parseFloat(await size())).toBeCloseTo(before * 1.5);
    await page.keyboard.press('.');
    await expect(page.getByRole('button', { name: 'Show the page again' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Show the page again' })).toHaveCount(0);
    await page.keyboard.press('l');
    await expect(page.getByRole('link', { name: 'Gallery', exact: true })).toBeVisible();
  });
  const call = page.getByRole('spinbutton', { name: 'Per call' }).first();
  const edit = async (value: string) => {
    await call.fill(value);
    await page.keyboard.press('Enter');
  };
  await test.step('an edit that is refused gives the reason and changes nothing', async () => {
    await expect(call).toHaveValue('128.5');
    await edit('a while');
    await expect(page.getByText('"a while" is not a number.')).toBeVisible();
    await expect(call).toHaveValue('128.5');
    await expect(page.getByRole('button', { name: 'Undo' })).toBeDisabled();
  });
  await test.step('an edit is counted in the bar, undone, redone, and survives a reload', async () => {
    await edit('150 ns');
    await expect(page.getByRole('banner')).toContainText('1\u00a0change since calibration');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(call).toHaveValue('128.5');
    await page.keyboard.press('Control+y');
    await expect(call).toHaveValue('150.0');
    await page.reload();
    await expect(call).toHaveValue('150.0');
  });
});

test('an edit in another tab is never overwritten', async ({ page, context }) => {
  await openRun(page);
  await edit(page, '150');
  await toGallery(page);
  await expect(recent(page)).toBeVisible();
  await page.goBack();
  await shows(page, '150');

  const other = await context.newPage();
  await open(other);
  await recent(other).click();
  await shows(other, '150');
  await edit(other, '160');
  await toGallery(other);
  await expect(recent(other)).toBeVisible();
  await other.close();

  await edit(page, '170');
  await expect(banner(page)).toContainText('Another tab has a newer version');
  await page.getByRole('button', { name: 'Load the newer version' }).click();
  await shows(page, '160');
  await expect(banner(page)).toHaveCount(0);
});

test.describe('a file', () => {
  test('that is refused shows place and reason, and the session stays', async ({ page }) => {
    await open(page, '#/machine/gt/one-word');
    await expect(heading(page)).toHaveText('One word at a time');
    await drop(page, 'bad.json', SCENARIO.replace('"system": "gt"', '"system": "gt", "colour": 3'));
    await expect(banner(page)).toContainText('bad.json');
    await expect(banner(page)).toContainText('line');
    await expect(banner(page)).toContainText('colour');
    await expect(banner(page)).toContainText('Your session is untouched.');
    await expect(heading(page)).toHaveText('One word at a time');
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(banner(page)).toHaveCount(0);
  });

  test('that is not a scenario is refused with a message', async ({ page }) => {
    await open(page);
    await drop(page, 'holiday.txt', 'sun, sea, sand');
    await expect(banner(page)).toContainText('holiday.txt');
    await expect(heading(page)).toHaveText('Gallery');
  });

  test('opens by drop, survives a reload, and is listed in recent work', async ({ page }) => {
    await open(page);
    await drop(page, 'home.json', MY_SCENARIO);
    await expect(heading(page)).toHaveText('Word by word at home');
    await page.getByRole('link', { name: 'Busyard: go to the gallery' }).click();
    const recent = page.getByRole('button', { name: /^Word by word at home/ });
    await recent.click();
    await expect(heading(page)).toHaveText('Word by word at home');
    await page.reload();
    await expect(heading(page)).toHaveText('Word by word at home');
    await page.getByRole('link', { name: 'Busyard: go to the gallery' }).click();
    await page.getByRole('button', { name: 'Delete Word by word at home' }).click();
    await expect(recent).toHaveCount(0);
  });

  test('opens with its lesson, which survives a reload; without it, the page says so', async ({
    page,
  }) => {
    const named = MY_SCENARIO.replace(/"lesson": "(?:[^"\\]|\\.)*"/, '"lesson": "home.md"');
    const lesson = page.getByRole('region', { name: 'Lesson' });
    await open(page);
    await drop(page, 'home.json', named);
    await expect(lesson).toContainText('Its lesson is in home.md, which was not opened with it.');
    await dropAll(page, { 'home.md': '# At home\n\nWords go out.\n', 'other.json': named });
    await expect(lesson).toContainText('Words go out.');
    await page.reload();
    await expect(lesson).toContainText('Words go out.');
    await dropAll(page, { 'a.json': named, 'b.json': named });
    await expect(banner(page)).toContainText(
      'Open one scenario, session, lesson or table at a time',
    );
    await dropAll(page, { 'a.json': named, 'b.md': '# B\n' });
    await expect(banner(page)).toContainText('"b.md" does not go with it.');
    await expect(lesson).toContainText('Words go out.');
  });

  test('opens by the file dialog, and is saved unchanged', async ({ page }) => {
    await open(page);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('banner').getByRole('button', { name: 'Open', exact: true }).click();
    const buffer = Buffer.from(MY_SCENARIO);
    await (await chooser).setFiles({ name: 'home.json', mimeType: 'application/json', buffer });
    await expect(heading(page)).toHaveText('Word by word at home');
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /Save as scenario file/ }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('home.scenario.json');
    expect(readFileSync(await saved.path(), 'utf8')).toBe(MY_SCENARIO);
  });

  test('opens by link', async ({ page }) => {
    await page.route('**/shelf/home.json', (route) => route.fulfill({ body: MY_SCENARIO }));
    await open(page);
    const url = new URL('shelf/home.json', page.url()).href;
    await page.evaluate((link) => {
      location.hash = `url=${encodeURIComponent(link)}`;
    }, url);
    await expect(banner(page)).toContainText('The address requests a file from this site');
    await page.getByRole('button', { name: 'Fetch it' }).click();
    await expect(heading(page)).toHaveText('Word by word at home');
  });
});

test.describe('an address', () => {
  test('transfers a session to another browser', async ({ page, browser }) => {
    await open(page);
    await drop(page, 'home.json', MY_SCENARIO);
    await page.getByRole('button', { name: 'Share' }).click();
    const field = page.getByRole('textbox', { name: 'Link to this session' });
    await expect(field).toHaveValue(/#s=/);
    const link = await field.inputValue();
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const elsewhere = await context.newPage();
    await elsewhere.goto(link);
    await expect(heading(elsewhere)).toHaveText('Word by word at home');
    await elsewhere.reload();
    await expect(heading(elsewhere)).toHaveText('Word by word at home');
    await context.close();
  });

  test('that is incomplete is reported', async ({ page }) => {
    await open(page, '#s=abcdefgh');
    await expect(banner(page)).toContainText('damaged');
    await expect(heading(page)).toHaveText('Gallery');
  });

  test('of an unknown place leaves the page unchanged', async ({ page }) => {
    await open(page, '#/machine/gt/one-word');
    await expect(heading(page)).toHaveText('One word at a time');
    await page.evaluate(() => {
      location.hash = '#/nowhere';
    });
    await expect(banner(page)).toContainText('There is no view with this name');
    await expect(heading(page)).toHaveText('One word at a time');
    await expect(page).toHaveURL(/#\/machine\/gt\/one-word/);
  });

  test('of an unknown scenario names it until another is opened', async ({ page }) => {
    await open(page, '#/lab/gt/crosover');
    await expect(banner(page)).toContainText('gt/crosover');
    await expect(heading(page)).toHaveText('Gallery');
    const gt = page.getByRole('region', { name: 'PIO or DMA' });
    await gt.getByRole('link', { name: /One word at a time/ }).press('Enter');
    await expect(heading(page)).toHaveText('One word at a time');
    await expect(banner(page)).toHaveCount(0);
    // By keyboard, one arrives where the lesson is read.
    await expect(page.locator('#lesson [data-step]')).toBeFocused();
  });
});

test.describe('on a tablet', () => {
  test.use({ viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true });

  test('targets are large enough for a finger, and everything fits', async ({ page }) => {
    await open(page, '#/machine/gt/one-word');
    await expect(page.locator('#machine')).toBeVisible();
    const sizes = await page
      .locator('header:has(h1) :is(nav a, button), [role=tab], #transport :is(button, select)')
      .evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility())
          .map((one) => ({
            name: one.getAttribute('aria-label') ?? one.textContent,
            high: one.getBoundingClientRect().height,
          })),
      );
    expect(sizes.length).toBeGreaterThan(15);
    expect(sizes.filter(({ high }) => high < 36)).toEqual([]);
    expect(await scrolls(page)).toBe(false);
    const bar = await page.locator('#transport').boundingBox();
    expect(bar?.height).toBeGreaterThanOrEqual(38);
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('nothing is wider than the screen, and the menu holds what does not fit in the bar', async ({
    page,
  }) => {
    for (const fragment of ['', '#/machine/gt/one-word', '#/lab/gt/crossover']) {
      await open(page, fragment);
      await expect(page.getByRole('button', { name: 'Menu' })).toBeVisible();
      expect(await scrolls(page), fragment).toBe(false);
      if (fragment === '') await expectAccessible(page);
    }
    await expect(heading(page)).toContainText('crossover');
    await page.getByRole('button', { name: 'Menu' }).tap();
    for (const item of await page.getByRole('menuitem').all()) {
      expect((await item.boundingBox())?.height, 'large enough for thumbs').toBeGreaterThanOrEqual(
        44,
      );
    }
    await page.getByRole('menuitem', { name: 'Share by link' }).tap();
    await expect(page.getByRole('dialog', { name: 'Share by link' })).toBeVisible();
    expect(await scrolls(page)).toBe(false);
  });

  test('in landscape, text and picture are side by side, each with room', async ({ page }) => {
    await page.setViewportSize({ width: 844, height: 390 });
    await open(page, '#/machine/gt/one-word');
    const box = async (id: string) => {
      await expect(page.locator(id)).toBeVisible();
      return (await page.locator(id).boundingBox()) ?? { x: 0, width: 0, height: 0 };
    };
    const [lesson, machine] = [await box('#lesson'), await box('#machine')];
    expect(machine.x).toBeGreaterThanOrEqual(lesson.x + lesson.width);
    expect(Math.min(lesson.height, machine.height)).toBeGreaterThan(200);
  });
});

test('no window has stray scroll bars', async ({ page }) => {
  const sizes = [
    [1920, 1080],
    [1440, 900],
    [1280, 720],
    [1024, 768],
    [800, 1000],
    [844, 390],
    [360, 640],
  ] as const;
  for (const fragment of ['', '#/lab/gt/crossover', '#/machine/gt/one-word']) {
    await open(page, fragment);
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await drawn(page);
      expect(await scrolls(page), `${fragment} at ${width} x ${height}`).toBe(false);
    }
  }
});
