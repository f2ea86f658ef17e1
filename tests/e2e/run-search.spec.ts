/** Search over a run that is too long to keep all its events: count, navigation, stop. */
import { readFileSync } from 'node:fs';
import type { Locator } from '@playwright/test';
import { type Busyard, expect, test } from 'busyard/playwright';
import { expectAccessible } from './accessible';

/** A ring that is updated every few picoseconds: more records than the page keeps. */
const longRun = (until: string): string =>
  readFileSync('scenarios/gt/under-load.json', 'utf8')
    .replace('"load": "$ring_load"', '"load": "$ring_load", "update_every": "3 ps"')
    .replace('"until": "100 ms"', `"until": "${until}"`)
    .replace(/"view": .*/, '"view": { "kind": "machine" },');

async function search(busyard: Busyard, until: string, words: string): Promise<Locator> {
  await busyard.openFile('long.json', longRun(until));
  const events = busyard.panel('events');
  await events.getByText('all', { exact: true }).click();
  await events.getByRole('combobox', { name: 'Find events' }).fill(words);
  return events;
}

const goToHit = (events: Locator, name: string) => events.getByRole('button', { name }).click();

test('gives the reason of a failure; retried, counts all hits and goes from one to the next', async ({
  page,
  busyard,
}) => {
  await page.route(/run-search-worker/, (route) => route.abort());
  const events = await search(busyard, '1 us', '0x80000020');
  await expect(
    events.getByText(/^The run could not be searched: The search worker did/),
  ).toBeVisible();
  await page.unroute(/run-search-worker/);
  await goToHit(events, 'Search again');
  const found = events.getByRole('status').filter({ hasText: 'in the whole run' });
  await expect(found).toHaveText(/^[\d\u202f]{4,} hits in the whole run\.$/, { timeout: 60_000 });
  const count = (await found.textContent())?.replace(/ hits.*/, '') ?? '';
  const at = (rank: string) =>
    expect(found).toHaveText(`Hit ${rank} of ${count} in the whole run.`);
  await goToHit(events, 'Next hit');
  await at('1');
  await goToHit(events, 'Next hit');
  await at('2');
  await goToHit(events, 'Previous hit');
  await goToHit(events, 'Previous hit');
  await at(count); // before the first hit is the last one, which the page does not keep
  await expect(events.getByText('arrives at 0x80000020').last()).toBeVisible();
  await page.getByRole('combobox', { name: 'Find events' }).press('Enter');
  await at('1');
  await expectAccessible(page, ['#events']);
});

test('stops on request, shows how far it came, and starts again', async ({ page, busyard }) => {
  const events = await search(busyard, '100 us', '0x8000ffe0');
  const stop = events.getByRole('button', { name: 'Stop', exact: true });
  await expect(events.getByRole('progressbar', { name: 'Events searched' })).toBeVisible();
  await expectAccessible(page, ['#events']);
  await stop.click();
  await expect(events.getByRole('status').filter({ hasText: 'The search was stopped' })).toHaveText(
    /^The search was stopped at .+\. .*(No hits|hits?) up to there\.$/,
  );
  await goToHit(events, 'Search again');
  await expect(stop).toBeVisible();
});
