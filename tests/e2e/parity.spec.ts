/**
 * Every scenario reaches the same state in a browser's worker as natively. The parity test of Node runs those to their
 * ends that go on for longer: four fifths are shorter.
 */
import { expect, test } from '@playwright/test';
import { createServer, type ViteDevServer } from 'vite';
import { runNative } from '../support/native';

const MOST_EVENTS = 50_000;

type Scenarios = typeof import('../support/scenarios');

let server: ViteDevServer;

test.beforeAll(async () => {
  // The sources: the product has no reason to export its engine.
  server = await createServer({
    configFile: false,
    logLevel: 'error',
    optimizeDeps: { noDiscovery: true },
    server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
    appType: 'custom',
  });
  await server.listen();
});

test.afterAll(() => server.close());

// One test: the sources of the engine and of the compiler are transformed once, and the engine's code is loaded once.
test('every scenario reaches the same state in the browser and natively', async ({ page }) => {
  // Through Vite, which reads JSON and glob imports as the product's build does.
  const support = await server.ssrLoadModule('/tests/support/scenarios.ts');
  const { compiled, SCENARIOS, scenarioAt } = support as Scenarios;
  expect(SCENARIOS.length).toBeGreaterThan(0);
  const sessions = SCENARIOS.map((path) => ({ path, ...compiled(scenarioAt(path)) }));
  const address = server.resolvedUrls?.local[0] ?? '';
  const entry = `${address}src/engine/workers.ts`;
  await page.route(`${address}blank`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto(`${address}blank`);
  const jobs = sessions.map(({ config, untilPs }) => ({
    config: Buffer.from(config).toString('base64'),
    limit: { untilPs, untilEvents: MOST_EVENTS },
  }));
  const ends = await page.evaluate(
    async ({ entry, jobs }) => {
      const { createWorkerEngine } = await import(entry);
      const engine = createWorkerEngine();
      const all = [];
      for (const { config, limit } of jobs) {
        const bytes = Uint8Array.from(atob(config), (letter) => letter.charCodeAt(0));
        await engine.open({ config: bytes, commands: [] });
        const { events, timePs } = await engine.run(limit);
        all.push({ events, timePs, hash: await engine.hash() });
      }
      engine.dispose();
      return all;
    },
    { entry, jobs },
  );
  for (const [i, { path, config, untilPs }] of sessions.entries()) {
    const { hash, events, time_ps } = await runNative(config, {
      untilPs,
      untilEvents: MOST_EVENTS,
    });
    expect({ path, ...ends[i] }).toEqual({ path, hash, events, timePs: time_ps });
  }
});
