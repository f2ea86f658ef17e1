/** Every scenario ends in the same state in a browser's worker as natively. */
import { readdirSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { createServer, type ViteDevServer } from 'vite';
import { runNative } from '../support/native';

type Scenarios = typeof import('../support/scenarios');

const SYSTEMS = readdirSync('scenarios').filter((name) => name !== 'machines');

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

for (const system of SYSTEMS)
  test(`every scenario of ${system} ends in the same state in the browser and natively`, async ({
    page,
  }) => {
    // Through Vite, which reads JSON and glob imports as the product's build does.
    const support = await server.ssrLoadModule('/tests/support/scenarios.ts');
    const { compiled, SCENARIOS, scenarioAt } = support as Scenarios;
    const paths = SCENARIOS.filter((path) => path.includes(`scenarios/${system}/`));
    expect(paths.length).toBeGreaterThan(0);
    const sessions = paths.map((path) => ({ path, ...compiled(scenarioAt(path)) }));
    const address = server.resolvedUrls?.local[0] ?? '';
    const entry = `${address}src/engine/workers.ts`;
    await page.route(`${address}blank`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    );
    await page.goto(`${address}blank`);
    const jobs = sessions.map(({ config, untilPs }) => ({ config: [...config], untilPs }));
    const ends = await page.evaluate(
      async ({ entry, jobs }) => {
        const { createWorkerEngine } = await import(entry);
        const engine = createWorkerEngine();
        const all = [];
        for (const { config, untilPs } of jobs) {
          await engine.open({ config: Uint8Array.from(config), commands: [] });
          const { events, timePs } = await engine.run({ untilPs });
          all.push({ events, timePs, hash: await engine.hash() });
        }
        engine.dispose();
        return all;
      },
      { entry, jobs },
    );
    for (const [i, { path, config, untilPs }] of sessions.entries()) {
      const { hash, events, time_ps } = await runNative(config, { untilPs });
      expect({ path, ...ends[i] }).toEqual({ path, hash, events, timePs: time_ps });
    }
  });
