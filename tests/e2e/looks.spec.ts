/**
 * Layout of every view: no text overlaps, is cut or leaves its box, and no controls overlap. A few views
 * here; `npm run looks` checks all of them.
 */
import { readFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { filesUnder } from '../../scripts/lib.mjs';
import type { Flaw } from '../support/looks/boxes';
import { BEFORE, FLAWS } from '../support/looks/page';

const { BUSYARD_LOOKS: WANTED, BUSYARD_SHOTS: SHOTS } = process.env;
const WIDTHS = [390, 844, 1024, 1440, 1920];
const HEIGHTS: Readonly<Record<number, number>> = {
  390: 844,
  844: 390,
  1024: 768,
  1440: 900,
  1920: 1080,
};
const THEMES = ['light', 'dark'] as const;

const scenarios = filesUnder('scenarios').filter(
  (path) => path.endsWith('.json') && !path.startsWith('scenarios/machines/'),
);
const PLACES = [
  ...['', 'prove', 'glossary', 'lessons', 'report'].map((view) => (view ? `#/${view}` : '#')),
  ...['sandbox/start/poke', 'build/start/bus', 'build/one/two-cards', 'compare/hp/five-ways'].map(
    (view) => `#/${view}`,
  ),
  ...scenarios.flatMap((path) => {
    const id = path.replace(/^scenarios\/|\.json$/g, '');
    const isLab = /"kind": "lab"/.test(readFileSync(path, 'utf8'));
    return isLab ? [`#/lab/${id}`, `#/machine/${id}`] : [`#/machine/${id}`];
  }),
];

/** Opens a place within the loaded page and waits until it is complete. */
async function open(page: Page, place: string): Promise<void> {
  const before = (await page.locator('header h1').textContent()) ?? '';
  await page.evaluate((hash) => {
    location.hash = hash;
  }, place);
  await expect(page).toHaveURL((url) => url.hash === place || (place === '#' && url.hash === ''));
  if (place !== '#') await expect(page.locator('header h1')).not.toHaveText(before);
  await expect(page.locator('header h1')).not.toHaveText('Opening');
  if (place.startsWith('#/machine')) {
    await expect(page.locator('[data-hash]')).toHaveAttribute('data-hash', /^[0-9a-f]{16}$/);
  }
  // The curves of some scenarios are hundreds of runs.
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0, { timeout: 120_000 });
  await page.evaluate(() => document.fonts.ready);
}

/** Two frames, so that everything has followed the size of its box. */
const drawn = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((next) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(next, 60))),
      ),
  );

/** Shows contents: the question revealed, the playhead inside the run, a part selected. */
async function getGoing(page: Page): Promise<void> {
  const decline = page.locator('#lesson').getByRole('button', { name: /^Just show me/ });
  if (await decline.count()) await decline.first().click();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  for (const key of ['End', '2', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'w']) {
    await page.keyboard.press(key);
  }
  await drawn(page);
}

/** The sandbox with a violation, or a machine with an open port and its part selected. */
async function getBusy(page: Page, place: string): Promise<void> {
  if (place.startsWith('#/sandbox'))
    for (const key of ['b', '6', 'q']) await page.keyboard.press(key);
  if (place.startsWith('#/build'))
    await page.getByRole('button', { name: 'Add I/O device, hsc' }).click();
  await drawn(page);
}

/** Calls `look` for every tab of the panels. */
async function overTabs(page: Page, look: (tab: string) => Promise<void>): Promise<void> {
  const lists = page.getByRole('tablist', { name: 'Panels' });
  await look('');
  for (let list = 0; list < (await lists.count()); list++) {
    const tabs = lists.nth(list).getByRole('tab');
    const count = await tabs.count();
    for (let tab = 1; tab < count; tab++) {
      await tabs.nth(tab).click();
      await look((await tabs.nth(tab).textContent()) ?? '');
    }
    await tabs.first().click();
  }
  const more = page.getByRole('button', { name: 'More panels' });
  for (let item = 0; (await more.count()) > 0; item++) {
    await more.click();
    const items = page.getByRole('menuitem');
    if (item >= (await items.count())) {
      await page.keyboard.press('Escape');
      break;
    }
    await items.nth(item).click();
    await look((await more.textContent()) ?? '');
  }
  if (await more.count()) await lists.first().getByRole('tab').first().click();
  const drawer = page.locator('aside > button[aria-expanded]');
  if (await drawer.count()) {
    await drawer.click();
    await look('drawer');
    await drawer.click();
  }
}

const describeFlaw = ({ kind, where, text, other }: Flaw): string =>
  `${kind}: ${where}: "${text}" ${other}`;

/** On a busy machine a box may be drawn a frame before it has its size: a flaw is what is still there at rest. */
async function lastingFlaws(page: Page): Promise<string[]> {
  const look = async () => {
    await drawn(page);
    return (await page.evaluate<Flaw[]>(FLAWS)).map(describeFlaw);
  };
  const first = await look();
  if (first.length === 0) return [];
  await expect(page.locator('html[data-busyard="rest"]')).toBeAttached();
  const second = new Set(await look());
  return first.filter((flaw) => second.has(flaw));
}

async function flawsIn(
  page: Page,
  width: number,
  themes: readonly ('light' | 'dark')[],
  name = '',
) {
  const found = new Set<string>();
  await page.setViewportSize({ width, height: HEIGHTS[width] ?? 900 });
  await page.waitForFunction((wide) => window.innerWidth === wide, width);
  await overTabs(page, async (tab) => {
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const flaw of await lastingFlaws(page))
        found.add(`${width}${tab && ` ${tab}`}: ${flaw}`);
      if (!SHOTS || !name) continue;
      const file = `${name}-${width}-${colorScheme}${tab && `-${tab}`}`.replace(/[^\w.-]+/g, '_');
      await page.screenshot({ path: `test-results/looks/${file}.png` });
    }
  });
  return [...found];
}

test.beforeEach(async ({ page }) => {
  await page.addInitScript(BEFORE);
  await page.goto('./');
});

test('overlaps are found', async ({ page }) => {
  await page.goto('about:blank');
  await page.setContent(`
    <p style="position:absolute;top:40px;left:10px">first words</p>
    <p style="position:absolute;top:46px;left:30px">other words</p>
    <div style="overflow:hidden;width:40px;white-space:nowrap;position:absolute;top:100px">too long for it</div>
    <div style="border:1px solid;width:50px;white-space:nowrap;position:absolute;top:140px">out of its border</div>
    <button style="position:absolute;top:200px;left:10px;width:80px">A</button>
    <button style="position:absolute;top:205px;left:50px;width:80px">B</button>
    <p style="position:absolute;top:240px;width:52px;left:0">until 90 000 ns</p>
    <p style="position:absolute;top:340px">second purge: false</p>
    <svg style="position:absolute;top:380px" width="300" height="40">
      <rect x="1" y="1" width="60" height="30" fill="none" stroke="black"/><text x="5" y="20">Memory of it</text>
      <text x="285" y="20" class="st-l">X</text><text x="105" y="20">40 MHz</text><rect x="110" y="14" width="9" height="9" fill="white" stroke="black"/>
      <rect x="195" y="5" width="80" height="24" fill="white" stroke="black"/><text x="205" y="20">120 MHz</text>
    </svg>`);
  const found = await page.evaluate<Flaw[]>(FLAWS);
  const kinds = new Set(found.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['overlap', 'cut', 'leaves', 'covered', 'torn', 'raw', 'legend']));
  expect(found.filter(({ text }) => / MHz/.test(text))).toMatchObject([{ text: '40 MHz' }]);
});

if (WANTED) {
  for (const place of PLACES.filter((one) => WANTED === 'all' || one.includes(WANTED))) {
    test(`the layout has no defects in ${place}`, async ({ page }) => {
      test.setTimeout(600_000);
      await open(page, place);
      const flaws: string[] = [];
      if (place !== '#') flaws.push(...(await flawsIn(page, 1440, ['light'])));
      if (place.startsWith('#/machine')) await getGoing(page);
      else await getBusy(page, place);
      for (const width of WIDTHS)
        flaws.push(...(await flawsIn(page, width, THEMES, place.slice(2))));
      expect(flaws).toEqual([]);
    });
  }
} else {
  const SAMPLE = [
    ['#/machine/hp/at-work', 390],
    ['#/machine/hp/two-streams', 1024],
    ['#/machine/one/card-behind-adapter', 1920],
    ['#/machine/zx1/lines-ahead', 390],
    ['#/lab/gt/crossover', 1440],
  ] as const;
  test('the layout has no defects in a few views', async ({ page }) => {
    for (const [place, width] of SAMPLE) {
      await open(page, place);
      expect.soft(await flawsIn(page, width, ['light']), place).toEqual([]);
    }
  });
}
