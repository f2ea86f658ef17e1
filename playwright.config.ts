import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defineConfig } from '@playwright/test';

/** Browsers come from the system, not from Playwright: the environment variable, or the PATH, the first name first. */
function browser(variable: string, ...names: readonly string[]): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [process.env[variable], ...places].find((path) => {
    try {
      accessSync(path ?? '', constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return found ?? names.at(-1) ?? '';
}

const port = Number(process.env.BUSYARD_E2E_PORT ?? 4173);
const address = `http://127.0.0.1:${port}/`;

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results',
  // One more than the cores it is meant for: what one test waits for is time for another.
  workers: 3,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // Three workers on two busy cores: waiting longer says nothing less about what is waited for.
  timeout: 240_000,
  expect: { timeout: 15_000, toHaveScreenshot: { maxDiffPixels: 0, animations: 'disabled' } },
  // What a service worker keeps would come between a test and what it gives in place of a file.
  use: {
    serviceWorkers: 'block',
    // Motion costs time on a busy machine; tests of what moves ask for it.
    contextOptions: { reducedMotion: 'reduce' },
    baseURL: address,
    viewport: { width: 1440, height: 900 },
    // Following every step costs a tenth of the time: `npx playwright test --trace on` where it is needed.
    trace: 'off',
  },
  webServer: {
    command: `node node_modules/vite/bin/vite.js preview --host 127.0.0.1 --port ${port} --strictPort`,
    url: address,
  },
  projects: [
    {
      name: 'chromium',
      use: {
        browserName: 'chromium',
        launchOptions: {
          executablePath: browser('BUSYARD_CHROMIUM', 'chromium-headless-shell', 'chromium'),
          args: [
            '--no-sandbox',
            '--disable-dev-shm-usage',
            '--force-color-profile=srgb',
            '--font-render-hinting=none',
          ],
        },
      },
    },
    {
      // What a browser does itself: its storage, service workers, policy, and the same bits. The page's own code runs in one.
      name: 'firefox',
      testMatch: /(smoke|parity|policy|fetch|offline|keeping|moments)\.spec\.ts/,
      use: {
        browserName: 'firefox',
        channel: 'moz-firefox',
        launchOptions: { executablePath: browser('BUSYARD_FIREFOX', 'firefox-esr') },
      },
    },
  ],
});
