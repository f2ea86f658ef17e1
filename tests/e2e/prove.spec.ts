import { expect, type Page, test } from '@playwright/test';
import { MAP_PROOFS, type MapProof } from '../../src/model/verify/pool-proofs';
import { PROOFS, type Proof } from '../../src/model/verify/proofs';
import { expectAccessible } from './accessible';

const SMALLEST = PROOFS[0] as Proof;
const found = (page: Page) => page.getByRole('complementary', { name: 'What was found' });
const integer = (value: number) =>
  new RegExp(`^${String(value).replace(/\B(?=(\d{3})+$)/g, '.')}$`);

async function open(page: Page): Promise<void> {
  await page.goto('./#/prove');
  await expect(page.getByRole('heading', { name: 'Can it go wrong?' })).toBeVisible();
}

const breakIt = async (page: Page, defect: string) => {
  await page.getByRole('button', { name: `Break: ${defect}` }).click();
  await page.getByRole('button', { name: `Open the counterexample: ${defect}` }).click();
};

test('a configuration is explored completely, and the result is stated in words', async ({
  page,
}) => {
  await open(page);
  await page.getByRole('button', { name: `Explore ${SMALLEST.title}`, exact: true }).click();
  const row = page.getByRole('row', { name: new RegExp(SMALLEST.covers) });
  await expect(row).toContainText('everything holds');
  const states = row.getByRole('cell', { name: integer(SMALLEST.pinned?.states ?? 0) });
  await expect(states).toBeVisible();
  await expect(found(page)).toContainText('Every invariant holds in each');
  await expect(found(page).getByText('holds', { exact: true })).toHaveCount(13);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(overflow, 'on a phone it is one column').toBe(false);
});

test('a long exploration shows its progress, and can be stopped', async ({ page }) => {
  await open(page);
  await page.getByRole('button', { name: 'Explore 2 CPUs, 2 lines of a page' }).click();
  await expect(found(page)).toContainText(/so far, .* of them still to explore/);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(found(page)).toContainText('Stopped after');
  await expect(page.getByRole('button', { name: 'Stop' })).toHaveCount(0);
});

test('a defect is found, and its counterexample steps to the violation', async ({ page }) => {
  await open(page);
  await breakIt(page, 'An owner answers OK while its line is dirty');
  await expect(page.getByRole('region', { name: 'Machine' }).first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Lesson' })).toContainText('no lost data');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await expect(
    page.getByText('Agent 0: store to the low half, line 0x1000.').first(),
  ).toBeVisible();
  await page.keyboard.press('End');
  const why = page.getByRole('region', { name: 'Why?' });
  await expect(why).toContainText(
    'Violated: the newest write no longer exists anywhere: it is lost',
  );
  await page.keyboard.press('ArrowLeft');
  await expect(why).not.toContainText('Violated:');
});

test('a counterexample can be shared as a link', async ({ page }) => {
  await open(page);
  await breakIt(page, 'OK instead of shared while keeping a copy');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const field = page.getByRole('textbox', { name: 'Link to this session' });
  await expect(field).toHaveValue(/#s=/);
  const link = await field.inputValue();
  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.getByRole('region', { name: 'Lesson' })).toContainText(
    'OK instead of shared while keeping a copy',
  );
});

test('rules of lazy flush are checked in every order, and a violated one shows its counterexample as a run', async ({
  page,
}) => {
  await open(page);
  const [linux, fixed] = [MAP_PROOFS[0] as MapProof, MAP_PROOFS.at(-1) as MapProof];
  await page.getByRole('button', { name: `Check: ${linux.title}`, exact: true }).click();
  await expect(page.getByText('✗ a stale use after 34 steps')).toBeVisible();
  await page.getByText('The shortest counterexample, 34 steps').click();
  await expect(page.getByText(/uses the translation of an earlier mapping/)).toBeVisible();
  await page.getByRole('button', { name: `Check: ${fixed.title}`, exact: true }).click();
  await expect(page.getByText('✓ holds in every order')).toBeVisible({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Open a run of it' }).click();
  await expect(page).toHaveURL(/stale-translation/);
});
