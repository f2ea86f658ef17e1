// The first load: from the address to the first simulated curve on the screen, in the page as built.
import { preview } from 'vite';
import { root } from '../scripts/lib.mjs';

const LAB = '#/lab/gt/crossover';

/** Milliseconds since the page was asked for, at the first frame in which `selector` is there. */
async function firstFrame(browser, address, selector) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  const seen = await page.waitForFunction(
    (wanted) => document.querySelector(wanted) && performance.now(),
    selector,
    { polling: 'raf' },
  );
  const ms = await seen.jsonValue();
  await context.close();
  return ms;
}

/** Loads of the built page, each in a browser context of its own, and of an empty page beside it. */
export async function openLoads(browser) {
  const local = { host: '127.0.0.1', port: 0 };
  const server = await preview({ root, configFile: false, logLevel: 'error', preview: local });
  const address = `${server.resolvedUrls.local[0]}${LAB}`;
  return {
    curves: () => firstFrame(browser, address, '[data-curve]'),
    empty: () => firstFrame(browser, 'data:text/html,<main></main>', 'main'),
    close: () => server.close(),
  };
}
