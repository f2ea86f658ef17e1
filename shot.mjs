import { chromium } from '@playwright/test';
const b = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell' });
const shots = JSON.parse(process.argv[2]);
for (const [name, hash, w = 1440, h = 900, scheme = 'light', sel] of shots) {
  const c = await b.newContext({ viewport: { width: w, height: h }, colorScheme: scheme, reducedMotion: 'reduce' });
  const p = await c.newPage();
  await p.goto('http://127.0.0.1:4621/' + hash);
  await p.waitForTimeout(3500);
  if (sel) await p.locator(sel).first().scrollIntoViewIfNeeded().catch(() => {});
  const sw = await p.evaluate(() => [document.documentElement.scrollWidth, innerWidth, ...[...document.querySelectorAll('#lesson *')].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible').map((e) => e.className)]);
  console.log(name, sw.join(' '));
  const panel = w > 800 ? p.locator('#lesson') : p;
  await panel.screenshot({ path: `/tmp/mend-${name}.png` });
  await c.close();
}
await b.close();
