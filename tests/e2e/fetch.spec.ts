import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import { serveSite } from '../support/site';
import { atRest, banner as messages } from './work';

const SCENARIO = readFileSync('scenarios/gt/one-word.json', 'utf8').replace(
  /"title": "[^"]*"/,
  '"title": "Word by word elsewhere"',
);

/** Nothing of it is left to the browser. */
const OWN = 'the same code in each browser';

const heading = (page: Page) => page.locator('header h1');
const banner = (page: Page) => page.locator('[role="alert"][data-kind]');

async function closeMessage(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(messages(page)).toHaveCount(0);
}

/** Another site that allows cross-origin requests. */
class Elsewhere {
  readonly asked: string[] = [];
  readonly #server: Server;

  constructor(readonly answers: Record<string, RequestListener>) {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      response.setHeader('access-control-allow-origin', '*');
      const answer = answers[request.url ?? ''];
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((ready) => this.#server.listen(0, '127.0.0.1', ready));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

test.describe('an address that names a file on another site', () => {
  let elsewhere: Elsewhere;
  let host = '';
  test.beforeEach(async () => {
    elsewhere = new Elsewhere({
      '/home.json': (_, response) => response.end(SCENARIO),
      '/silent.json': () => {},
    });
    host = await elsewhere.start();
  });
  test.afterEach(() => elsewhere.stop());

  const ask = (page: Page, file: string) =>
    page.goto(`./#url=${encodeURIComponent(`http://${host}/${file}`)}`);

  test('says why nothing is opened, can be stopped or dropped, and opens the file when asked', async ({
    page,
  }) => {
    await test.step('it says why nothing is opened', async () => {
      await ask(page, 'gone.json');
      await page.getByRole('button', { name: 'Fetch it' }).click();
      await expect(banner(page)).toContainText('gone.json cannot be opened');
      await expect(banner(page)).toContainText('The server answered 404.');
      await closeMessage(page);
    });
    elsewhere.asked.length = 0;
    await test.step('it is dropped when the user stays', async () => {
      await ask(page, 'home.json');
      await page.getByRole('button', { name: 'Stay here' }).click();
      await expect(banner(page)).toHaveCount(0);
      await atRest(page);
      expect(elsewhere.asked).toEqual([]);
      await expect(page).toHaveURL(/\/(#)?$/);
    });
    await test.step('it can be stopped while it loads', async () => {
      await ask(page, 'silent.json');
      await page.getByRole('button', { name: 'Fetch it' }).click();
      await expect(banner(page)).toContainText(`Fetching silent.json from ${host}`);
      await page.getByRole('button', { name: 'Stop' }).click();
      const message = page.locator('[data-kind]').filter({ hasText: 'was stopped' });
      await message.getByRole('button', { name: 'Restart' }).click();
      await expect(banner(page)).toContainText(`Fetching silent.json from ${host}`);
      await page.getByRole('button', { name: 'Stop' }).click();
      await expect(message).toBeVisible();
      await closeMessage(page);
    });
    elsewhere.asked.length = 0;
    await ask(page, 'home.json');
    await expect(banner(page)).toContainText(`The address requests a file from ${host}`);
    await expect(banner(page)).toContainText('Nothing has been fetched yet.');
    await atRest(page);
    expect(elsewhere.asked).toEqual([]);
    await page.getByRole('button', { name: 'Fetch it' }).click();
    await expect(heading(page)).toHaveText('Word by word elsewhere');
    await expect(banner(page)).toHaveCount(0);
    expect(elsewhere.asked).toEqual(['/home.json']);
  });

  test('asks again on arrival if something else has been opened', async ({ page, browserName }) => {
    test.skip(browserName === 'firefox', OWN);
    let answer = () => {};
    elsewhere.answers['/late.json'] = (_, response) => {
      answer = () => response.end(SCENARIO);
    };
    await ask(page, 'late.json');
    await page.getByRole('button', { name: 'Fetch it' }).click();
    await expect(banner(page)).toContainText('Fetching late.json');
    await page.evaluate(() => {
      location.hash = '/machine/start/bus';
    });
    await expect(heading(page)).toHaveText('What a bus is');
    answer();
    await expect(banner(page).filter({ hasText: 'late.json has arrived' })).toBeVisible();
    await expect(heading(page)).toHaveText('What a bus is');
    await page.getByRole('button', { name: 'Open it' }).click();
    await expect(heading(page)).toHaveText('Word by word elsewhere');
  });
});

test('an address of a file that no site can have is refused at once', async ({
  page,
  browserName,
}) => {
  test.skip(browserName === 'firefox', OWN);
  await page.goto('./');
  for (const [link, sentence] of [
    ['javascript:alert(1)', 'https: and http:'],
    ['data:application/json,{}', 'https: and http:'],
    ['file:///etc/passwd', 'https: and http:'],
    ['http://me:secret@127.0.0.1/x', 'a user name or a password'],
    ['http://', 'It is not an address.'],
  ] as const) {
    await page.evaluate((address) => {
      location.hash = `url=${encodeURIComponent(address)}`;
    }, link);
    await expect(banner(page)).toContainText(`This link cannot be opened. ${link}`);
    await expect(banner(page)).toContainText(sentence);
  }
});

test('a host that sends no headers lets the page fetch nevertheless', async ({ page }) => {
  const site = await serveSite({ headers: false });
  const elsewhere = new Elsewhere({ '/home.json': (_, response) => response.end(SCENARIO) });
  const host = await elsewhere.start();
  await page.goto(`${site.url}#url=${encodeURIComponent(`http://${host}/home.json`)}`);
  await page.getByRole('button', { name: 'Fetch it' }).click();
  await expect(heading(page)).toHaveText('Word by word elsewhere');
  elsewhere.stop();
  await site.close();
});
