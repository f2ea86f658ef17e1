/** What the documents show as an example works. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HEADERS, headersFile, pagePolicy, policyOf } from '../scripts/policy.mjs';
import { pointsOf } from '../src/model/scenario/experiment';
import { loadScenario } from '../src/model/scenario/load';
import { listScenarios } from '../src/model/scenario/scenarios';
import { inWords } from './support/in-words';
import { compiled } from './support/scenarios';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('the example of the scenario format is a scenario', () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(read('docs/scenario-format.md')) ?? [];
  const machines = new Map([['gt-system-a', read('scenarios/machines/gt-system-a.json')]]);
  const loaded = loadScenario(example, { machines });
  expect(loaded.ok ? [] : loaded.problems).toEqual([]);
  if (!loaded.ok) return;
  expect(pointsOf(loaded.value)).toHaveLength(8);
  expect(compiled(loaded.value).config.length).toBeGreaterThan(0);
});

test('what hosts are told to send is the policy', () => {
  const told = read('docs/hosting.md');
  const sent = { ...HEADERS, fetcher: policyOf('assets/fetch-worker-1.js'), page: pagePolicy };
  for (const [name, value] of Object.entries(sent)) expect(told, name).toContain(value);
});

test('in the file for static hosts, no two policies meet in one answer', () => {
  const workers = ['assets/worker-1.js', 'assets/explore-worker-2.js', 'assets/fetch-worker-3.js'];
  const blocks = headersFile([...workers, 'assets/at-work-4.js', 'theme.js']).split('\n\n');
  const paths = blocks
    .filter((block) => block.includes('Content-Security-Policy'))
    .map((block) => block.split('\n', 1)[0]);
  expect(paths).toEqual(['/', '/index.html', '/sw.js', ...workers.map((path) => `/${path}`)]);
});

test('README.md says how many scenarios each published system has', () => {
  const readme = read('README.md');
  const of = (system: string) => listScenarios().filter((one) => one.system === system).length;
  expect(readme).toContain(`a lab and ${inWords(of('gt') - 1)} scenarios`);
  expect(readme).toContain(`the machine runs in ${inWords(of('hp'))} scenarios`);
  expect(readme).toContain(`runs in two labs and ${inWords(of('soc') - 2)} scenarios`);
  expect(readme).toContain(`runs in ${inWords(of('zx1'))} scenarios, each with a lesson`);
  expect(readme).toContain(`runs in ${inWords(of('pools'))} scenarios with panels`);
});
