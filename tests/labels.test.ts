/**
 * Labels are claims, so they are tested: every figure against runs, every role against the calibrated constants, and
 * the counts in the documents against the check. `npx vitest run tests/labels.test.ts -u` writes
 * docs/figures.md anew.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { figure, figureIds } from '../src/model/published/published';
import { checkScenario } from '../src/model/report/check';
import { checkMarkdown } from '../src/model/report/check-markdown';
import { rowText, totalsText } from '../src/model/report/check-text';
import {
  isJudged,
  isPrediction,
  phenomenaOf,
  tally,
  totalsOf,
} from '../src/model/report/check-totals';
import type { CheckReport } from '../src/model/report/check-types';
import { sensitivityHash, sensitivityOfScenario } from '../src/model/report/sensitivity';
import { strengths } from '../src/model/report/sensitivity-data';
import {
  type Metric,
  type Role,
  type Scenario,
  termsOf,
} from '../src/model/scenario/scenario-types';
import { listScenarios, readScenario } from '../src/model/scenario/scenarios';
import { inWords } from './support/in-words';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const LONG = 300_000;

async function loaded(id: string): Promise<Scenario> {
  const scenario = await readScenario(id);
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  return scenario.value;
}

const ids = listScenarios().map(({ id }) => id);
const scenarios = new Map(
  await Promise.all(ids.map(async (id) => [id, await loaded(id)] as const)),
);
const expecting = ids.filter((id) => scenarios.get(id)?.expect.length);

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
  return () => engine.dispose();
});

const known = new Map<string, CheckReport>();

/** The results of a scenario's figures; each is run once. */
async function reportOf(id: string): Promise<CheckReport> {
  const report = known.get(id) ?? (await checkScenario(engine, scenarios.get(id) as Scenario));
  known.set(id, report);
  return report;
}

/** Sizes of a source's own run, by which a result is scaled to it. They are no results. */
const SIZES = ['pool.lock.before.acquisitions', 'pool.lock.after.acquisitions'];

/** Published figures of a system that no unit or small count could equal by chance. */
const figuresOf = (system: string) =>
  [...figureIds()]
    .filter((id) => id.startsWith(`${system === 'pools' ? 'pool' : system}.`))
    .filter((id) => !SIZES.includes(id))
    .map((id) => Math.abs(figure(id)?.value ?? 0))
    .filter((value) => value > 10 && value !== 100 && value !== 1000);

/** Numbers of a scenario's metrics, written out or in a variable that only metrics use, that a paper has published. */
const publishedLiterals = (
  { system, metrics, variables }: Scenario,
  isInput: (variable: string) => boolean,
): string[] =>
  [...metrics.values()].flatMap((metric) =>
    termsOf(metric).flatMap((term) => {
      if (term.kind === 'counter' || (term.kind === 'variable' && isInput(term.name))) return [];
      const value = Number(term.kind === 'number' ? term.value : variables.get(term.name)?.value);
      return figuresOf(system).includes(Math.abs(value)) ? [`${metric.name}: ${value}`] : [];
    }),
  );

test('no metric has a published figure as an input', () => {
  const nfs = scenarios.get('hp/nfs') as Scenario;
  const [[, cycles] = []] = nfs.metrics;
  const [[name, variable] = ['', undefined]] = nfs.variables;
  for (const term of [
    { kind: 'number', value: 40_100 },
    { kind: 'variable', name },
  ]) {
    const copied = { ...cycles, over: [term] } as Metric;
    const variables = new Map([[name, { ...variable, value: 40_100 }]]);
    const changed = { ...nfs, metrics: new Map([['copied', copied]]), variables } as Scenario;
    expect(publishedLiterals(changed, () => false)).toHaveLength(1);
  }
  for (const id of ids) {
    const { metrics: _, ...others } = parse(read(`scenarios/${id}.json`)) as { metrics?: object };
    const isInput = (variable: string) => JSON.stringify(others).includes(`$${variable}`);
    expect([id, publishedLiterals(scenarios.get(id) as Scenario, isInput)]).toEqual([id, []]);
  }
});

test.each(expecting)(
  '%s agrees with its published figures, or gives the reason',
  async (id) => {
    const { problems, rows } = await reportOf(id);
    expect(problems).toEqual([]);
    const failed = rows.filter((row) => isJudged(row) && row.verdict === 'failed');
    expect(failed.map((row) => `${row.figure || row.title}: ${rowText(row)}`)).toEqual([]);
  },
  LONG,
);

test(
  'the constant of the demap call is pinned by RDS, and hardly by iperf',
  async () => {
    const verdicts = async (id: string, figures: readonly string[], demap: string) => {
      const scenario = scenarios.get(id) as Scenario;
      const expected = scenario.expect.filter((row) => figures.includes(row.figure ?? ''));
      const edits = { 'map.demap_call': demap };
      const report = await checkScenario(engine, { ...scenario, expect: expected }, undefined, {
        edits,
      });
      return report.rows.map((row) => row.verdict);
    };
    const rds = ['pool.rds.single.4', 'pool.rds.16.1'];
    for (const demap of ['2.96 us', '3.17 us'])
      expect(await verdicts('pools/rds', rds, demap)).toEqual(['passed', 'passed']);
    for (const demap of ['2.9 us', '3.25 us'])
      expect(await verdicts('pools/rds', rds, demap)).toContain('failed');
    for (const demap of ['2.25 us', '5 us'])
      expect(await verdicts('pools/one-lock-or-sixteen', ['pool.iperf.before'], demap)).toEqual([
        'passed',
      ]);
  },
  LONG,
);

/** All reports, in the order of the scenarios. */
const reports: CheckReport[] = [];
const allReports = () =>
  beforeAll(async () => {
    if (reports.length > 0) return;
    for (const id of expecting) reports.push(await reportOf(id));
  }, LONG);

const judged = () => reports.flatMap((report) => report.rows).filter(isJudged);

describe('the shipped scenarios', () => {
  allReports();

  test('obey the rule of a third, or state the reason', () => {
    expect(reports.flatMap((report) => report.breaches)).toEqual([]);
  });

  test('state for each tolerance when it was chosen', () => {
    const unstated = judged().filter((row) => row.tolerance_set === 'unsaid');
    expect(unstated.map((row) => row.figure)).toEqual([]);
  });
});

/** Constants of a scenario's machine with the figures that they name. */
const constantsOf = ({ machine }: Scenario) =>
  machine.parts.flatMap(({ name, type, params }) =>
    type.params.map((spec) => {
      const { basis, figures = [] } = params.get(spec.name) ?? spec;
      return { path: `${name}.${spec.name}`, basis, figures };
    }),
  );

describe('a calibrated constant', () => {
  allReports();
  const all = () => [...scenarios.values()].flatMap(constantsOf);

  test('names the figures that it was chosen from', () => {
    const silent = all().filter(
      ({ basis, figures }) => basis === 'calibrated' && figures.length === 0,
    );
    expect([...new Set(silent.map(({ path }) => path))]).toEqual([]);
  });

  test('is named for each calibrated row', () => {
    const named = new Set(all().flatMap(({ figures }) => figures));
    const calibrated = judged().flatMap(({ role, figure }) =>
      role === 'calibrated' ? [figure] : [],
    );
    expect([...named].filter((id) => !calibrated.includes(id))).toEqual([]);
    expect(calibrated.filter((id) => !named.has(id))).toEqual([]);
  });
});

describe('the sensitivity of predictions', () => {
  allReports();

  test('was computed from these constants and these runs', { tags: ['pin'] }, () => {
    const current = reports.flatMap((report) => {
      const scenario = scenarios.get(report.scenario) as Scenario;
      const predicts = strengths.some((one) => one.scenario === report.scenario);
      return predicts ? [[report.scenario, sensitivityHash(scenario, report)]] : [];
    });
    expect(strengths.map(({ scenario, hash }) => [scenario, hash])).toEqual(current);
    const predicting = reports.filter(({ rows }) => rows.some(isPrediction));
    expect(predicting.map(({ scenario }) => scenario)).toEqual(
      strengths.map((one) => one.scenario),
    );
  });

  test('comes out again for some constants', { tags: ['pin'], timeout: LONG }, async () => {
    const only = ['map.demap_call', 'net.stack_time'];
    const kept = strengths.find((one) => one.scenario === 'pools/rds')?.groups[0];
    const again = await sensitivityOfScenario(engine, scenarios.get('pools/rds') as Scenario, {
      only,
    });
    expect(again?.groups[0]?.moves).toEqual(kept?.moves.filter(({ name }) => only.includes(name)));
  });

  test('distinguishes a mechanism from a formula, and both from a constant result', () => {
    const group = (title: string) =>
      strengths.flatMap((one) => one.groups).find((one) => one.title === title);
    const write = group('DMA write throughput');
    expect(write?.error).toBeLessThan((write?.formula ?? 0) / 3);
    expect(group('DMA threshold, write')?.moves).toEqual([]);
  });
});

describe("the documents have the check's counts:", { tags: ['pin'] }, () => {
  allReports();

  test('docs/figures.md has every row', async () => {
    await expect(checkMarkdown(reports)).toMatchFileSnapshot('../docs/figures.md');
  });

  test('docs/model/README.md has the totals', () => {
    expect(read('docs/model/README.md')).toContain(totalsText(totalsOf(reports)).join('\n'));
  });

  test('README.md says first what means most', () => {
    const [first = ''] = totalsText(totalsOf(reports));
    const [, ...scores] =
      first.match(/outside data: (\d+ of \d+) .*before the run: (\d+ of \d+)/) ?? [];
    expect(scores).toHaveLength(2);
    const [intro = ''] = read('README.md').split('## Run it');
    const words = intro.replaceAll('\n', ' ');
    expect(words).toContain(`${scores[0]} figures from outside the papers`);
    expect(words).toContain(`${scores[1]} predictions whose tolerance was set before the run`);
  });

  test('README.md says how many predicted phenomena of each system are met', () => {
    for (const system of ['gt', 'hp', 'soc', 'zx1', 'pools']) {
      const own = reports.filter((report) => report.system === system);
      const { rows, passed } = phenomenaOf(own.flatMap((report) => report.rows));
      const [row] = read('README.md').match(new RegExp(`^.*docs/model/${system}.md.*$`, 'm')) ?? [];
      expect(row).toContain(`| ${passed} of ${rows} |`);
    }
  });

  test('the number of tolerances set before and the number of missed rows are stated', () => {
    const set = (when: string) => tally(judged().filter((row) => row.tolerance_set === when));
    const [before, after] = [set('before'), set('after')];
    expect(read('docs/model/README.md')).toContain(
      `or exact, and ${inWords(before.rows)} were set before the first run`,
    );
    const upper = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
    const decisions = read('docs/decisions.md').replaceAll('\n', ' ');
    expect(decisions).toContain(
      `${upper(inWords(before.rows))} were in the record before their results`,
    );
    expect(decisions).toContain(
      `${upper(inWords(before.missed))} of these rows are missed, and ${after.missed} of the ${after.rows} whose tolerance came after`,
    );
  });

  test('docs/model/README.md has the totals of each system', () => {
    const model = read('docs/model/README.md');
    for (const [system, title] of [
      ['gt', 'PIO or DMA'],
      ['hp', 'Coherent I/O'],
      ['pools', 'Pooled allocation'],
      ['zx1', 'DMA hints'],
      ['soc', 'Shared address space'],
    ]) {
      const rows = reports.filter((report) => report.system === system).flatMap(({ rows }) => rows);
      const of = (role: Role) => tally(rows.filter((row) => row.role === role));
      const held = of('held-out');
      const cells = [
        title,
        `${held.passed} of ${held.rows}`,
        of('calibrated').rows,
        of('structural').rows,
      ];
      expect(model).toContain(`| ${cells.join(' | ')} |`);
    }
    const { after, published, exact } = totalsOf(reports).tolerances;
    expect(model).toContain(`**Tolerances.** ${after} were set when the result was known.`);
    expect(model).toContain(`Another ${published + exact} are ranges`);
  });

  test('docs/model/gt.md has the errors of each column', () => {
    const model = read('docs/model/gt.md');
    for (const column of [
      'PIO write',
      'PIO read',
      'DMA write',
      'DMA read',
      'memory write',
      'memory read',
    ]) {
      const prefix = `gt.${column.toLowerCase().replace(' ', '_')}.`;
      const rows = judged().filter(
        (row) => row.figure.startsWith(prefix) && row.kind === 'value' && row.verdict === 'passed',
      );
      const errors = (some: typeof rows) => {
        const sizes = some.map((row) => Math.abs(row.error_percent ?? Number.NaN));
        const mean = sizes.reduce((sum, one) => sum + one, 0) / sizes.length;
        return [some.length, mean.toFixed(2), Math.max(...sizes).toFixed(2)];
      };
      const held = errors(rows.filter((row) => row.role === 'held-out'));
      expect(model).toContain(`| ${[column, ...errors(rows), ...held].join(' | ')} |`);
    }
  });
});
