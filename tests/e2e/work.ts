/** Helpers for tests of saved work: a lab that is edited, and a storage that can fail. */
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';

const LAB = './#/lab/gt/crossover';

const call = (page: Page): Locator => page.getByRole('spinbutton', { name: 'Per call' }).first();

export const shows = (page: Page, value: string): Promise<void> =>
  expect(call(page)).toHaveValue(value);

export async function openLab(page: Page): Promise<void> {
  await page.goto(LAB);
  await shows(page, '128.5');
}

/** Makes an edit by typing in a way that works in all browsers; returns when the page shows it. */
export async function edit(page: Page, value: string): Promise<void> {
  await call(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(value);
  await page.keyboard.press('Enter');
  await shows(page, Number(value).toFixed(1));
  await expect(page.getByRole('banner')).toContainText('change since calibration');
}

export const banner = (page: Page): Locator =>
  page.locator('[data-kind]:is([role=alert],[role=status])');

export const toGallery = (page: Page): Promise<void> =>
  page.getByRole('link', { name: 'Busyard: go to the gallery' }).click();

/** The entries of recent work on the lab. */
export const recent = (page: Page): Locator =>
  page.getByRole('button', { name: /^PIO or DMA: where is the crossover\?/ });

/** Number of journal copies: work that is not confirmed as stored. */
const copies = (page: Page): Promise<number> =>
  page.evaluate(
    () => Object.keys(localStorage).filter((key) => key.startsWith('busyard.copy.')).length,
  );

export const isKept = (page: Page): Promise<void> =>
  expect.poll(() => copies(page), { message: 'the storage has all work' }).toBe(0);

type Fault = 'refuse' | 'silent';

/** Lets tests inject a fault into each storage access of this context. */
export async function withFaults(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const asked = (fault: string) => localStorage.getItem('fault') === fault;
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...args) {
      if (asked('refuse')) throw new DOMException('full', 'QuotaExceededError');
      return put.apply(this, args);
    };
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...args) {
      return asked('silent') ? ({} as IDBOpenDBRequest) : open.apply(this, args);
    };
  });
}

export const setFault = (page: Page, fault: Fault | null): Promise<void> =>
  page.evaluate((name) => localStorage.setItem('fault', name ?? ''), fault);

/** Fills the local storage; removing `filling` makes room again. */
export const fillLocalStorage = (page: Page): Promise<void> =>
  page.evaluate(() => {
    let text = '';
    for (let step = 4 * 2 ** 20; step >= 1; step /= 2) {
      try {
        localStorage.setItem('filling', text + 'x'.repeat(step));
        text += 'x'.repeat(step);
        if (step === 4 * 2 ** 20) step *= 2;
      } catch {
        // Half of that may fit.
      }
    }
  });

/** Blocks the storage from another tab until the returned function is called. */
export async function holdStorage(context: BrowserContext): Promise<() => Promise<void>> {
  const page = await context.newPage();
  await page.goto('./');
  await page.evaluate(
    () =>
      new Promise<void>((begun, failed) => {
        const request = indexedDB.open('busyard');
        request.onupgradeneeded = () => request.result.createObjectStore('sessions');
        request.onerror = failed;
        request.onsuccess = () => {
          const store = request.result.transaction('sessions', 'readwrite').objectStore('sessions');
          const again = () => {
            begun();
            if (!document.title.startsWith('Free')) store.get('nothing').onsuccess = again;
          };
          store.get('nothing').onsuccess = again;
        };
      }),
  );
  return async () => {
    await page.evaluate(() => {
      document.title = 'Free';
    });
    await page.close();
  };
}

/** Writes records to the storage that the page itself would not write. */
export const putRecords = (page: Page, records: Readonly<Record<string, unknown>>): Promise<void> =>
  page.evaluate(
    (all) =>
      new Promise<void>((done, failed) => {
        const request = indexedDB.open('busyard');
        request.onupgradeneeded = () => request.result.createObjectStore('sessions');
        request.onerror = failed;
        request.onsuccess = () => {
          const transaction = request.result.transaction('sessions', 'readwrite');
          for (const [id, record] of Object.entries(all))
            transaction.objectStore('sessions').put(record, id);
          transaction.oncomplete = () => {
            request.result.close();
            done();
          };
        };
      }),
    records,
  );

/** Drops files onto the page, as a file manager does. */
export const dropAll = (page: Page, files: Readonly<Record<string, string>>): Promise<void> =>
  page.evaluate((all) => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of Object.entries(all)) dataTransfer.items.add(new File([text], name));
    const at = { dataTransfer, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent('dragover', at));
    document.body.dispatchEvent(new DragEvent('drop', at));
  }, files);

export const drop = (page: Page, name: string, text: string): Promise<void> =>
  dropAll(page, { [name]: text });

/**
 * Waits until the page is at rest (src/app/rest.ts): nothing is being opened, fetched, computed, drawn or
 * animated. Yields to the page once before, so that it has noticed the test's last action. Waits as long as the test:
 * the report is at rest when the runs of all its rows have ended.
 */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => setTimeout(next))));
  await expect(page.locator('html')).toHaveAttribute('data-busyard', 'rest', { timeout: 0 });
}

/** Holds files of the page back until the returned function is called. */
export async function hold(page: Page, url: string | RegExp): Promise<() => void> {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(url, async (route) => {
    await held;
    await route.continue();
  });
  return goOn;
}
