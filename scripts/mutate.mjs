// `npm run mutate`: applies small changes to the C of wasm/, one at a time, and finds the tests that detect
// them.
//
//     npm run mutate -- --sample 200 --seed 1   this many, spread over all files (the default)
//     npm run mutate -- --file io_adapter       mutants of files whose path contains this, or one of several with commas
//     npm run mutate -- --only 1a2b3c4d         judges these again, separated by commas, and prints all output
//     npm run mutate -- --nightly               another sample of 60 every day
//     npm run mutate -- --report                judges nothing: writes docs/mutation.md from what has been judged
//     npm run mutate -- --quick                 by the unit tests in C only: names those that they do not notice
//     npm run mutate -- --warm                  without the last of the three judges
//     npm run mutate -- --trust                 takes it for granted that tests pass without a mutant, and would
//                                               say the same of one as those of an older tree did
//
// Three judges, each for what the one before has left open:
// 1. the unit tests in C: a program for each, a second or so; of those programs that get to the changed place;
// 2. the tests in TypeScript that get to the changed place, one by one, the cheapest first: published figures,
//    lessons, invariants in all scenarios, oracles, explorations, defects (mutate/warm.mjs). One process keeps
//    everything warm, so that some seconds do for a mutant, and ends what does not end;
// 3. all tests in TypeScript that use the engine, as `npx vitest` runs them: minutes for each.
//
// Verdicts are kept in build/mutate/results.jsonl and reused while the mutant's file is unchanged;
// surviving mutants are judged again when tests change. --jobs N: number of parallel workers.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { must, root, runIfMain, UserError } from './lib.mjs';
import { buildMachines } from './machines.mjs';
import { allMutants, buildAll, sameCode, unitTests, valid } from './mutate/builds.mjs';
import { reportOf, summaryOf } from './mutate/report.mjs';
import { notes, Results } from './mutate/results.mjs';
import { sampleOf } from './mutate/sample.mjs';
import { Suite } from './mutate/suite.mjs';
import { namesWithout, systemsWithout } from './mutate/systems.mjs';
import { DECIDES, UnitJudge } from './mutate/unit.mjs';
import { verdictOf } from './mutate/verdict.mjs';
import { prepare, Warm } from './mutate/warm.mjs';
import { setup } from './setup.mjs';
import { generate } from './wasm.mjs';

/**
 * One compares two builds of the same sources, which a mutant changes alike; the others are long, and test
 * the page.
 */
const NOT_COUNTED_AS_TESTS = [
  'tests/parity.test.ts',
  'tests/veil.test.tsx',
  'src/model/lab/lab.test.ts',
];

const judges = (file) => !NOT_COUNTED_AS_TESTS.includes(file);

const say = (text) => process.stderr.write(`${text}\n`);

const nameOf = ({ file, test }) => `${file}: ${test}`;

/** Runs the tests without a mutant: they must pass, and show whether they use the engine; others cannot judge. */
async function baseline(suite, results) {
  const kept = results.baseline();
  if (kept) return kept;
  say('Running all tests in TypeScript without a mutant.');
  writeFileSync(suite.usedBy, '');
  const { found, durations } = await suite.judge(0, (files) => files.filter(judges), {
    stop: ['time-out'],
    tell: (file) => say(`  ${file}`),
  });
  const users = new Set(readFileSync(suite.usedBy, 'utf8').trim().split('\n'));
  const files = [...users]
    .map((path) => relative(root, path))
    .map((file) => ({ file, took: durations[file] ?? 1000 }));
  for (const one of found) tellFailing(one);
  return results.keepBaseline({ files, failing: found.map(nameOf) });
}

const tellFailing = (one) => say(`Fails without a mutant: ${nameOf(one)}: ${one.message}`);

/** One pass over the mutants by all workers; each verdict is stored, and printed unless it is open. */
async function pass(stage, mutants, workers, results, judge) {
  const open = [...mutants];
  const undecided = [];
  await Promise.all(
    workers.map(async (worker) => {
      for (let mutant = open.shift(); mutant; mutant = open.shift()) {
        const start = performance.now();
        const { verdict, found, kept } = await judge(mutant, worker);
        const seconds = Math.round((performance.now() - start) / 1000 + (mutant.seconds ?? 0));
        if (!kept) results.add(mutant, { verdict: verdict ?? 'open', stage, found, seconds });
        if (!verdict) {
          undecided.push({ ...mutant, unit: found, seconds });
          continue;
        }
        const who = found.find(({ kind }) => kind === verdict);
        const by = who ? ` by ${nameOf(who)}` : '';
        const where = `${mutant.id} ${mutant.path}:${mutant.line}`;
        say(`${open.length} left: ${where} ${mutant.operator}: ${verdict}${by} (${seconds} s)`);
      }
    }),
  );
  return undecided;
}

/** The C unit tests decide most mutants, in a second each. */
async function judgeByUnit(mutants, results, { jobs, only }) {
  const unit = new UnitJudge(unitTests(), tellFailing);
  const workers = Array.from({ length: jobs }, (_, worker) => worker);
  return pass('unit', mutants, workers, results, (mutant) => {
    const kept = !only && results.leftBy(mutant, 'unit', 'warm');
    return decided(kept, () => unit.judge(mutant));
  });
}

/** The verdict of this or an earlier run of the judge, if it is conclusive; else the mutant stays open. */
async function decided(kept, judge) {
  const found = kept ? kept.found : await judge();
  const says = found.some(({ kind }) => DECIDES.includes(kind));
  return { verdict: says ? verdictOf(found) : null, found, kept };
}

/** The TypeScript tests that reach a change, in warm processes. */
async function judgeByWarm(mutants, results, { jobs, only }) {
  const workers = Array.from({ length: jobs }, () => new Warm());
  try {
    say('Running the tests in TypeScript that use an engine once without a mutant.');
    await prepare(workers, judges, say);
    return await pass('warm', mutants, workers, results, (mutant, warm) => {
      const kept = !only && results.leftBy(mutant, 'warm');
      return decided(kept, async () => [...mutant.unit, ...(await warm.judge(mutant.number))]);
    });
  } finally {
    for (const one of workers) one.close();
  }
}

/**
 * The remaining mutants take minutes each, if they change any code. Test files that detected many mutants
 * in little time run first.
 */
async function judgeBySuite(mutants, results, jobs) {
  const suites = Array.from({ length: jobs }, (_, worker) => new Suite(worker));
  try {
    const usual = await baseline(suites[0], results);
    say(`${mutants.length} are left for the tests in TypeScript.`);
    await pass('whole', mutants, suites, results, async (mutant, suite) => {
      if (mutant.unit.length === 0 && (await sameCode(mutant)))
        return { verdict: 'same code', found: [] };
      const names = namesWithout(systemsWithout(mutant.path));
      const files = usual.files.filter(({ file }) => judges(file));
      const order = () => results.ordered(files, mutant.path);
      const answer = await suite.judge(mutant.number, order, { names, ignore: usual.failing });
      const found = [...mutant.unit, ...answer.found];
      return { verdict: verdictOf(found), found };
    });
  } finally {
    for (const suite of suites) suite.close();
  }
}

/** Mutants that the last judge did not see stay open, unless they change no code. */
async function tellOpen(mutants, results) {
  const unseen = mutants.filter(({ unit }) => unit.length === 0);
  for (const { id, path, line, operator, was, becomes } of unseen)
    say(`Not noticed: ${id} ${path}:${line} ${operator}: ${was} becomes ${becomes}`);
  for (const mutant of unseen) {
    if (!(await sameCode(mutant))) continue;
    results.add(mutant, { verdict: 'same code', found: [], seconds: mutant.seconds });
    say(`It leaves the code as it is: ${mutant.id}`);
  }
}

/** The engine contains all chosen mutants, judged or not: it stays the same when a run is resumed. */
async function judgeAll(mutants, results, options) {
  const { quick, warm, only } = options;
  say(`Building ${mutants.length} mutants into one engine.`);
  const numbered = await valid(mutants);
  for (const mutant of mutants.filter(({ id }) => !numbered.some((one) => one.id === id))) {
    results.add(mutant, { verdict: 'not C', found: [], seconds: 0 });
  }
  setPriority(5);
  const unjudged = numbered.filter((mutant) => only || !results.of(mutant));
  const undecided = await judgeByUnit(unjudged, results, options);
  const open = undecided.filter(({ id }) => !notes[id]);
  if (open.length === 0) return;
  if (quick) return tellOpen(open, results);
  await buildAll();
  const left = await judgeByWarm(open, results, options);
  if (warm) return tellOpen(left, results);
  if (left.length > 0) await judgeBySuite(left, results, options.jobs);
}

/** None of the judges detected it. */
const OPEN = { verdict: 'open', found: [] };

const OPTIONS = {
  sample: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  file: { type: 'string' },
  only: { type: 'string' },
  nightly: { type: 'boolean', default: false },
  report: { type: 'boolean', default: false },
  date: { type: 'string' },
  trust: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  warm: { type: 'boolean', default: false },
  jobs: { type: 'string', default: String(availableParallelism()) },
};

function chosen(mutants, { sample, seed, file, only, nightly }) {
  if (only) {
    return only.split(',').map((id) => {
      const found = mutants.find((one) => one.id === id);
      if (!found) throw new UserError(`There is no mutant ${id}.`);
      return found;
    });
  }
  const parts = (file ?? '').split(',');
  const some = mutants.filter(({ path }) => parts.some((part) => path.includes(part)));
  if (some.length === 0) throw new UserError(`No file of wasm/ has "${file}" in its path.`);
  if (nightly) return sampleOf(some, 60, new Date().toISOString().slice(0, 10));
  return sampleOf(some, Number(sample), seed);
}

const commitDate = async () =>
  (await must('git knows no commit.', 'git', ['log', '-1', '--format=%cs'])).trim();

await runIfMain(import.meta.url, async (args) => {
  const { values } = parseArgs({ args, options: OPTIONS });
  await setup(['emcc', 'gcc', 'cmocka']);
  await generate();
  await buildMachines();
  const all = allMutants();
  const mutants = chosen(all, values);
  const results = new Results();
  results.trusted = values.trust;
  const open = values.only ? mutants : mutants.filter((mutant) => !results.of(mutant));
  say(`${all.length} mutants; ${mutants.length} chosen, ${open.length} to be judged.`);
  if (open.length > 0 && !values.report) {
    await judgeAll(mutants, results, { ...values, jobs: Number(values.jobs) });
  }
  const judged = mutants.map((mutant) => ({ ...mutant, ...(results.stored(mutant) ?? OPEN) }));
  console.log(values.only ? JSON.stringify(judged, null, 2) : summaryOf(judged));
  if (!values.report) return;
  const command = `npm run mutate -- ${args.join(' ')}`;
  const date = values.date ?? (await commitDate());
  writeFileSync(
    join(root, 'docs/mutation.md'),
    reportOf(judged, { all: all.length, date, command }),
  );
});
