/** Drives the page in tests with Playwright (docs/testing.md). */
import { test as base, expect } from '@playwright/test';

/** The page as one file, which the package contains. */
const PAGE = new URL('../dist/single.html', import.meta.url).href;

export { expect };

const HASH = /^[0-9a-f]{16}$/;

/** "hp/at-work" is a scenario; what begins with "#", "?", ".", "/" or a protocol is an address. */
const addressOf = (target) =>
  /^([#?./]|https?:|file:)/.test(target) ? target : `#/machine/${target}`;

/** A time, such as "26 us", or a query. */
const queryOf = (where) =>
  /^[\d.]+\s*[nuµm]?s$/.test(where) ? `at>=${where.replaceAll(' ', '')}` : where;

export class Busyard {
  constructor(page) {
    this.page = page;
  }

  /** A part in the drawing of the machine. */
  part(title) {
    return this.page.locator('#machine').getByRole('button', { name: title, exact: true });
  }

  /** A panel by its id, such as "inspector", or by its title. */
  panel(name) {
    return /^[a-z-]+$/.test(name)
      ? this.page.locator(`#${name}`)
      : this.page.getByRole('region', { name }).first();
  }

  /** Opens a scenario or an address, and waits until its run is recorded. */
  async open(target) {
    await this.page.goto(addressOf(target));
    await this.#opened();
  }

  /** Opens a scenario file from its text, as if it was dropped onto the page. */
  async openFile(name, text) {
    if (this.page.url() === 'about:blank') await this.page.goto('#');
    await this.atRest();
    await this.page.evaluate(
      ([file, contents]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([contents], file));
        const at = { dataTransfer, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new DragEvent('dragover', at));
        document.body.dispatchEvent(new DragEvent('drop', at));
      },
      [name, text],
    );
    await this.#opened();
  }

  /** Throws what the page says of something that it does not open. */
  async #opened() {
    await this.atRest();
    const refused = this.page.locator('[role=alert][data-kind=error]').first();
    if (await refused.isVisible()) throw new Error(await refused.locator('p').innerText());
    await this.ready();
  }

  /** Waits until the machine is at the playhead and its run is recorded. */
  async ready() {
    const { page } = this;
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
    await expect(page.locator('[data-hash]')).toHaveAttribute('data-hash', HASH);
    await expect(page.getByRole('slider', { name: 'Time', exact: true })).toHaveAttribute(
      'aria-busy',
      'false',
    );
  }

  /** Waits until nothing is being opened, computed, drawn or animated. */
  async atRest() {
    await this.page.evaluate(
      () => new Promise((next) => requestAnimationFrame(() => setTimeout(next))),
    );
    await expect(this.page.locator('html')).toHaveAttribute('data-busyard', 'rest', { timeout: 0 });
  }

  /** Goes to the first event that a query finds (docs/queries.md), or that is not before a time. */
  async seek(where) {
    const { page } = this;
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'First', exact: true }).click();
    await this.atRest();
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Find events' });
    await expect(field).toBeFocused();
    await field.fill(queryOf(where));
    const found = this.panel('events').getByRole('status').filter({ hasText: /./ });
    await expect(found).toContainText(/in the whole run|up to the playhead|At character/);
    const text = (await found.textContent()) ?? '';
    if (!/^(Hit|\d)/.test(text)) throw new Error(`${JSON.stringify(where)}: ${text}`);
    await field.press('Enter');
    await expect(found).toContainText(/^Hit /);
    await this.atRest();
  }

  /** Selects a part in the drawing. */
  async select(title) {
    await this.show('machine');
    if ((await this.part(title).count()) === 0) {
      const parts = await this.page.locator('#machine [role=button][aria-pressed]').all();
      const names = await Promise.all(parts.map((part) => part.getAttribute('aria-label')));
      throw new Error(
        `No part of the drawing is called "${title}". There are: ${names.join(', ')}.`,
      );
    }
    // What is drawn within a part can cover its middle.
    await this.part(title).focus();
    await this.page.keyboard.press('Enter');
    await expect(this.part(title)).toHaveAttribute('aria-pressed', 'true');
  }

  /** Brings up a panel, which may be behind a tab. */
  async show(name) {
    const panel = this.panel(name);
    if (await panel.isVisible()) return;
    const tabs = this.page.getByRole('tablist', { name: 'Panels' }).getByRole('tab');
    for (const tab of await tabs.all()) {
      await tab.click();
      // React holds a part back for a moment after it has loaded.
      const shown = this.page.locator(`#${await tab.getAttribute('aria-controls')}`);
      await shown.getByRole('heading').first().waitFor();
      await this.atRest();
      if (await panel.isVisible()) return;
    }
    const regions = await this.page.getByRole('region').all();
    const headings = regions.map((region) => region.getByRole('heading').first().allInnerTexts());
    const names = [...(await tabs.allInnerTexts()), ...(await Promise.all(headings)).flat()];
    throw new Error(`No panel is called "${name}". There are: ${[...new Set(names)].join(', ')}.`);
  }

  /** Text of a panel; of its text alternative, if it has one. */
  async text(name) {
    await this.show(name);
    const panel = this.panel(name);
    const button = panel.getByRole('button', { name: 'Show as text' });
    if ((await button.count()) > 0) await button.click();
    return panel.innerText();
  }

  /** State hash at the playhead, once the page is at rest. */
  async hash() {
    await this.atRest();
    return (await this.page.locator('[data-hash]').getAttribute('data-hash')) ?? '';
  }
}

export const test = base.extend({
  // The package's own page, unless the configuration names another.
  baseURL: async ({ baseURL }, use) => use(baseURL ?? PAGE),
  covered: [true, { option: true }],
  busyard: async ({ page, covered }, use) => {
    if (!covered) await page.addInitScript(() => localStorage.setItem('busyard.cover', 'off'));
    await use(new Busyard(page));
  },
});
