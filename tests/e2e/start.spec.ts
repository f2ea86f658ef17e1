import { expect, type Locator, type Page, test } from '@playwright/test';
import { expectAccessible } from './accessible';

/** The introductory lessons in order: the moment at which each opens, and the options that the runs confirm. */
const PATH = [
  ['What a bus is', '0.022', 'More than ten times as long', 'Three or four times'],
  ['Asking or being told', '0.600', 'More than a hundred times', 'None'],
  ['Two ways to copy', '0.251', 'PIO: there', 'About five times'],
  ['An address of its own', '0.196', 'Once, and then it remembers', 'Nothing'],
  ['Why data gets old', '0.196', 'All four', 'None'],
] as const;

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluateAll((found) => found.includes(document.activeElement as HTMLElement));

/** The focused element, or the label shown for it, has a visible focus ring. */
async function expectRing(page: Page): Promise<void> {
  const ring = await page.evaluate(() => {
    const focused = document.activeElement;
    const drawn = [focused, focused?.closest('label'), focused?.nextElementSibling].flatMap(
      (one) => (one ? [getComputedStyle(one)] : []),
    );
    return drawn.some(
      ({ outlineStyle, outlineWidth, boxShadow }) =>
        (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none',
    )
      ? ''
      : (focused?.outerHTML.slice(0, 200) ?? 'nothing');
  });
  expect(ring, 'has the focus, and nothing shows it').toBe('');
}

/** Reaches the target by the Tab key with a visible focus at each stop. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target.first()).toBeVisible();
  for (let presses = 0; presses < 60 && !(await isFocused(target)); presses++) {
    await page.keyboard.press('Tab');
    await expectRing(page);
  }
  await expect.poll(() => isFocused(target)).toBe(true);
}

/** Selects an option by the arrow keys and commits it. */
async function commitTo(page: Page, lesson: Locator, option: string): Promise<void> {
  await expect(lesson.locator('label[data-right]')).toHaveCount(0);
  await expect(lesson.getByRole('button', { name: 'Break the seal' })).toBeVisible();
  await page.keyboard.press('Alt+1');
  await tabTo(page, lesson.getByRole('radio'));
  const radio = lesson.getByRole('radio', { name: option });
  await page.keyboard.press('Space');
  while (!(await radio.isChecked())) await page.keyboard.press('ArrowDown');
  await tabTo(page, lesson.getByRole('button', { name: 'Break the seal' }));
  await page.keyboard.press('Enter');
  await expect(lesson.locator('label[data-right]')).toContainText(option);
}

/** Reads a lesson from its first step to its last, and answers its questions. */
async function read(page: Page, lesson: Locator, answers: readonly string[]): Promise<number> {
  const left = [...answers];
  for (;;) {
    const place = await lesson.getByText(/^Step \d+ of \d+$/).innerText();
    const [at, last] = (place.match(/\d+/g) ?? []).map(Number);
    if ((await lesson.getByRole('radio').count()) > 0)
      await commitTo(page, lesson, left.shift() ?? '');
    if (at === last) return left.length;
    await tabTo(page, lesson.getByRole('button', { name: 'Next step' }));
    await page.keyboard.press('Enter');
    await expect(lesson.getByText(`Step ${(at ?? 0) + 1} of ${last}`)).toBeVisible();
  }
}

test('the introduction can be completed from the gallery by keyboard alone', async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto('./');
  await tabTo(page, page.getByRole('link', { name: PATH[0][0] }));
  await page.keyboard.press('Enter');
  const lesson = page.locator('#lesson');
  for (const [index, [title, moment, ...answers]] of PATH.entries()) {
    await expect(lesson.getByRole('heading', { name: title })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
    if (index > 0) expect(await isFocused(lesson.locator(':focus'))).toBe(true);
    // Nothing of the previous lesson is left: neither its time nor its selections.
    await expect(page.locator('[data-readout="time"]')).toHaveText(`${moment}µs`);
    await expect(page.locator('#machine [aria-pressed="true"]')).toHaveCount(0);
    await page.keyboard.press('Alt+1');
    expect(await read(page, lesson, answers)).toBe(0);
    await expect(lesson.getByRole('heading', { name: 'What you can say now' })).toBeVisible();
    const [next] = PATH[index + 1] ?? [];
    if (!next) break;
    await tabTo(page, lesson.getByRole('link', { name: next, exact: false }));
    await page.keyboard.press('Enter');
  }
  await page.goto('./');
  const entries = page.getByRole('region', { name: 'Start here' }).getByRole('listitem');
  await expect(entries).toHaveCount(PATH.length);
  for (const entry of await entries.all())
    await expect(entry.getByRole('img')).toHaveAccessibleName(/^2 of 2\squestions answered/);
  await expectAccessible(page, ['[aria-labelledby="start-here"]']);
});
