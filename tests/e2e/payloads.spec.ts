import { deflateRawSync } from 'node:zlib';
import { expect, type Page, test } from '@playwright/test';
import { PAYLOADS } from '../support/payloads';

const LONGEST_TITLE = 200;

/** Payloads per round for places that take one text each. */
const STEP = 3;

/** The payload of a round for one place: over all rounds, each place gets a third of them. */
const payload = (round: number, sink: number) =>
  (PAYLOADS[(round + sink) % PAYLOADS.length] as string).slice(0, LONGEST_TITLE);

/** A scenario all of whose texts are payloads. */
function scenario(round: number) {
  let sink = 0;
  const text = () => payload(round, sink++);
  const lesson = [
    `# ${text()}`,
    text(),
    `> ${text()}`,
    `- ${text()}`,
    `1. ${text()}`,
    `? ${text()}\n- ${text()} {cpu.laps = 1}\n- ${text()}\n= ${text()}`,
    `[${text()}](part:cpu) [${text()}](time:1us) [a](${text()})`,
    `## ${text()}`,
  ];
  return {
    busyard: 1,
    title: text(),
    summary: text(),
    belief: text(),
    system: 'gt',
    machine: {
      extends: 'gt-system-a',
      parts: { cpu: { title: text() }, bus: { title: text() } },
    },
    variables: { size: { value: 16, title: text(), unit: text() } },
    programs: {
      store: [
        { do: 'lap' },
        { do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: '$size' },
        { do: 'lap_end' },
      ],
    },
    workload: { cpu: 'store' },
    until: '1 ms',
    metrics: { time: { title: text(), unit: text(), product: ['cpu.lap_time', 0.001] } },
    experiment: {
      axes: { size: { title: text(), unit: text(), values: [4, 8] } },
      x: 'size',
      metrics: ['time'],
      whatif: [{ title: text(), set: { 'cpu.store_time': { times: 2 } } }],
    },
    unexplained: [{ text: text() }],
    view: {
      kind: round % 2 === 0 ? 'machine' : 'lab',
      parameters: [
        { title: text(), note: text(), rows: [{ param: 'cpu.store_time', title: text() }] },
      ],
    },
    lesson: lesson.join('\n\n'),
  };
}

/** A session whose name, measurements and edits are payloads. */
const session = (round: number) => ({
  busyard_session: 1,
  scenario: { text: JSON.stringify(scenario(round)), name: payload(round, 40) },
  edits: {},
  commands: [],
  seed: null,
  variables: {},
  cursor: { events: 0 },
  view: { [payload(round, 41)]: payload(round, 42) },
  measured: { name: payload(round, 43), text: 'SIZE pio_write\n4 5.79\n' },
  layout: '00000000',
  hash: null,
});

/** Drops files onto the page, one after the other. */
const drop = (page: Page, name: string, text: string) =>
  page.evaluate(
    ([fileName, contents]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([contents ?? ''], fileName ?? ''));
      document.body.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      );
    },
    [name, text],
  );

const go = (page: Page, fragment: string) =>
  page.evaluate((hash) => {
    location.hash = hash;
  }, fragment);

/** Elements and attributes that could only come from interpreted text. */
const becameMore = (page: Page) =>
  page.evaluate(() => {
    const elements = 'iframe, object, embed, base, form, video, audio, img, script:not([src])';
    const found = [...document.querySelectorAll(elements)].map((one) => one.outerHTML);
    const isBad = ({ name, value }: Attr) =>
      name.startsWith('on') ||
      (/^(href|src|srcset|action|formaction|data|xlink:href)$/.test(name) &&
        /^\s*(javascript|vbscript|data:text|\/\/)/i.test(value));
    for (const element of document.querySelectorAll('*'))
      if ([...element.attributes].some(isBad)) found.push(element.outerHTML.slice(0, 200));
    return found;
  });

test('untrusted text stays text, in every place that shows it', async ({ page, baseURL }) => {
  test.setTimeout(300_000);
  const foreign: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(baseURL ?? '').origin)
      foreign.push(request.url());
  });
  page.on('dialog', (dialog) => {
    foreign.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    window.ran = [];
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  await page.goto('./');
  const heading = page.locator('header h1');
  const banner = page.locator('[role="alert"][data-kind]');
  await expect(heading).toHaveText('Gallery');
  for (let round = 0; round < PAYLOADS.length; round += STEP) {
    const one = PAYLOADS.slice(round, round + STEP).join(' ');
    const where = `round ${round}: ${one}`;
    const title = scenario(round).title;
    await drop(page, `${one}.json`, JSON.stringify(scenario(round)));
    await expect(heading, where).toHaveText(title.trim() || title);
    await drop(page, one, `SIZE pio_write\n4 ${one}\n`);
    await drop(
      page,
      `${one}.json`,
      `{"busyard": 1, ${JSON.stringify(one)}: ${JSON.stringify(one)}}`,
    );
    await expect(banner.first(), where).toBeVisible();
    await go(page, `#/${encodeURIComponent(one)}`);
    await go(page, `#url=${encodeURIComponent(one)}`);
    if (round % (4 * STEP) === 0) {
      const code = deflateRawSync(JSON.stringify(session(round))).toString('base64url');
      await go(page, `#s=${code}`);
      await page.keyboard.press('Control+k');
      await page.keyboard.type(one.slice(0, 20));
      await page.keyboard.press('Escape');
    }
    expect(await becameMore(page), where).toEqual([]);
  }
  expect(await page.evaluate(() => [...window.ran, ...window.violations])).toEqual([]);
  expect(foreign).toEqual([]);
});
