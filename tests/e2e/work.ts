/** Helpers for tests of saved work: a run that is edited, and a storage that can fail. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';

/** A machine and not a lab, whose hundred runs at each opening would be most of the work of these tests. */
const RUN = './#/machine/gt/gfixit?t=0';

/** A number in the first step of the lesson. */
const threshold = (page: Page): Locator =>
  page
    .locator('#lesson')
    .getByRole('spinbutton', { name: 'read threshold of the library' })
    .first();

/** The value before any edit. */
export const UNCHANGED = '128';

export const shows = (page: Page, value: string): Promise<void> =>
  expect(threshold(page)).toHaveValue(value);

export async function openRun(page: Page): Promise<void> {
  await page.goto(RUN);
  await shows(page, UNCHANGED);
}

/** Makes an edit by typing in a way that works in all browsers; returns when the page shows it. */
export async function edit(page: Page, value: string): Promise<void> {
  await threshold(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(value);
  await page.keyboard.press('Enter');
  await shows(page, value);
  await expect(page.getByRole('banner')).toContainText('change since preset');
}

export const banner = (page: Page): Locator =>
  page.locator('[data-kind]:is([role=alert],[role=status])');

export const toGallery = (page: Page): Promise<void> =>
  page.getByRole('link', { name: 'Busyard: go to the gallery' }).click();

/** The entries of recent work on the run. */
export const recent = (page: Page): Locator =>
  page.getByRole('button', { name: /^Batch the small reads/ });

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

/**
 * Blocks the storage from a worker of another tab until the returned function is called. While the worker waits for an
 * answer of the server, its transaction stays open.
 */
export async function holdStorage(context: BrowserContext): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer(async (_, response) => {
    await released;
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const page = await context.newPage();
  // The site's storage, without its policy and its script.
  await page.route('**/blank', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto('./blank');
  await page.evaluate((address) => {
    const script = `
      const request = indexedDB.open('busyard');
      request.onupgradeneeded = () => request.result.createObjectStore('sessions');
      request.onsuccess = () => {
        const store = request.result.transaction('sessions', 'readwrite').objectStore('sessions');
        store.get('nothing').onsuccess = () => {
          postMessage('held');
          const waiting = new XMLHttpRequest();
          waiting.open('GET', '${address}', false);
          waiting.send();
        };
      };`;
    const worker = new Worker(URL.createObjectURL(new Blob([script])));
    return new Promise<void>((held) => {
      worker.onmessage = () => held();
    });
  }, `http://127.0.0.1:${port}/`);
  return async () => {
    release();
    server.close();
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
