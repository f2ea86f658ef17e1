/**
 * Endurance, shortened: stopped work stops, long playing does not leak, a frozen page resumes.
 * `BUSYARD_SOAK_MINUTES=10` plays that long and prints the measurements.
 */
import { readFileSync } from 'node:fs';
import { type CDPSession, expect, type Page, test } from '@playwright/test';
import { atRest, drop } from './work';

const MINUTES = Number(process.env.BUSYARD_SOAK_MINUTES ?? 0);
const SECONDS_EACH = MINUTES > 0 ? 2 : 1;
const LEAST_ROUNDS = 3;
const OPENINGS = 20;
const TWO = [
  { scenario: 'gt/under-load', title: 'The table under load' },
  { scenario: 'hp/at-work', title: 'A machine at work' },
] as const;
/** Most frames until a stop: half a second on an idle machine. */
const MOST_FRAMES = 30;

/** 10^9 events, 3 ps apart. */
const ENDLESS = readFileSync('scenarios/gt/under-load.json', 'utf8').replace(
  '"load": "$ring_load"',
  '"load": "$ring_load", "update_every": "3 ps"',
);

test.use({ contextOptions: { reducedMotion: 'no-preference' } });
if (MINUTES > 0) test.setTimeout((MINUTES + 5) * 60_000);

const play = (page: Page) => page.getByRole('button', { name: 'Play', exact: true });
const events = (page: Page) => page.locator('[data-readout="events"]');

async function open(page: Page, { scenario, title }: (typeof TWO)[number]): Promise<void> {
  await page.goto(`./#/machine/${scenario}`);
  await expect(page.locator('header h1')).toHaveText(title);
  await expect(play(page)).toBeEnabled();
}

interface Figures {
  readonly heapMB: number;
  readonly nodes: number;
  readonly listeners: number;
  readonly workers: number;
}

/** Memory, nodes, listeners and workers of the page after garbage collection. */
async function measured(page: Page, devtools: CDPSession): Promise<Figures> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  const heapMB = Math.round(of('JSHeapUsedSize') / 1e5) / 10;
  const workers = page.workers().length;
  return { heapMB, nodes: of('Nodes'), listeners: of('JSEventListeners'), workers };
}

/** About the same as after the first rounds. */
function expectNoMore(after: Figures, before: Figures): void {
  expect(after.workers).toBe(before.workers);
  expect(after.heapMB).toBeLessThan(before.heapMB * 1.2 + 2);
  expect(after.nodes).toBeLessThan(before.nodes * 1.2 + 200);
  expect(after.listeners).toBeLessThan(before.listeners * 1.1 + 20);
}

async function watching(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  return devtools;
}

test('a run of very many events shows its progress, and stops within a few frames', async ({
  page,
}) => {
  await page.goto('./');
  await drop(page, 'endless.json', ENDLESS);
  const line = page.locator('div', { has: page.locator('> p', { hasText: 'A long run.' }) });
  await expect(line).toContainText(/events, up to .* of 100.ms so far/);
  const frames = await line.getByRole('button', { name: 'Stop' }).evaluate(async (button) => {
    (button as HTMLElement).click();
    let passed = 0;
    while (!document.body.textContent?.includes('Stopped.') && passed < 600) {
      await new Promise(requestAnimationFrame);
      passed++;
    }
    return passed;
  });
  expect(frames).toBeLessThanOrEqual(MOST_FRAMES);
  const recorded = page.getByText(/^Stopped\. .*recorded\./);
  const before = await recorded.textContent();
  await atRest(page);
  await expect(recorded).toHaveText(before ?? '');
  await page.getByRole('button', { name: 'Step forward' }).click();
  await expect(events(page)).not.toContainText(/^0\D/);
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect(page.getByText(/so far\.$/)).not.toHaveText(before ?? '');
});

test('two scenarios, played and opened twenty times, leave nothing behind', async ({ page }) => {
  const devtools = await watching(page);
  const all: Figures[] = [];
  const until = performance.now() + MINUTES * 60_000;
  while (all.length < LEAST_ROUNDS || performance.now() < until) {
    for (const scenario of TWO) {
      await open(page, scenario);
      await play(page).click();
      await page.waitForTimeout(SECONDS_EACH * 1000);
      await expect(events(page)).not.toHaveText(/^0\D/);
    }
    all.push(await measured(page, devtools));
  }
  // In the first minutes the browser compiles hot code, which adds some megabytes once.
  const warm = MINUTES > 0 ? Math.floor(all.length / 5) : 0;
  const [first, last] = [all[warm] as Figures, all.at(-1) as Figures];
  if (MINUTES > 0) {
    console.log(
      `${all.length} rounds of ${TWO.map(({ scenario }) => scenario).join(' and ')}, ${SECONDS_EACH} s each`,
    );
    const some = all.filter((_, i) => i % Math.ceil(all.length / 10) === 0 || i === all.length - 1);
    console.table(some);
  }
  expectNoMore(last, first);
  for (let opening = all.length * TWO.length; opening < OPENINGS; opening++)
    await open(page, TWO[opening % 2 === 0 ? 0 : 1]);
  // The last opening may still record its run, and the browser decides when to collect garbage.
  await expect(async () => expectNoMore(await measured(page, devtools), first)).toPass();
});

test('a frozen tab resumes where it was', async ({ page }) => {
  const devtools = await watching(page);
  await open(page, TWO[0]);
  await play(page).click();
  await expect(events(page)).not.toHaveText(/^0\D/);
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  await new Promise((over) => setTimeout(over, 3000));
  await devtools.send('Page.setWebLifecycleState', { state: 'active' });
  const before = await events(page).textContent();
  await expect(events(page)).not.toHaveText(before ?? '');
  await expect(page.getByRole('alert')).toHaveCount(0);
});
