import { expect, type Locator, type Page, test } from '@playwright/test';
import { Busyard } from 'busyard/playwright';
import { expectAccessible } from './accessible';
import { atRest, hold } from './work';

const GFIXIT = './#/machine/gt/gfixit?t=0';
const CROSSOVER = './#/machine/gt/crossover?t=0';

const openRun = (page: Page, address: string) => new Busyard(page).open(address);

/** The time at the playhead, as the transport shows it. */
async function timeNow(page: Page): Promise<number> {
  const text = await page.locator('[data-readout="time"] b').textContent();
  return Number((text ?? '').replace(/\u202f/g, ''));
}

/** The state digest after an action, once it has stopped changing. */
async function hashAfter(page: Page, action: () => Promise<unknown>): Promise<string> {
  const shown = page.locator('[data-hash]');
  const before = await resting(shown);
  await action();
  await expect(shown).not.toHaveAttribute('data-hash', before);
  return resting(shown);
}

/** A digest that has been constant for a moment. */
async function resting(shown: Locator): Promise<string> {
  let last: string | null = null;
  const stays = async () => {
    const now = await shown.getAttribute('data-hash');
    const same = now === last;
    last = now;
    return same;
  };
  await expect.poll(stays, { intervals: [150] }).toBe(true);
  return last ?? '';
}

const part = (page: Page, name: string): Locator => new Busyard(page).part(name);

const slider = (page: Page, name: string): Locator =>
  page.locator('#inspector').getByRole('slider', { name, exact: true });

/** Makes changes apply from the playhead on. The radio's label is what is visible and clicked. */
async function changeFromHere(page: Page): Promise<void> {
  const inspector = page.locator('#inspector');
  await inspector.getByText('from here', { exact: true }).click();
  await expect(inspector.getByRole('radio', { name: 'from here' })).toBeChecked();
}

test.describe('time', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('runs while playing and stops when paused', async ({ page }) => {
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await openRun(page, CROSSOVER);
    await page.keyboard.press('Space');
    await expect.poll(() => timeNow(page)).toBeGreaterThan(0.2);
    await page.getByRole('button', { name: 'Pause' }).click();
    await atRest(page);
    const at = await timeNow(page);
    await page.locator('#events').getByText('notable', { exact: true }).click();
    expect(await timeNow(page)).toBe(at);
    expect(errors).toEqual([]);
  });

  test('is stepped, set on the scrub bar, stopped at an event and bookmarked', async ({ page }) => {
    await openRun(page, GFIXIT);
    await test.step('one step back is the inverse of one step forward', async () => {
      for (const unit of ['1', '2', '3']) {
        await page.keyboard.press(unit);
        const first = await hashAfter(page, () => page.keyboard.press('ArrowRight'));
        const second = await hashAfter(page, () => page.keyboard.press('ArrowRight'));
        expect(second).not.toBe(first);
        expect(await hashAfter(page, () => page.keyboard.press('ArrowLeft'))).toBe(first);
      }
    });
    await test.step('it can be set anywhere on the scrub bar, and to both ends', async () => {
      const bar = page.getByRole('slider', { name: 'Time' });
      const box = await bar.boundingBox();
      if (!box) throw new Error('not on the page');
      await page.mouse.click(box.x + box.width / 2, box.y + 20);
      await expect.poll(() => timeNow(page)).toBeGreaterThan(50);
      const middle = await timeNow(page);
      await page.keyboard.press('End');
      await expect.poll(() => timeNow(page)).toBeGreaterThan(middle * 1.5);
      await page.keyboard.press('Home');
      await expect.poll(() => timeNow(page)).toBeLessThan(1);
      await page.keyboard.press('End');
      await expect.poll(() => timeNow(page)).toBeGreaterThan(middle * 1.5);
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
      await expect.poll(() => timeNow(page)).toBeLessThan(middle * 1.5);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.keyboard.press('Home');
      await atRest(page);
    });
    await test.step('it stops at a kind of event, and goes from one to the next', async () => {
      await page.getByRole('button', { name: 'Stop when' }).click();
      await page.getByRole('menuitem', { name: /^Processor begins/ }).click();
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await atRest(page);
      await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
      const first = await timeNow(page);
      await page.keyboard.press('S');
      await expect.poll(() => timeNow(page)).toBeGreaterThan(first);
      await page.keyboard.press('Shift+S');
      await expect.poll(() => timeNow(page)).toBe(first);
    });
    await test.step('it can be bookmarked, and the address restores it', async () => {
      await page.keyboard.press('Home');
      await atRest(page);
      await page.keyboard.press('N');
      await page.keyboard.press('N');
      await atRest(page);
      await page.keyboard.press('B');
      await expect(page.locator('#overview svg g text', { hasText: '1' })).toBeVisible();
      const at = await timeNow(page);
      await expect(page).toHaveURL(/[?&]t=\d+/);
      await page.goto('./#');
      await page.goBack();
      await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
      await expect.poll(() => timeNow(page)).toBe(at);
    });
  });

  test('an address with a time opens the run there in a new page', async ({ page }) => {
    await openRun(page, './#/machine/gt/one-word?t=800000');
    await expect.poll(() => timeNow(page)).toBeCloseTo(0.8, 2);
    expect(page.url()).toContain('t=800000');
  });
});

test.describe('the machine', () => {
  test('stays drawn at the moment at which an open question is decided', async ({ page }) => {
    await page.goto('#/machine/start/old-data?step=3');
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
    await atRest(page);
    await page.keyboard.press('End');
    await expect(page.getByText('stopped at the moment of decision')).toBeVisible();
    const machine = page.locator('#machine');
    await expect(machine.getByText('your guess?').first()).toBeVisible();
    await expect(machine.getByText('Memory').first()).toBeVisible();
  });

  test('has the size of its panel when it returns from its text alternative', async ({ page }) => {
    await openRun(page, './#/machine/hp/at-work');
    await page.keyboard.press('End');
    await atRest(page);
    const sheets = page.locator('[data-has-text-alternative]');
    const pictures = () =>
      sheets.evaluateAll((all) =>
        all.map((sheet) => {
          const picture = sheet.querySelector('svg[viewBox], svg[width], canvas');
          const { width = 0, height = 0 } = picture?.getBoundingClientRect() ?? {};
          const shapes = picture?.querySelectorAll('*').length;
          return [sheet.id, picture?.getAttribute('viewBox'), width, height, shapes];
        }),
      );
    const showAllAsText = async (asText: boolean) => {
      await atRest(page);
      for (const id of await sheets.evaluateAll((all) => all.map((sheet) => sheet.id))) {
        const sheet = page.locator(`#${id}`);
        // A panel that is mounted again takes its focus back in the next frame.
        await atRest(page);
        await sheet.focus();
        await expect(sheet).toBeFocused();
        await page.keyboard.press('T');
        await expect(sheet.and(page.locator('[data-as-text]'))).toHaveCount(asText ? 1 : 0);
      }
    };
    const before = await pictures();
    expect(before.length).toBeGreaterThan(2);
    // Another size, with the same panels.
    await page.setViewportSize({ width: 1420, height: 880 });
    await showAllAsText(true);
    await page.setViewportSize({ width: 1440, height: 900 });
    await showAllAsText(false);
    await atRest(page);
    expect(await pictures()).toEqual(before);
  });
});

test('the keyboard reaches parts, menus, events and fields of a run', async ({ page }) => {
  const goOn = await hold(page, /assets\/Palette.*\.js/);
  // The page is not at rest before the palette is there.
  await page.goto(GFIXIT);
  await new Busyard(page).ready();
  await test.step('letters typed while the palette loads appear in its field', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('rebuild');
    goOn();
    await expect(page.getByPlaceholder('Find or do anything')).toHaveValue('rebuild');
    await page.keyboard.press('Escape');
  });
  await test.step('S and Enter move the focus into the menu, and an address in the palette into the search', async () => {
    await page.keyboard.press('s');
    await expect(page.getByRole('button', { name: /^Stop when/ })).toBeFocused();
    await expect(page.getByText(/^No event to stop at is chosen/).first()).toBeVisible();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('menu', { name: 'Stop when' });
    await expect(menu.getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Find or do anything').fill('0x80000000');
    await page.getByRole('option', { name: /^Find events at/ }).click();
    await expect(page.getByRole('combobox', { name: 'Find events' })).toBeFocused();
    await page.keyboard.press('Escape');
  });
  await test.step('a part opens in the inspector', async () => {
    await part(page, 'Host bridge').focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('#inspector h3', { hasText: 'Host bridge' })).toBeVisible();
    await expect(part(page, 'Host bridge')).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('Escape');
    await expect(page.locator('#inspector h3', { hasText: 'Complete machine' })).toBeVisible();
  });
  await test.step('a value out of range is refused with the reason, and nothing changes', async () => {
    await part(page, 'Host bridge').click();
    const field = page.locator('#inspector').getByRole('spinbutton', { name: 'Posting buffer' });
    await field.fill('9999');
    await field.press('Enter');
    await expect(page.locator('#inspector').getByRole('alert')).toContainText('64');
    await expect(field).toHaveValue('8');
    await page.keyboard.press('Escape');
  });
  await test.step('the workspace has no accessibility violations', async () => {
    await page.keyboard.press('N');
    await part(page, 'CPU').click();
    await page.keyboard.press('W');
    await expect(page.locator('#why li button').first()).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('W');
    await page.keyboard.press('Escape');
  });
  await test.step('the list of events leads to the same explanation as a part', async () => {
    const events = page.locator('#events');
    await events.getByText('notable', { exact: true }).click();
    await events.getByRole('listbox').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await expect.poll(() => timeNow(page)).toBeGreaterThan(100);
    await expect(page.locator('#why h3').first()).toContainText('What led to this');
    expect(await events.getByRole('option').count()).toBeLessThan(60);
    await page.keyboard.press('Escape');
  });
});

test.describe('an edit', () => {
  test('of a structural or live parameter reruns the machine to the same time; undo restores it', async ({
    page,
  }) => {
    await openRun(page, CROSSOVER);
    await test.step('a structural parameter', async () => {
      await page.keyboard.press('3');
      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
      await expect.poll(() => timeNow(page)).toBe(3);
      const before = await hashAfter(page, () => page.keyboard.press('ArrowRight'));
      await part(page, 'Host bridge').click();
      await slider(page, 'Posting buffer').focus();
      const edited = await hashAfter(page, () => page.keyboard.press('ArrowLeft'));
      expect(edited).not.toBe(before);
      expect(await timeNow(page)).toBe(4);
      await slider(page, 'Posting buffer').blur();
      expect(await hashAfter(page, () => page.keyboard.press('Control+z'))).toBe(before);
      expect(await timeNow(page)).toBe(4);
    });
    await test.step('a live parameter during a run leaves earlier events unchanged', async () => {
      await page.keyboard.press('Home');
      await atRest(page);
      await page.keyboard.press('3');
      const early = await hashAfter(page, () => page.keyboard.press('ArrowRight'));
      const later = await hashAfter(page, () => page.keyboard.press('ArrowRight'));
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => timeNow(page)).toBe(1);
      await part(page, 'GT card').click();
      await changeFromHere(page);
      await slider(page, 'Interval of bus writes').focus();
      for (let i = 0; i < 5; i++) await page.keyboard.press('PageUp');
      await slider(page, 'Interval of bus writes').blur();
      await page.locator('#inspector').getByText('Complete machine').click();
      await expect(page.locator('#inspector').getByText(/after \d+\sevents/)).toBeVisible();
      const marks = page.getByRole('list', { name: 'Changes during the run' }).getByRole('button');
      await expect(marks).toHaveAccessibleName(
        /^At 0.993\sµs, after \d+\sevents: GT card: .* becomes/i,
      );
      const other = await hashAfter(page, () => page.keyboard.press('ArrowRight'));
      expect(other).not.toBe(later);
      await page.keyboard.press('Home');
      await page.keyboard.press('3');
      for (let i = 0; i < 5; i++) await page.keyboard.press('Control+z');
      await expect(page.locator('#inspector').getByText(/after \d+\sevents/)).toHaveCount(0);
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => timeNow(page)).toBe(1);
      await expect(page.locator('[data-hash]')).toHaveAttribute('data-hash', early);
      expect(await hashAfter(page, () => page.keyboard.press('ArrowRight'))).toBe(later);
    });
    await test.step('another method is another run of the same experiment', async () => {
      const before = await page.locator('[data-hash]').getAttribute('data-hash');
      await page.getByLabel('method').selectOption({ label: 'DMA write' });
      await expect(page.locator('[data-hash]')).not.toHaveAttribute('data-hash', before ?? '');
      await page.keyboard.press('N');
      await page.keyboard.press('N');
      await expect(page.locator('#machine').getByText('DMA write', { exact: true })).toBeVisible();
    });
  });

  test('during a run is in the result of the open run, and in no other of the table', async ({
    page,
  }) => {
    await openRun(page, GFIXIT);
    for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight');
    await atRest(page);
    await page.getByRole('tab', { name: 'Runs' }).click();
    const runs = page.getByRole('region', { name: 'All runs' });
    const own = runs.getByRole('row', { name: /as written/ });
    const other = runs.getByRole('row', { name: /as rewritten/ });
    await expect(runs).toContainText('5 runs, each can be opened');
    const [before, shipped] = await Promise.all([own.innerText(), other.innerText()]);
    await part(page, 'CPU').click();
    await changeFromHere(page);
    const field = page
      .locator('#inspector')
      .getByRole('spinbutton', { name: 'PIO read, per load' });
    await field.fill('500 ns');
    await field.press('Enter');
    await page.locator('#inspector').getByText('Complete machine').click();
    await expect(runs).toContainText('Only the open run includes the changes made during it');
    await expect(own).not.toHaveText(before);
    expect(await other.innerText()).toBe(shipped);
    await expect(page.getByRole('slider', { name: 'Time', exact: true })).toHaveAttribute(
      'aria-busy',
      'false',
    );
    await page.keyboard.press('End');
    await expect(runs).toContainText('5 runs, each can be opened');
    const measured = page
      .locator('#inspector')
      .getByText(/^[\d.]+\s*µs$/)
      .first();
    const result = (await measured.innerText()).replace(/\s*µs/, '');
    await expect(own).toContainText(result);
  });
});

test('the drawing shows what parts wait for and why, back to the root of the causes', async ({
  page,
}) => {
  await openRun(page, CROSSOVER);
  await test.step('text on the bus and what each part waits for', async () => {
    await page.keyboard.press('2');
    for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight');
    const drawing = page.locator('#machine');
    await expect(drawing.getByText('write 4\u00a0B')).toBeVisible();
    await expect(drawing.getByText(/of 512\sB/)).toBeVisible();
    await page.locator('#machine').focus();
    await page.keyboard.press('T');
    await expect(drawing.getByText(/^PCI bus: memory write 4\sB for CPU/)).toBeVisible();
    await expect(drawing.getByText(/^Host bridge: .*posting buffer \d of 8 taken/)).toBeVisible();
    await page.keyboard.press('T');
    await page.keyboard.press('Home');
    await atRest(page);
  });
  await test.step('a chain of causes, numbered on the drawing too', async () => {
    await page.keyboard.press('2');
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
    await atRest(page);
    await page.keyboard.press('W');
    const reasons = page.locator('#why li button');
    await expect(reasons.first()).toBeVisible();
    const count = await reasons.count();
    expect(count).toBeGreaterThan(2);
    await expect(reasons.last()).toContainText('CPU begins');
    const marks = page.locator('#machine .reason');
    await expect(marks).toHaveCount(count);
    await reasons.last().click();
    await expect.poll(() => timeNow(page)).toBe(0);
    await expect(reasons).toHaveCount(count);
    await page.keyboard.press('W');
    await expect(marks).toHaveCount(0);
  });
});

test('the lesson asks, the run decides, and its words and numbers change the machine', async ({
  page,
}) => {
  await openRun(page, CROSSOVER);
  const lesson = page.locator('#lesson');
  await test.step('a question', async () => {
    await lesson.getByRole('button', { name: 'Next step' }).click();
    await lesson.getByLabel('About 2 µs').check();
    await lesson.getByRole('button', { name: 'Break the seal' }).click();
    await expect(lesson.getByText('first guess')).toBeVisible();
    await lesson.getByLabel('About 8 µs').check();
    await lesson.getByRole('button', { name: 'Try once more' }).click();
    await expect(lesson.getByText('what happened')).toBeVisible();
    await expect(lesson.locator('label[data-right]')).toContainText('About 8 µs');
    await expect(lesson.locator('label[data-struck]')).toContainText('About 2 µs');
  });
  await test.step('words that link to parts, and numbers', async () => {
    await lesson.getByRole('button', { name: 'Step 3' }).click();
    await lesson.getByRole('button', { name: 'host bridge' }).click();
    await expect(page.locator('#inspector h3', { hasText: 'Host bridge' })).toBeVisible();
    await lesson.getByRole('button', { name: '0.5 µs' }).click();
    await expect.poll(() => timeNow(page)).toBeGreaterThan(0.4);
    await lesson.getByRole('spinbutton').first().focus();
    await page.keyboard.press('ArrowUp');
    const field = page.locator('#inspector').getByRole('spinbutton', { name: 'Posting buffer' });
    await expect(field).toHaveValue('9');
  });
});

test.describe('a lecture', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('asks the room: hands are counted, masked, and the run decides', async ({ page }) => {
    await page.setViewportSize({ width: 1920, height: 1080 });
    await openRun(page, './#/machine/hp/two-streams');
    await page.keyboard.press('L');
    await expect(page.locator('#lesson')).toHaveCount(0);
    const name = page.locator('#machine text', { hasText: 'CPU 0' });
    expect((await name.boundingBox())?.height).toBeGreaterThan(24);
    await page.keyboard.press('R');
    await expect(page.locator('#lesson')).toContainText('Two streams, one row');
    await page.keyboard.press('R');
    await expect(page.locator('#lesson')).toHaveCount(0);

    await page.getByRole('button', { name: 'Ask the room' }).last().click();
    const room = page.getByRole('dialog', { name: 'Ask the room' });
    await expect(room).toContainText('How often does a look-up miss?');
    // Options are shuffled: each has the digit of its place.
    const option = (words: string) => room.getByRole('listitem').filter({ hasText: words });
    const digit = async (words: string) => option(words).locator('kbd').innerText();
    const [once, nearly] = [await digit('Once for each page'), await digit('Nearly always')];
    for (const key of [once, nearly, nearly, nearly, `Shift+Digit${nearly}`])
      await page.keyboard.press(key);
    await room.getByRole('button', { name: 'One more for Once for each page' }).click();
    const hands = (words: string) => option(words).locator('b');
    await expect(hands('Once for each page')).toHaveText('2');
    await expect(room.getByText('4 hands')).toBeVisible();
    await room.getByRole('button', { name: 'Hide the counts' }).click();
    await expect(hands('Once for each page')).not.toHaveText('2');
    await expect(room.getByText('what happened')).toHaveCount(0);
    await room.getByRole('button', { name: 'Reveal what the run says' }).click();
    await expect(room.locator('[data-right]')).toContainText('Nearly always');
    await expect(room.locator('[data-right] b')).toHaveText('2');
    await room.getByRole('button', { name: 'See it in the run' }).click();
    await expect(page.locator('#caption')).toContainText('I/O TLB miss');
  });

  test('goes from notable event to notable event with the keys of a clicker', async ({ page }) => {
    await openRun(page, GFIXIT);
    await page.keyboard.press('L');
    const caption = page.locator('#caption');
    await expect(caption).toBeVisible();
    const turned = async (key: string) => {
      const before = (await caption.textContent()) ?? '';
      await page.keyboard.press(key);
      await expect(caption).not.toHaveText(before);
    };
    await turned('PageDown');
    await turned('PageDown');
    await expect(caption).toContainText('CPU');
    await turned('PageUp');
    await page.keyboard.press('W');
    await expect(page.locator('#why')).toBeVisible();
    await page.keyboard.press('.');
    await page.keyboard.press('Escape');
    await expect(caption).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('#lanes')).toBeVisible();
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('the machine fits, plays, and shows the present event', async ({ page }) => {
    await page.goto(GFIXIT);
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Step forward' }).click();
    await page.getByRole('button', { name: 'Step forward' }).click();
    await expect(page.locator('#machine')).toContainText('CPU');
    const target = await page.getByRole('button', { name: 'Step forward' }).boundingBox();
    expect(target?.height).toBeGreaterThanOrEqual(44);
    await page.getByRole('tab', { name: 'Why' }).click();
    await expect(page.locator('#why h3').first()).toBeVisible();
    await expectAccessible(page);
  });
});
