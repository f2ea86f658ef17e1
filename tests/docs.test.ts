/** The examples in the documents work. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder } from '../scripts/lib.mjs';
import { HEADERS, headersFile, pagePolicy, policyOf } from '../scripts/policy.mjs';
import { createLocalEngine } from '../src/engine/inprocess';
import { crossingIn } from '../src/model/lab/crossing';
import { planOf } from '../src/model/lab/plan';
import { LabSweeper } from '../src/model/lab/sweep';
import { editsOf, pointsOf } from '../src/model/scenario/experiment';
import { loadScenario } from '../src/model/scenario/load';
import { listScenarios } from '../src/model/scenario/scenarios';
import { LONG_PROOFS, PROOFS } from '../src/model/verify/proofs';
import { compiled } from './support/scenarios';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const FORMAT = read('docs/scenario-format.md');
const [EXAMPLE = '', LAB = '', LOOPS = ''] = [...FORMAT.matchAll(/```json\n(.*?)```/gs)].map(
  ([, text]) => text,
);
const machines = new Map([['gt-system-a', read('scenarios/machines/gt-system-a.json')]]);

test('the example of the scenario format is a scenario', () => {
  const loaded = loadScenario(EXAMPLE, { machines });
  expect(loaded.ok ? [] : loaded.problems).toEqual([]);
  if (!loaded.ok) return;
  expect(pointsOf(loaded.value)).toHaveLength(8);
  expect(compiled(loaded.value).config.length).toBeGreaterThan(0);
});

test('with the keys of the second example it becomes an experiment whose curves cross', async () => {
  const text = JSON.stringify({ ...JSON.parse(EXAMPLE), ...JSON.parse(LAB) });
  const loaded = loadScenario(text, { machines });
  expect(loaded.ok ? [] : loaded.problems).toEqual([]);
  const plan = loaded.ok ? planOf(loaded.value) : null;
  if (!plan) return;
  expect(plan.series.map(({ title }) => title)).toEqual(['Words', 'DMA']);
  const engine = await createLocalEngine();
  const set = await new LabSweeper(() => engine).trial({ plan, edits: {}, points: plan.points });
  const [crossing] = plan.crossings;
  if (!set || !crossing) throw new Error('Nothing was run.');
  const { grid } = crossingIn(plan, set, crossing, { metric: 'time', unit: 'us' });
  expect(grid).toBe(1024);
  const changes = plan.scenario.experiment?.whatif ?? [];
  const edits = changes.map((change) => editsOf(compiled(plan.scenario), {}, change));
  expect(edits.map((one) => (one.ok ? Object.entries(one.value) : one.problems))).toEqual([
    [['cpu.switch_time', expect.any(String)]],
    [['driver.setup_time', expect.any(String)]],
    [['bridge.posts', '16']],
  ]);
  expect(plan.scenario.view.parameters[0]?.rows).toHaveLength(2);
});

test('with the programs of the third example it moves four pieces in each direction', () => {
  const text = JSON.stringify({ ...JSON.parse(EXAMPLE), ...JSON.parse(LOOPS) });
  const loaded = loadScenario(text, { machines });
  expect(loaded.ok ? [] : loaded.problems).toEqual([]);
  if (!loaded.ok) return;
  const moved = [...loaded.value.programs.values()].map((rows) =>
    rows.flatMap(({ fields: { from, to } }) => (from === undefined ? [] : [[from, to]])),
  );
  expect(moved).toEqual([
    [0, 16, 32, 48].map((at) =>
      [1048576 + at, 2147483648 + at].map((to) => `0x${to.toString(16)}`),
    ),
    [48, 32, 16, 0].map((at) =>
      [2147483648 + at, 1048576 + at].map((to) => `0x${to.toString(16)}`),
    ),
  ]);
  for (const { variables } of pointsOf(loaded.value))
    expect(compiled(loaded.value, { variables }).config.length).toBeGreaterThan(0);
});

test('every machine that can be extended is listed', () => {
  const [, list = ''] = /The machines\nthat can be extended:\n\n(.*?)\n\n/s.exec(FORMAT) ?? [];
  const listed = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const files = readdirSync(new URL('../scenarios/machines', import.meta.url));
  expect(listed).toEqual(files.map((file) => file.replace('.json', '')).sort());
});

test('the headers for hosts contain the policy', () => {
  const guide = read('docs/hosting.md');
  const sent = { ...HEADERS, fetcher: policyOf('assets/fetch-worker-1.js'), page: pagePolicy };
  for (const [name, value] of Object.entries(sent)) expect(guide, name).toContain(value);
});

test('in the file for static hosts, no response gets two policies', () => {
  const workers = ['assets/worker-1.js', 'assets/explore-worker-2.js', 'assets/fetch-worker-3.js'];
  const blocks = headersFile([...workers, 'assets/at-work-4.js', 'theme.js']).split('\n\n');
  const paths = blocks
    .filter((block) => block.includes('Content-Security-Policy'))
    .map((block) => block.split('\n', 1)[0]);
  expect(paths).toEqual(['/', '/index.html', '/sw.js', ...workers.map((path) => `/${path}`)]);
});

/** The documents that a reader finds in the tree, and the README of each folder. */
const DOCUMENTS = [
  ...[...filesUnder('docs'), ...filesUnder('tests/data')].filter((path) => path.endsWith('.md')),
  ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'src/README.md', 'wasm/README.md'],
];

/** All of the engine's sources, as one text. */
const ENGINE = filesUnder('wasm')
  .filter((path) => /\.[ch]$/.test(path))
  .map(read)
  .join('\n');

const there = (path: string) => existsSync(new URL(`../${path}`, import.meta.url));

test('README.md fits on a screen or two', () => {
  expect(read('README.md').length).toBeLessThanOrEqual(8 * 1024);
});

test('README.md says how many scenarios each system has', () => {
  const count = (system: string) => listScenarios().filter((one) => one.system === system).length;
  for (const [page, system] of [
    ['gt', 'gt'],
    ['hp', 'hp'],
    ['soc', 'soc'],
    ['zx1', 'zx1'],
    ['pools', 'pools'],
    ['one-machine', 'one'],
  ] as const) {
    const [row] = read('README.md').match(new RegExp(`^.*docs/model/${page}.md.*$`, 'm')) ?? [''];
    expect(row).toContain(`| ${count(system)} |`);
  }
});

test.each(DOCUMENTS)('%s links to files that exist', (document) => {
  const links = [
    ...read(document).matchAll(/\]\((?!\w+:)([^)#\s]+)[^)]*\)|(?:src|srcset)="(?!\w+:)([^"]+)"/g),
  ];
  const targets = links.map(([, link, source]) =>
    posix.join(posix.dirname(document), link ?? source ?? ''),
  );
  const written =
    document === 'docs/authoring.md' || document === 'docs/scenario-format.md'
      ? targets.filter((target) => !/^docs\/(part|param|time|scenario|set):/.test(target))
      : targets;
  expect(written.filter((target) => !there(target))).toEqual([]);
});

test.each(DOCUMENTS)('%s names files, folders, commands and scenarios that exist', (document) => {
  const text = read(document);
  const paths = [
    ...text.matchAll(/`((?:src|wasm|scripts|tests|docs|scenarios|bench)\/[\w./-]+)`/g),
  ].map(([, path = '']) => path);
  expect(paths.filter((path) => !there(path) && !path.includes('/gen/'))).toEqual([]);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = [...text.matchAll(/npm run (?:-s )?([a-z]+(?::[a-z]+)?)/g)].map(
    ([, name = '']) => name,
  );
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  const ids = new Set(listScenarios().map(({ id }) => id));
  const opened = [...text.matchAll(/#\/(?:machine|lab|sandbox|build)\/(\w+\/[\w-]+)/g)].map(
    ([, id = '']) => id,
  );
  expect(opened.filter((id) => !ids.has(id))).toEqual([]);
});

test.each(DOCUMENTS)('%s names functions of the engine that exist', (document) => {
  const named = [...read(document).matchAll(/\b(?:sim|SIM)_\w+/g)].map(([name]) => name);
  expect(named.filter((name) => !ENGINE.includes(name))).toEqual([]);
});

test('a decision has a date and at most ten lines', () => {
  const entries = read('docs/decisions.md')
    .split(/\n{2,}/)
    .filter((entry) => entry.startsWith('**'));
  expect(entries.length).toBeGreaterThan(100);
  const undated = entries.filter((entry) => !/^\*\*[^*]+\*\*\s+\(\d{4}-\d\d-\d\d\)/.test(entry));
  expect(undated).toEqual([]);
  expect(entries.filter((entry) => entry.trim().split('\n').length > 10)).toEqual([]);
});

/** "6,934 (262,508)" and "1,869; 149,848" are two numbers each. */
const numbersIn = (cell: string) =>
  [...cell.matchAll(/\d[\d,]*/g)].map(([number]) => Number(number.replaceAll(',', '')));

test.each(['hp', 'soc'])('docs/model/%s.md counts the states that are explored', (page) => {
  const [, rows = ''] =
    read(`docs/model/${page}.md`).match(/\| states \| transitions \|\n[|-]+\n((?:\|.*\n)+)/) ?? [];
  const stated = [...rows.matchAll(/^\|.*\|(.+)\|(.+)\|$/gm)].flatMap(
    ([, states = '', moves = '']) =>
      numbersIn(states).map((count, i) => `${count} states, ${numbersIn(moves)[i]} transitions`),
  );
  const explored = [...PROOFS, ...LONG_PROOFS].map(
    ({ pinned }) => `${pinned?.states} states, ${pinned?.transitions} transitions`,
  );
  expect(stated.length).toBeGreaterThan(4);
  expect(stated.filter((count) => !explored.includes(count))).toEqual([]);
});
