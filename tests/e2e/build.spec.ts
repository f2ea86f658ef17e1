/** A machine is built by hand from an empty sheet, runs at once, and is restored after a reload. */
import { readFileSync } from 'node:fs';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { expectAccessible } from './accessible';
import { textOf, typeInPlaceOf } from './editor';

const TEXT = 'Scenario text';

test('parts, wires and a program make a machine that runs', async ({ page }) => {
  await page.goto('#/build/start/bus');
  await page.getByRole('button', { name: 'Start empty' }).click();
  await expect(page.getByText('No parts yet')).toBeVisible();
  for (const kind of ['Processor', 'Host bridge', 'Memory, memory', 'PCI bus', 'GT card'])
    await page.getByRole('button', { name: new RegExp(`^Add ${kind}[^:]*$`) }).press('Enter');
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  const program = page.locator('#build-program');
  await program.getByRole('button', { name: 'Add a row' }).press('Enter');
  await program.getByLabel('Operation of row 1').selectOption('io_load');
  await program.getByLabel('Row 1, from').fill('0x80000000');
  await program.getByLabel('Row 1, from').press('Enter');
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  await expectAccessible(page);

  // The row that runs is lit, has its cost beside it, and playing stops at it.
  const row = program.getByRole('listitem').first();
  await expect(row).toContainText('1 bus');
  await page.getByRole('button', { name: 'Last', exact: true }).click();
  await expect(row).not.toHaveAttribute('aria-current');
  await program.getByRole('button', { name: 'Stop at row 1' }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(row).toHaveAttribute('aria-current', 'step');
  await page.getByRole('tab', { name: 'Text' }).click();
  const text = page.getByRole('textbox', { name: TEXT });
  await expect(text.locator('.row-now')).toContainText('io_load');
  await expect(page.locator('.row-mark[data-stops="true"]')).toHaveCount(1);
  await page.locator('.row-mark[data-stops="true"]').click();
  await expect(program.getByRole('button', { name: 'Stop at row 1' })).toHaveAttribute(
    'aria-pressed',
    'false',
  );

  // The panel that was used last is saved as a picture that needs nothing else.
  await program.getByRole('button', { name: 'Stop at row 1' }).focus();
  const saved = page.waitForEvent('download');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('This panel as SVG');
  await page.keyboard.press('Enter');
  const picture = readFileSync(await (await saved).path()).toString();
  expect(picture).toMatch(/^<svg.*@font-face.*>Program<.*>0x80000000<.*<\/svg>$/s);

  await page.getByRole('tab', { name: 'Addresses' }).click();
  const card = page.getByRole('slider', { name: 'GT card, memory', exact: true });
  const box = await card.boundingBox();
  if (!box) throw new Error('The card has no place on the map.');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y - 10, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByText(/^overlap, /)).toBeVisible();
  await expect(page.getByRole('list', { name: 'Problems of addresses' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();

  await page.getByRole('button', { name: 'Memory', exact: true }).first().press('Delete');
  await expect(page.getByText('"bridge.memory" must be wired')).toBeVisible();
  await page.reload();
  await expect(page.getByText('"bridge.memory" must be wired')).toBeVisible();
  await page.getByRole('button', { name: 'Add Memory, memory' }).press('Enter');
  await expect(
    page.getByText('It is wired: bridge.memory to memory.bridge.').first(),
  ).toBeVisible();
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.getByText('"bridge.memory" must be wired')).toBeVisible();
});

test('from a template to old data, its fix, a comparison, a sweep and one file, within 25 actions', async ({
  page,
}) => {
  let actions = 0;
  const press = async (target: Locator) => {
    actions++;
    await target.click();
  };
  const command = (name: string) => page.getByRole('menuitem', { name });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  await page.goto('./');
  await press(page.getByRole('link', { name: 'Build a machine' }));
  await press(button('Start from a machine'));
  await press(page.getByRole('menuitem', { name: /^A processor, its cache/ }));
  await expect(page.getByRole('banner')).toContainText('a disk that reads memory');

  // Why it happens, and what would have prevented it.
  await expect(page.getByText(/, the first of 64 such events/)).toContainText(
    'gives a device write 0',
  );
  await press(button('Why?'));
  const why = page.locator('#why');
  await expect(why).toContainText(/gives a device write 0 .*; the newest is write/);
  await expect(page).toHaveURL(/[?&]t=15008333/);
  await press(why.getByRole('button', { name: /^Root cause: Cache: store / }));
  await press(button('Fork'));
  await press(why.getByRole('button', { name: 'Flush before a device reads' }));
  await expect(why).not.toContainText('gives a device write 0');
  await page.reload();
  await expect(button(/^Fork A at /)).toBeVisible();
  await expectAccessible(page);

  await press(button(/^Fork A at /));
  await press(command('Compare with what is open'));
  await expect(page.getByRole('row', { name: /old halves given to the disk/ })).toContainText('64');
  await expect(page.getByRole('row', { name: /flush before a device reads/i })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'A: machine' })).toHaveValue('f:A');

  actions++;
  await page.goBack();
  await press(button('Compare'));
  await press(command('Sweep a parameter'));
  const sweep = page.getByRole('dialog', { name: 'Sweep' });
  actions++;
  await sweep.getByRole('combobox', { name: 'Parameter', exact: true }).fill('buffer');
  await expect(sweep.getByLabel('Values', { exact: true })).toHaveValue(/^256, 512, 1024/);
  await press(sweep.getByRole('button', { name: 'Run' }));
  await expect(sweep.getByRole('row')).toHaveCount(6);
  await expect(sweep.getByRole('img')).toBeVisible();
  await expectAccessible(page, ['dialog']);
  await press(sweep.getByRole('button', { name: '512', exact: true }));
  await expect(sweep).toBeHidden();

  await press(button('Export'));
  const download = page.waitForEvent('download');
  await press(command('Save as one HTML page'));
  expect((await download).suggestedFilename()).toMatch(/\.html$/);
  expect(actions).toBeLessThanOrEqual(25);
});

test('typing is saved from the first letter, and undone as one step', async ({ page }) => {
  await page.goto('#/build/start/bus');
  const tab = page.getByRole('tab', { name: 'Text' });
  await tab.click();
  const shows = (text: string) => expect.poll(() => textOf(page, TEXT)).toBe(text);
  const text = page.getByRole('textbox', { name: TEXT });
  await expect(text).toContainText('"title": "What a bus is"');
  const before = await textOf(page, TEXT);
  const typed = before.replace('What a bus is', 'My own bus');
  await typeInPlaceOf(page, TEXT, 'What a bus is', 'My own bus');
  await page.reload();
  await tab.click();
  await shows(typed);
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  await typeInPlaceOf(page, TEXT, '"until"', '"til"');
  await page.getByRole('button', { name: 'Undo' }).click();
  await shows(typed);
  await typeInPlaceOf(page, TEXT, '"until"', '"til"');
  await expect(page.getByText('til').first()).toBeVisible();
  await expect(page.getByText(/to fix$/)).toBeVisible();
  await expect(text.locator('.cm-lintRange-error').last()).toContainText('"til"');
  await page.getByRole('button', { name: 'Undo' }).click();
  await shows(typed);
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  // Keys and values are completed from the schema.
  await typeInPlaceOf(page, TEXT, '"title"', '"');
  await page.keyboard.type('vari');
  await expect(text.locator('..').locator('..').getByRole('option').first()).toHaveText('variants');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+z');
  await shows(typed);
});

test('a text that cannot be read is found again from recent work, and leads to its error', async ({
  page,
}) => {
  await page.goto('#/build/start/bus');
  await page.getByRole('tab', { name: 'Text' }).click();
  const text = page.getByRole('textbox', { name: TEXT });
  await expect(text).toContainText('"title": "What a bus is"');
  const typed = (await textOf(page, TEXT)).replace('"busyard"', '"oops "busyard"');
  await typeInPlaceOf(page, TEXT, '"busyard"', '"oops "busyard"');
  await expect(page.getByText(/Is one missing/).first()).toBeVisible();
  await page.getByRole('link', { name: 'Busyard: go to the gallery' }).click();
  await page.reload();
  await page.getByRole('button', { name: /^What a bus is/ }).click();
  await expect(page.getByText('The text cannot be read').first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'line 2 of the text' }).click();
  await expect(text).toBeFocused();
  expect(await textOf(page, TEXT)).toBe(typed);
});

const MISSING = '"bridge.memory" must be wired';

const part = (page: Page, name: string) =>
  page.locator('#build').getByRole('button', { name, exact: true });

test('a machine that does not run yet is not confused with the one that ran', async ({
  page,
  context,
}) => {
  await page.goto('#/build/start/bus');
  await part(page, 'Memory').press('Delete');
  await expect(page.getByText(MISSING).first()).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('Open in the workspace');
  await page.keyboard.press('Enter');
  const banner = page.getByText('The machine on the sheet does not run yet');
  await expect(banner).toBeVisible();
  await expect(page.getByText(/Shown here is the scenario as it was opened/)).toContainText(
    MISSING,
  );
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Go to the sheet' }).click();
  await expect(banner).toHaveCount(0);
  await expect(page.getByText(MISSING).first()).toBeVisible();
  // Its address opens it in another tab, without the code of the changes.
  await expect(page).toHaveURL(/[?&]w=/);
  const address = new URL(page.url());
  address.hash = address.hash.replace(/&?s=[^&]*/, '');
  const second = await context.newPage();
  await second.goto(address.href);
  await expect(second.getByText(MISSING).first()).toBeVisible();
  await second.close();
  await page.getByRole('link', { name: 'Busyard: go to the gallery' }).click();
  await page.goBack();
  await expect(page.getByText(MISSING).first()).toBeVisible();
  await page.getByRole('link', { name: 'Busyard: go to the gallery' }).click();
  await page.getByRole('button', { name: /^What a bus is/ }).click();
  await expect(page).toHaveURL(/#\/build\//);
  await expect(page.getByText(MISSING).first()).toBeVisible();
});

test('a letter typed in a field is restored after a reload; an on/off parameter is set, and the machine runs', async ({
  page,
}) => {
  await page.goto('#/build/start/bus');
  const title = page.getByRole('textbox', { name: 'Title of the machine' });
  await title.fill('Mine');
  await page.reload();
  await expect(title).toHaveValue('Mine');
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  await part(page, 'Memory').press('Enter');
  await page.locator('#build-part').getByLabel('Written before').selectOption('on');
  await expect(page.getByText('Memory: “Written before” is on.').first()).toBeVisible();
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  await expectAccessible(page, ['#build-part']);
});

test('the keyboard focus moves on when its element is removed, and passes the parts in one step', async ({
  page,
}) => {
  await page.goto('#/build/start/bus');
  const drawn = page.locator('#build [data-part]');
  await expect(part(page, 'Memory')).toBeVisible();
  for (let left = await drawn.count(); left > 1; left--) {
    await drawn.last().press('Delete');
    await expect(drawn).toHaveCount(left - 1);
    await expect(page.locator('#build [data-part]:focus')).toHaveCount(1);
  }
  await page.keyboard.press('Delete');
  await expect(page.getByText('No parts yet')).toBeVisible();
  await expect(page.locator('#build :focus')).toHaveCount(1);
  await page.getByRole('searchbox', { name: 'Find a part' }).focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('radio', { name: 'by kind' })).toBeFocused();
  await page.keyboard.press('Tab');
  const first = page.locator('#build-parts li button').first();
  await expect(first).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('#build-parts li button').nth(1)).toBeFocused();
  await page.keyboard.press('End');
  await expect(page.locator('#build-parts li button').last()).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.locator('#build-parts :focus')).toHaveCount(0);
  await page.keyboard.press('Shift+Tab');
  await expect(page.locator('#build-parts li button').last()).toBeFocused();
});

const FIVE = ['Processor', 'Snooping cache', 'Runway', 'Memory controller', 'I/O device'];

test('five parts are joined by the offered wires; a deadlock is reported, and a DMA transfer runs', async ({
  page,
}) => {
  await page.goto('#/build/start/bus');
  await page.getByRole('button', { name: 'Start empty' }).click();
  for (const kind of FIVE)
    await page.getByRole('button', { name: new RegExp(`^Add ${kind},`) }).press('Enter');
  await page
    .getByRole('list', { name: 'Parts that would complete it' })
    .getByRole('button', { name: /HSC bus and I\/O adapter/ })
    .press('Enter');
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  const program = page.locator('#build-program');
  await program.getByRole('button', { name: 'Add a row' }).press('Enter');
  await program.getByLabel('Operation of row 1').selectOption('wait');
  await program.getByLabel('Row 1, tag').fill('3');
  await program.getByLabel('Row 1, tag').press('Enter');
  await expect(page.getByText(/waits forever: no "signal" adds to semaphore 3/)).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: /^Add I\/O services,/ }).press('Enter');
  await expect(page.getByText(/It is wired: .*processor\.os/).first()).toBeVisible();
  await program.getByLabel('Operation of row 1').selectOption('dma_out');
  for (const [name, value] of [
    ['from', '0x1000'],
    ['to', '0xf1000000'],
    ['bytes', '128'],
  ]) {
    await program.getByLabel(`Row 1, ${name}`).fill(value ?? '');
    await program.getByLabel(`Row 1, ${name}`).press('Enter');
  }
  await expect(
    page.getByText(/no cache listens for interrupts: row 1 of "processor"/),
  ).toBeVisible();
  await page
    .getByRole('button', { name: 'Make Snooping cache receive interrupts at 0xfff80000' })
    .press('Enter');
  await expect(page.getByText('The machine is complete and runs below.')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Find or do anything').fill('Open in the workspace');
  await page.getByRole('option', { name: /^Open in the workspace/ }).click();
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByRole('combobox', { name: 'Find events' }).fill('complete');
  await expect(
    page.getByText(/I\/O device: the transfer of 128.B at .* is complete/),
  ).toBeVisible();
});
