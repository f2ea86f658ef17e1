/**
 * The panels that show a run move while it plays: two seconds from the opening moment of a scenario, cells counted. A
 * few scenarios here; `BUSYARD_LIVING=all` plays each of them, `BUSYARD_LIVING=hp/` those with such an address.
 */
import { readFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { filesUnder } from '../../scripts/lib.mjs';
import type { Census } from '../support/looks/changes';
import { CENSUS } from '../support/looks/changes';
import { atRest } from './work';

const WANTED = process.env.BUSYARD_LIVING;

const SAMPLE = [
  'hp/at-work',
  'hp/two-streams',
  'pools/one-lock-or-sixteen',
  'zx1/lines-ahead',
  'soc/deadline',
  'start/bus',
];

/** A step without an open question, where the first one seals what a panel would show. */
const STEPS: Readonly<Record<string, number>> = {
  'hp/two-streams': 2,
  'pools/one-lock-or-sixteen': 2,
  'zx1/lines-ahead': 2,
};

const scenarios = filesUnder('scenarios')
  .filter((path) => path.endsWith('.json') && !path.startsWith('scenarios/machines/'))
  .filter((path) => !/"kind": "poke"/.test(readFileSync(path, 'utf8')))
  .map((path) => path.replace(/^scenarios\/|\.json$/g, ''));

const chosen = WANTED
  ? scenarios.filter((id) => WANTED === 'all' || id.includes(WANTED))
  : scenarios.filter((id) => SAMPLE.includes(id));

/** Panels that are named to animate, as far as a scenario shows them when it opens. */
const MOVING = [
  'machine',
  'cache-lines',
  'io-tlb',
  'pool-map',
  'pool-map-below',
  'lanes',
  'task-lanes',
];

const SECONDS = 2;

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

/** What the panels show, several times while the run plays. */
async function playing(page: Page): Promise<Census> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('Space');
  const census = await page.evaluate<Census>(`(${CENSUS})(${JSON.stringify(MOVING)}, ${SECONDS})`);
  await page.keyboard.press('Space');
  return census;
}

for (const id of chosen)
  test(`moves while ${id} plays`, async ({ page }) => {
    await page.goto(`./#/machine/${id}?step=${STEPS[id] ?? 1}`);
    await atRest(page);
    const { panels, frames, longest } = await playing(page);
    expect(panels.length, 'panels that are named to animate').toBeGreaterThan(0);
    test.info().annotations.push({
      type: 'cells',
      description: `${panels.map((one) => `${one.id} ${one.changed} of ${one.cells}`).join(', ')}; ${frames} frames, longest task ${longest} ms`,
    });
    for (const { id: panel, changed, jumps } of panels) {
      expect.soft(changed, `cells of ${panel} that changed`).toBeGreaterThan(0);
      expect.soft(jumps, `moves of the picture in ${panel} by its header`).toBe(0);
    }
    if (id === 'soc/deadline') await expectWhole(page, 'Designs', 'The designs side by side');
    if (id === 'zx1/lines-ahead') await expectWhole(page, 'Order', 'Ordering');
  });

/** A panel that is no list is seen whole at 1440x900. */
async function expectWhole(page: Page, tab: string, title: string): Promise<void> {
  await page.getByRole('tab', { name: tab }).click();
  const panel = page.getByRole('region', { name: title });
  await expect(panel.getByRole('table')).toBeVisible();
  const cut = () =>
    panel
      .getByRole('group', { name: title })
      .evaluate((body) => [
        body.scrollHeight - body.clientHeight,
        body.scrollWidth - body.clientWidth,
      ]);
  await expect.poll(cut).toEqual([0, 0]);
}

test('a lecture: large labels, and lines from the words to what they name', async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto('./#/machine/hp/at-work');
  await atRest(page);
  await page.keyboard.press('l');
  const [mark, line] = [page.locator('[data-mark="0"]'), page.locator('[data-leaders] circle')];
  // It opens in the middle of a transfer: its words are those of the transfer, not of an event before.
  await expect(mark).toHaveText('Runway');
  await expect(line).toHaveCount(2);
  await page.keyboard.press('ArrowRight');
  await expect(mark).toHaveText('LAN');
  await expect(line).toHaveCount(1);
  const named = page.locator('[data-machine] [data-part]', { hasText: 'LAN' }).locator('rect');
  // The drawing takes the room of what lecture mode hides, and the line follows it.
  await expect(async () => {
    const end = await line.evaluate((dot) => [dot.getAttribute('cx'), dot.getAttribute('cy')]);
    const box = await named.first().boundingBox();
    const [x, y] = end.map(Number) as [number, number];
    expect(x).toBeGreaterThan((box?.x ?? 0) - 4);
    expect(x).toBeLessThan((box?.x ?? 0) + (box?.width ?? 0) + 4);
    expect(y).toBeGreaterThan((box?.y ?? 0) - 4);
    expect(y).toBeLessThan((box?.y ?? 0) + (box?.height ?? 0) + 4);
  }).toPass();
  const small = await page
    .locator('[data-machine] svg text, [data-sheet="overview"] svg text')
    .evaluateAll((texts) =>
      (texts as SVGTextElement[])
        .filter((text) => text.textContent)
        .map((text) => ({
          size: Number.parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM()?.a ?? 1),
          text: text.textContent,
        }))
        .filter(({ size }) => size < 23.5),
    );
  expect(small).toEqual([]);
});
