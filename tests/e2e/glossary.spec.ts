import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './accessible';
import { hold } from './work';

const STEP = './#/machine/start/bus?step=3';

/** A glossary term of the lesson, and its tooltip. */
const wordIn = (page: Page, word: string) => ({
  word: page.locator('#lesson').getByRole('button', { name: word, exact: true }),
  note: page.getByRole('group', { name: `${word} write` }),
});

test('a term has a tooltip for the keyboard, which Escape closes, and one that the pointer may enter', async ({
  page,
}) => {
  await page.goto(STEP);
  const { word, note } = wordIn(page, 'posted');
  await expect(word).toBeVisible();
  await page.keyboard.press('Alt+1');
  for (let presses = 0; presses < 20 && (await note.count()) === 0; presses++)
    await page.keyboard.press('Tab');
  await expect(word).toBeFocused();
  await expect(word).toHaveAccessibleDescription(/before it has arrived/);
  await page.keyboard.press('Escape');
  await expect(note).toBeHidden();
  await expect(word).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(note).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(note.getByRole('link', { name: 'What a bus is' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(note).toBeHidden();
  await expect(word).toBeFocused();
  await word.hover();
  await expect(note).toContainText('before it has arrived');
  await expect(note).toContainText('Filled squares in the bridge');
  await note.getByRole('link', { name: 'Glossary' }).hover();
  await page.mouse.move(720, 300);
  await expect(note).toBeHidden();
  await word.click();
  await page.mouse.move(720, 300);
  await expect(note).toBeVisible();
  await expectAccessible(page, ['#lesson']);
  await note.getByRole('link', { name: 'Glossary' }).click();
  await expect(page).toHaveURL(/#\/glossary\?term=posted\+write$/);
  await expect(page.locator('dt', { hasText: 'posted write' })).toBeFocused();
  await expect(page.locator('dt', { hasText: 'posted write' })).toBeInViewport();
});

test('terms in the drawing and in the inspector have tooltips, too', async ({ page }) => {
  // The pointer rests on a term before the glossary is loaded, and does not move any more.
  const goOn = await hold(page, '**/assets/glossary-*.js');
  await page.goto('./#/machine/one/lazy-flush');
  const note = page.getByRole('group', { name: 'IOMMU', exact: true });
  const drawing = page.locator('#machine');
  await drawing.locator('svg text', { hasText: /^IOMMU$/ }).hover({ force: true });
  await expect(drawing.locator('svg text:hover')).toHaveText('IOMMU');
  goOn();
  await expect(note).toContainText('translat');
  await page.mouse.move(5, 5);
  await expect(note).toBeHidden();
  const part = drawing.getByRole('button', { name: 'IOMMU', exact: true });
  await drawing.getByRole('button').first().press('Tab');
  for (
    let presses = 0;
    presses < 9 && !(await part.evaluate((one) => one.matches(':focus')));
    presses++
  )
    await page.keyboard.press('Tab');
  await expect(note).toContainText('translat');
  await page.keyboard.press('Escape');
  await expect(note).toBeHidden();
  await page.keyboard.press('Enter');
  await page.locator('#inspector p button').first().click();
  await expect(page.locator('#inspector [popover]')).toContainText('Esc closes');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a touch on a term opens its tooltip, within the page', async ({ page }) => {
    await page.goto(STEP);
    const { word, note } = wordIn(page, 'posted');
    await word.tap();
    await expect(note).toBeVisible();
    const box = await note.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
    await page.locator('#lesson').getByRole('heading').first().tap();
    await expect(note).toBeHidden();
    for (const name of ['Bus', 'Bridge']) {
      await page.locator('#machine svg text', { hasText: new RegExp(`^${name}$`) }).tap();
      await expect(page.getByRole('group', { name: name.toLowerCase() })).toBeVisible();
      await page.keyboard.press('Escape');
    }
  });
});

test('the glossary is a page that the gallery and the search link to', async ({ page }) => {
  await page.goto('./');
  await page.getByRole('link', { name: 'glossary' }).click();
  const terms = page.locator('dt');
  await expect(terms.first()).toBeVisible();
  expect(await terms.count()).toBeGreaterThanOrEqual(60);
  await expectAccessible(page);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await page.keyboard.type('folded by nobody');
  await expect(page.getByText('Nothing matches.')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('page directory');
  await expect(page.getByRole('option', { name: /^page directory/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.locator('dt', { hasText: 'page directory' })).toBeFocused();
});
