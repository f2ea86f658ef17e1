// `npm run looks [-- WORDS] [--shots]`: checks the layout of every scenario, or of those with these words
// in their address, in both themes and five widths; with screenshots on request.
import { buildPage } from './build.mjs';
import { freePort, must, runIfMain, tool } from './lib.mjs';
import { setup } from './setup.mjs';

await runIfMain(import.meta.url, async (args) => {
  const words = args.filter((one) => !one.startsWith('--'));
  await setup(['emcc', 'chromium']);
  await buildPage();
  const all = tool('@playwright/test/cli.js', 'test', 'looks', '--project=chromium');
  const env = {
    BUSYARD_LOOKS: words[0] ?? 'all',
    BUSYARD_E2E_PORT: process.env.BUSYARD_E2E_PORT ?? String(await freePort()),
    ...(args.includes('--shots') ? { BUSYARD_SHOTS: '1' } : {}),
  };
  await must('Something is drawn wrongly.', process.execPath, all, { show: true, env });
});
