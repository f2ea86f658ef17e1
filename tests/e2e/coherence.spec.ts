import { expect, type Page, test } from '@playwright/test';
import { Busyard } from 'busyard/playwright';
import { expectAccessible } from './accessible';

/** These tests are about the contents, so answers are not masked. */
test.beforeEach(({ page }) =>
  page.addInitScript(() => localStorage.setItem('busyard.cover', 'off')),
);

const LINES = 'Cache lines';
const TLB = 'I/O TLB by chain';

const sheet = (page: Page, name: string) => new Busyard(page).panel(name);
const lines = (page: Page) => page.getByRole('grid', { name: /^(page 0x|Lines in play)/ });
const chains = (page: Page) => page.getByRole('grid', { name: /^I\/O TLB/ });
/** The current cell of a grid. */
const cell = (page: Page, grid: RegExp) =>
  page.getByRole('grid', { name: grid }).getByRole('gridcell');

/** Opens a run, waits until it is recorded, and goes to its end. */
async function open(page: Page, scenario: string): Promise<void> {
  await new Busyard(page).open(`hp/${scenario}`);
  await page.keyboard.press('End');
  await expect(page.getByText('No events yet')).toHaveCount(0);
}

const show = async (page: Page, name: string, title: string) => {
  await sheet(page, name).getByText(title, { exact: true }).click();
};

const asText = (page: Page, name: string) => new Busyard(page).text(name);

test.describe('cache lines', () => {
  test('show the holders of a line, whole caches and rules, by arrow keys and in words', async ({
    page,
  }) => {
    const busyard = new Busyard(page);
    await busyard.open('hp/a-line-changes-hands');
    await test.step('the holders of a line follow the playhead', async () => {
      await busyard.seek('part:cache0 kind:filled state:shared');
      await busyard.select('CPU 1');
      expect(await busyard.text('inspector')).toContain('CPU 1');
      await asText(page, LINES);
      await expect(sheet(page, LINES)).toContainText('Line 0: shared by Cache 0 and Cache 1.');
      await page.keyboard.press('Home');
      await expect(sheet(page, LINES)).toContainText('No cache holds a line of page 0x100');
      await sheet(page, LINES).getByRole('button', { name: 'Show as picture' }).click();
    });
    await test.step('lines are walked with arrow keys in one tab stop, and selected in all views', async () => {
      await page.keyboard.press('End');
      await sheet(page, LINES).getByRole('combobox', { name: 'Page' }).selectOption('page 0x100');
      await lines(page).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      await expect(cell(page, /^page 0x/)).toHaveText('Line 1, 0x100020, in Cache 1: invalid');
      await page.keyboard.press('Enter');
      await expect(sheet(page, 'Inspector')).toContainText('cache1');
      await expect(cell(page, /^page 0x/)).toHaveAttribute('aria-selected', 'true');
      await page.keyboard.press('ArrowLeft');
      await expect(cell(page, /^page 0x/)).toHaveText(/Cache 1: shared$/);
      await expect(cell(page, /^page 0x/)).toHaveAttribute('aria-selected', 'false');
      await page.keyboard.press('Escape');
    });
    await test.step('whole caches, every line of them', async () => {
      await show(page, LINES, 'caches');
      await expect(page.getByRole('grid', { name: 'Lines of all caches' })).toBeVisible();
      await asText(page, LINES);
      await expect(sheet(page, LINES)).toContainText(/Cache 0, 8.192.lines of 32 bytes: 1 shared/);
      await sheet(page, LINES).getByRole('button', { name: 'Show as picture' }).click();
    });
    await test.step('a line moves by a rule of the protocol, which is explained in words', async () => {
      await show(page, LINES, 'rules');
      await expect(sheet(page, LINES)).toContainText(/Cache [01] just now:/);
      await page.getByRole('grid', { name: /^Protocol/ }).focus();
      await page.keyboard.press('Home');
      await expect(cell(page, /^Protocol/)).toHaveText(/^invalid, load: issue READ shared/);
      await asText(page, LINES);
      await expect(sheet(page, LINES)).toContainText('answers COH_CPY');
    });
  });

  test('are marked with the event under the pointer, and follow the bus as the run plays', async ({
    page,
  }) => {
    await page.goto('./#/machine/hp/at-work');
    await test.step('hovering an event marks its line and translation in all views', async () => {
      const machine = sheet(page, 'Machine');
      await expect(machine).toBeVisible();
      await sheet(page, 'Cache lines').waitFor();
      await page.getByRole('tab', { name: 'Events' }).click();
      const event = page.getByRole('option', { name: /HSC: write at 0x40190/ });
      await event.hover();
      await expect(machine.locator('rect.mini-pointed').first()).toBeVisible();
      await expect(machine.locator('rect.markf[width]:not([width="0"])').first()).toBeVisible();
      await expect(page.locator('[role=option][data-marked]').first()).toBeVisible();
      await page.mouse.move(0, 0);
      await expect(machine.locator('rect.mini-pointed')).toHaveCount(0);
      await expect(page.locator('[role=option][data-marked]')).toHaveCount(0);
    });
    await test.step('lines follow the bus, and are ringed in the machine too', async () => {
      await new Busyard(page).show('cache-lines');
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      const sentence = sheet(page, LINES).locator('p').last();
      await expect(sentence).toContainText('page 0x');
      await page.keyboard.press(' ');
      const seen = new Set<string>();
      await expect
        .poll(async () => seen.add(await sentence.innerText()).size, { intervals: [100] })
        .toBeGreaterThan(4);
      await page.keyboard.press(' ');
      await expect(sheet(page, LINES).locator('.play-ring').first()).toBeVisible();
      await expect(sheet(page, 'Machine').locator('rect.mini-played')).toHaveCount(1);
    });
  });
});

test.describe('the I/O TLB', () => {
  test('shows rows, entries and streams in conflict, on a desk, a phone and a projector', async ({
    page,
  }) => {
    await open(page, 'two-streams');
    await test.step('no accessibility violations', async () => {
      await expectAccessible(page, ['#machine', '#cache-lines', '#io-tlb']);
      for (const title of ['caches', 'rules']) {
        await show(page, LINES, title);
        await expectAccessible(page, ['#cache-lines']);
      }
      await show(page, LINES, 'lines');
    });
    await test.step('rows are walked and selected', async () => {
      await chains(page).focus();
      await page.keyboard.press('Home');
      await expect(cell(page, /^I\/O TLB/)).toHaveText('Row 0: not looked up');
      await page.keyboard.press('Enter');
      await expect(sheet(page, 'Inspector')).toContainText('I/O TLB rows');
      await page.keyboard.press('Escape');
    });
    await test.step('the entry behind a row is shown bit by bit', async () => {
      await show(page, TLB, 'entry');
      const fields = page.getByRole('grid', { name: 'Fields of the page directory entry' });
      await expect(fields).toBeVisible();
      await fields.focus();
      await page.keyboard.press('End');
      await expect(cell(page, /^Fields/)).toHaveText(/^valid, word 1, bit 31/);
      await show(page, TLB, 'rows');
    });
    await test.step('the streams that conflict in a row are named', async () => {
      await asText(page, TLB);
      await expect(sheet(page, TLB)).toContainText(/1.row contended/);
      await expect(sheet(page, TLB)).toContainText(/each look-up of one evicts the other/);
      await expect(sheet(page, TLB).getByRole('row', { name: /^Disk/ })).toBeVisible();
      await expect(sheet(page, TLB).getByRole('row', { name: /^LAN/ })).toBeVisible();
    });
    await test.step('no accessibility violations in words', async () => {
      await asText(page, LINES);
      await expectAccessible(page, ['#cache-lines', '#io-tlb']);
      await sheet(page, LINES).getByRole('button', { name: 'Show as picture' }).click();
      await sheet(page, TLB).getByRole('button', { name: 'Show as picture' }).click();
    });
    await test.step('on a phone each panel has a tab', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('tab', { name: 'Lines' }).click();
      await expect(lines(page)).toBeVisible();
      await page.getByRole('tab', { name: 'TLB' }).click();
      await expect(chains(page)).toBeVisible();
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(overflow).toBe(false);
      await page.setViewportSize({ width: 1440, height: 900 });
    });
    await test.step('on a projector the lecturer shows another panel by a key', async () => {
      await page.keyboard.press('l');
      await expect(sheet(page, 'Machine')).toBeVisible();
      await expect(sheet(page, LINES)).toHaveCount(0);
      await page.keyboard.press('v');
      await expect(lines(page)).toBeVisible();
      await expect(page.getByRole('region', { name: 'Machine' })).toHaveCount(0);
      await page.keyboard.press('Alt+4');
      await expect(chains(page)).toBeVisible();
    });
  });

  test('has fixes and buffers that keys place in another chain: other runs, which undo takes back', async ({
    page,
  }) => {
    await open(page, 'two-streams');
    await test.step('a fix that the experiment includes opens that run, and the focus stays', async () => {
      await show(page, TLB, 'evictions');
      const allocator = page.getByRole('combobox', { name: 'allocator' });
      await sheet(page, TLB)
        .getByRole('button', { name: /^HP-UX default/ })
        .focus();
      await page.keyboard.press('Enter');
      await expect(allocator).toHaveValue('1');
      await expect(page.locator('#io-tlb')).toBeFocused();
      await page.getByRole('tab', { name: 'Runs' }).click();
      await expect(page.getByRole('button', { name: 'hpux' })).toHaveAttribute(
        'aria-current',
        'true',
      );
      await page.keyboard.press('Control+z');
      await expect(allocator).toHaveValue('0');
    });
    await test.step('buffers in another chain', async () => {
      await new Busyard(page).show('io-tlb');
      await show(page, TLB, 'rows');
      const handle = page.getByRole('slider', { name: 'Chain of the buffers of LAN' });
      await expect(handle).toHaveAttribute('aria-valuetext', /^chain 2,/);
      await handle.focus();
      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
      await expect(handle).toHaveAttribute(
        'aria-valuetext',
        /^chain 5, from I\/O address 0x140000/,
      );
      await expect(page.getByText(/Buffers of LAN in chain 5/).first()).toBeVisible();
      await expect(
        page.getByText(/^Disk (hits|loads) block|^LAN (hits|loads) block/),
      ).toBeVisible();
      await page.getByRole('button', { name: /^Undo/ }).first().click();
      await expect(handle).toHaveAttribute('aria-valuetext', /^chain 2,/);
    });
  });

  test('changed by hand is in no run of the experiment until one is chosen', async ({ page }) => {
    await page.goto('./#/machine/hp/stale-outbound?services.mode=coherent');
    const adapter = page.getByRole('combobox', { name: 'adapter' });
    await expect(adapter.getByRole('option', { selected: true })).toHaveText('changed by hand');
    await page.getByRole('tab', { name: 'Runs' }).click();
    const runs = page.getByRole('region', { name: 'All runs' });
    await expect(runs).toContainText('The open run is none of these: adapter is changed by hand');
    await expect(runs.locator('[aria-current]')).toHaveCount(0);
    await adapter.selectOption({ label: 'coherent' });
    await expect(runs.locator('[aria-current]')).toHaveText('coherent, first sync omitted');
    await expect(adapter.getByRole('option')).toHaveCount(2);
  });
});

test('machines without snooping caches have none of these panels', async ({ page }) => {
  await page.goto('./#/machine/gt/one-word');
  await expect(page.getByRole('region', { name: 'Machine' }).first()).toBeVisible();
  await expect(page.getByRole('region', { name: LINES })).toHaveCount(0);
  await expect(page.getByRole('region', { name: TLB })).toHaveCount(0);
});

test('a link out of a lesson leads back to the same step', async ({ page }) => {
  await page.goto('./#/machine/hp/five-ways');
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('button', { name: 'Next step' }).click();
  await lesson.getByRole('link', { name: 'The second purge' }).click();
  await expect(page.locator('header h1')).toHaveText(/second purge/i);
  await page.goBack();
  await expect(page.locator('header h1')).toHaveText('Five ways to keep data honest');
  await expect(lesson).toContainText('Step 2 of 6');
});
