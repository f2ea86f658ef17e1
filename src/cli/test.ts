/** `busyard test`: runs scenario files of one's own and checks their `expect` rows. Exit code 1 if one fails. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { plainNumber } from '../base/format';
import type { Engine } from '../engine/api';
import { checkScenario } from '../model/report/check';
import { rowText, xml } from '../model/report/check-text';
import { readMeasure } from '../model/scenario/measure';
import { lineOf } from '../model/scenario/problems';
import type { Assignment, Requirement } from '../model/scenario/scenario-types';
import { settingText } from '../model/scenario/settings';
import { type PointResult, runPoint, share } from '../model/sweep/run-points';
import type { SweepPlan } from '../model/sweep/sweep-plan';
import { command } from './arguments';
import { readFile } from './files';
import { withFolders } from './folder';
import { changesOf, type Input, readInput } from './input';
import { count, write } from './output';
import { Refusal } from './refusal';
import { createEngines, JOBS_OPTION, jobsOf, poolOf } from './threads';

/** One row, or one golden hash. */
interface Case {
  readonly file: string;
  readonly name: string;
  /** Where it stands in its file; 0 if nowhere. */
  readonly line: number;
  /** Why it failed, with its place; '' if it passed. */
  readonly failure: string;
}

type Hashes = Readonly<Record<string, string>>;

/** The runs that the rows of a file need, and the base run for its hash. */
interface Tested {
  readonly file: string;
  readonly input: Input;
  readonly plan: SweepPlan;
  readonly results: Map<string, PointResult>;
}

const keyOf = (at: Assignment): string => JSON.stringify(Object.entries(at).sort());

function testedOf(file: string, input: Input): Tested {
  const { scenario } = input;
  const names = new Set(scenario.requirements.map(({ metric }) => metric));
  const measures = [...names].flatMap((name) => {
    const measure = readMeasure(scenario, scenario.machine.parts, name);
    return typeof measure === 'string' ? [] : [measure];
  });
  const plan = { scenario, base: changesOf(input, {}), axes: [], measures };
  return { file, input, plan, results: new Map() };
}

const number = (value: number): string => plainNumber(value, 9);

/** "63.2 ns within 1 %", "at least 3 stores" */
function wanted({ value, min, max }: Requirement, unit: string): string {
  const after = unit ? ` ${unit}` : '';
  if (value !== null) {
    const slack = (max ?? value) - value;
    return `${number(value)}${after}${slack > 0 ? ` within ${number(slack)}${after}` : ''}`;
  }
  const bounds = [
    min === null ? '' : `at least ${number(min)}${after}`,
    max === null ? '' : `at most ${number(max)}${after}`,
  ];
  return bounds.filter((text) => text !== '').join(' and ');
}

/** A sum of roundings must not fail a row that allows nothing. */
const SLACK = 1e-12;

function caseOf({ file, plan, results }: Tested, row: Requirement): Case {
  const result = results.get(keyOf(row.at));
  const place = plan.measures.findIndex(({ name }) => name === row.metric);
  const { unit = '' } = plan.measures[place] ?? {};
  const value = result?.values[place] ?? null;
  const slack = Math.abs(value ?? 0) * SLACK;
  const isInside =
    value !== null &&
    value >= (row.min ?? Number.NEGATIVE_INFINITY) - slack &&
    value <= (row.max ?? Number.POSITIVE_INFINITY) + slack;
  const at = settingText(row.at);
  const seen = value === null ? 'has no value' : `is ${`${number(value)} ${unit}`.trim()}`;
  const reason = result?.problem || `${row.metric} ${seen}, ${wanted(row, unit)} is expected`;
  const found = row.where.problem(`${reason}${at ? ` (at ${at})` : ''}.`);
  const name = `${row.title || row.metric}${at ? ` (${at})` : ''}`;
  return { file, name, line: found.line, failure: isInside ? '' : lineOf(found) };
}

/** The name of a file in a file of hashes: its path from there, the same wherever the command is run. */
const goldenName = (file: string, golden: string): string =>
  existsSync(file) ? relative(dirname(resolve(golden)), file).replaceAll('\\', '/') : file;

function goldenCase({ file, results }: Tested, golden: string, hashes: Hashes): Case {
  const result = results.get(keyOf({}));
  const [before, now] = [hashes[goldenName(file, golden)], result?.hash ?? null];
  const failure =
    result?.problem ||
    (before === undefined
      ? `There is no hash of it yet; --update writes ${now}.`
      : before === now
        ? ''
        : `The hash was ${before} and is ${now}.`);
  return { file, name: 'state hash', line: 0, failure: failure && `${file}: ${failure}` };
}

/** Rows that compare with published figures. */
async function publishedCases(engines: readonly Engine[], { file, input }: Tested) {
  if (input.scenario.expect.length === 0) return [];
  const { rows, problems } = await checkScenario(poolOf(engines), input.scenario);
  return [
    ...problems.map((found): Case => {
      return { file, name: 'runs', line: found.line, failure: lineOf(found) };
    }),
    ...rows.map((row, i): Case => {
      const where = input.scenario.expect[i]?.where.problem(`${row.title}: ${rowText(row)}`);
      const failure = row.verdict === 'failed' && where ? lineOf(where) : '';
      return { file, name: row.title, line: where?.line ?? 0, failure };
    }),
  ];
}

async function inputOf(file: string): Promise<Input | Case> {
  try {
    return await readInput(file);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { file, name: 'opens', line: 0, failure: error.message };
  }
}

function junit(cases: readonly Case[]): string {
  const files = [...new Set(cases.map(({ file }) => file))];
  const suites = files.map((file) => {
    const own = cases.filter((one) => one.file === file);
    const lines = own.map(({ name, line, failure }) => {
      const head = `  <testcase classname="${xml(file)}" name="${xml(name)}" file="${xml(file)}"${line > 0 ? ` line="${line}"` : ''}`;
      return failure
        ? // Some readers show the attribute, others the text.
          `${head}>\n   <failure message="${xml(failure.split('\n', 1)[0] ?? '')}">${xml(failure)}</failure>\n  </testcase>`
        : `${head}/>`;
    });
    const failures = own.filter(({ failure }) => failure).length;
    return ` <testsuite name="${xml(file)}" tests="${own.length}" failures="${failures}">\n${lines.join('\n')}\n </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="busyard test">\n${suites.join('')}</testsuites>\n`;
}

function plain(cases: readonly Case[]): string {
  const lines = cases.map(({ file, name, failure }) =>
    failure ? `FAILED  ${failure.replaceAll('\n', '\n        ')}` : `    ok  ${file}: ${name}`,
  );
  const failed = cases.filter(({ failure }) => failure).length;
  return `${lines.join('\n')}\n${cases.length - failed} passed, ${failed} failed\n`;
}

function save(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new Refusal(`${path} cannot be written: ${(error as Error).message}.`);
  }
}

const isHashes = (read: unknown): read is Hashes =>
  typeof read === 'object' &&
  read !== null &&
  !Array.isArray(read) &&
  Object.values(read).every((hash) => typeof hash === 'string');

function hashesIn(path: string): Hashes {
  if (!existsSync(path)) return {};
  try {
    const read: unknown = JSON.parse(readFile(path));
    if (isHashes(read)) return read;
    throw new Refusal(`${path} should be an object of file names and state hashes.`);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${path}: it is no JSON: ${(error as Error).message}.`);
  }
}

const SPEC = {
  name: 'test',
  summary: "Checks the expect rows of one's own scenario files; exit code 1 if one fails.",
  takes: ['<FILES...>', 'scenarios, saved sessions, and folders of them'],
  more: `A plain row of "expect" states what one run must show:
  { "metric": "cpu.stores", "value": 4 }
  { "metric": "time", "at": { "size": 64 }, "value": 1041.5, "tolerance": 1 }
  { "metric": "p99:cache0.miss..cache0.filled", "max": "500 ns" }`,
  options: {
    jobs: JOBS_OPTION,
    junit: { value: 'file', help: 'also write JUnit XML there' },
    golden: { value: 'file', help: 'also compare the state hash of each scenario with this file' },
    update: { help: 'write the file of --golden anew' },
  },
} as const;

export const test = command(SPEC, async (values, paths) => {
  if (values.update && !values.golden) throw new Refusal('--update needs --golden.');
  const files = withFolders(paths);
  if (files.length === 0) throw new Refusal('There are no scenarios in these folders.');
  const hashes = values.golden && !values.update ? hashesIn(values.golden) : {};
  const tests: (Tested | Case)[] = [];
  for (const file of files) {
    const input = await inputOf(file);
    tests.push('scenario' in input ? testedOf(file, input) : input);
  }
  const runs = tests.flatMap((tested) => {
    if (!('plan' in tested)) return [];
    const ats = tested.input.scenario.requirements.map(({ at }) => at);
    const all = values.golden ? [{}, ...ats] : ats;
    const different = new Map(all.map((at) => [keyOf(at), at]));
    return [...different.values()].map((at) => ({ tested, at }));
  });
  const engines = await createEngines(jobsOf(values.jobs));
  await share(engines, runs, async (engine, { tested, at }) => {
    tested.results.set(keyOf(at), await runPoint(engine, tested.plan, { index: 0, at }));
  });
  const cases: Case[] = [];
  const written: Record<string, string> = {};
  for (const tested of tests) {
    if (!('plan' in tested)) {
      cases.push(tested);
      continue;
    }
    const { requirements } = tested.input.scenario;
    cases.push(...requirements.map((row) => caseOf(tested, row)));
    cases.push(...(await publishedCases(engines, tested)));
    const hash = tested.results.get(keyOf({}))?.hash;
    if (!values.golden) continue;
    if (values.update && hash) written[goldenName(tested.file, values.golden)] = hash;
    else cases.push(goldenCase(tested, values.golden, hashes));
  }
  for (const engine of engines) engine.dispose();
  if (cases.length === 0 && !values.update)
    throw new Refusal(
      'There is nothing to test: no file has a row of "expect"; --golden compares state hashes.',
    );
  await write([plain(cases)]);
  if (values.golden && values.update) save(values.golden, `${JSON.stringify(written, null, 1)}\n`);
  if (values.junit) save(values.junit, junit(cases));
  if (values.update)
    await write([
      `${count(Object.keys(written).length, 'hash', 'hashes')} written to ${values.golden}\n`,
    ]);
  return cases.some(({ failure }) => failure) ? 1 : 0;
});
