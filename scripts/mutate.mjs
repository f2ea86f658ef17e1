// `npm run mutate`: changes the C of wasm/ in one small way after another and sees which test notices.
//
//     npm run mutate -- --sample 200 --seed 1   so many, spread over all files (this is what it does unless told)
//     npm run mutate -- --file io_adapter       mutants of files whose path contains this
//     npm run mutate -- --only 1a2b3c4d         this one, again, and what was said
//     npm run mutate -- --nightly               another sample of 60 every day
//     npm run mutate -- --report                writes docs/mutation.md from what has been judged
//     npm run mutate -- --trust                 takes it for granted that tests pass without a mutant
//
// What was judged is kept in build/mutate/results.jsonl and not judged again as long as the file it is in
// stays the same; mutants that no behaviour noticed are judged again when tests change. --jobs N: so many at once.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { must, root, Sentence, whenStarted } from './lib.mjs';
import { allMutants, buildAll, sameCode, valid } from './mutate/builds.mjs';
import { reportOf, summaryOf } from './mutate/report.mjs';
import { Results } from './mutate/results.mjs';
import { sampleOf } from './mutate/sample.mjs';
import { Suite } from './mutate/suite.mjs';
import { namesWithout, systemsWithout } from './mutate/systems.mjs';
import { judgeUnit } from './mutate/unit.mjs';
import { verdictOf } from './mutate/verdict.mjs';
import { setup } from './setup.mjs';
import { generate } from './wasm.mjs';

/** Compares two builds of the same sources, which a mutant changes alike. */
const NO_JUDGES = ['tests/parity.test.ts'];

const say = (text) => process.stderr.write(`${text}\n`);

const nameOf = ({ file, test }) => `${file}: ${test}`;

/** Without any mutant tests pass, and show whether they use the engine; one that does not is no judge. */
async function baseline(tests, suite, results) {
  const kept = results.baseline();
  if (kept) return kept;
  say('Running all tests without a mutant.');
  const unit = await judgeUnit(tests, { path: '', number: 0 });
  writeFileSync(suite.usedBy, '');
  const { found, durations } = await suite.judge(
    0,
    (files) => files.filter((file) => !NO_JUDGES.includes(file)),
    { stop: ['time-out'] },
  );
  const failing = [...unit, ...found];
  for (const one of failing) say(`Fails without a mutant: ${nameOf(one)}: ${one.message}`);
  const users = new Set(readFileSync(suite.usedBy, 'utf8').trim().split('\n'));
  const files = [...users]
    .map((path) => relative(root, path))
    .map((file) => ({ file, took: durations[file] ?? 1000 }));
  return results.keepBaseline({ files, failing: failing.map(nameOf) });
}

/** The judges in turn. Files of tests that noticed much in little time come first. */
async function judge(mutant, { tests, suite, results, usual }) {
  const start = performance.now();
  const unit = (await judgeUnit(tests, mutant)).filter(
    (one) => !usual.failing.includes(nameOf(one)),
  );
  let found = unit;
  if (verdictOf(found) !== 'behaviour') {
    const names = namesWithout(systemsWithout(mutant.path));
    const order = () => results.ordered(usual.files, mutant.path);
    const answer = await suite.judge(mutant.number, order, { names, ignore: usual.failing });
    found = [...unit, ...answer.found];
  }
  let verdict = verdictOf(found);
  if (verdict === 'survived' && (await sameCode(mutant))) verdict = 'same code';
  const seconds = Math.round((performance.now() - start) / 1000);
  return { verdict, found, seconds };
}

async function judgeAll(mutants, results, jobs) {
  say(`Building ${mutants.length} mutants into one engine.`);
  const numbered = await valid(mutants);
  const total = numbered.length;
  for (const mutant of mutants.filter(({ id }) => !numbered.some((one) => one.id === id))) {
    results.add(mutant, { verdict: 'not C', found: [], seconds: 0 });
  }
  const tests = await buildAll(numbered);
  setPriority(15);
  const suites = Array.from({ length: jobs }, (_, worker) => new Suite(worker));
  try {
    const usual = await baseline(tests, suites[0], results);
    let done = 0;
    await Promise.all(
      suites.map(async (suite) => {
        for (let mutant = numbered.shift(); mutant; mutant = numbered.shift()) {
          const outcome = await judge(mutant, { tests, suite, results, usual });
          results.add(mutant, outcome);
          const [by] = outcome.found;
          const who = by ? ` by ${by.file}: ${by.test}` : '';
          say(
            `${++done}/${total} ${mutant.id} ${mutant.path}:${mutant.line} ${mutant.operator}: ${outcome.verdict}${who} (${outcome.seconds} s)`,
          );
        }
      }),
    );
  } finally {
    for (const suite of suites) suite.close();
  }
}

const OPTIONS = {
  sample: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  file: { type: 'string' },
  only: { type: 'string' },
  nightly: { type: 'boolean', default: false },
  report: { type: 'boolean', default: false },
  date: { type: 'string' },
  trust: { type: 'boolean', default: false },
  jobs: { type: 'string', default: String(availableParallelism()) },
};

function chosen(mutants, { sample, seed, file, only, nightly }) {
  if (only) {
    const found = mutants.filter(({ id }) => id === only);
    if (found.length === 0) throw new Sentence(`There is no mutant ${only}.`);
    return found;
  }
  const some = file ? mutants.filter(({ path }) => path.includes(file)) : mutants;
  if (some.length === 0) throw new Sentence(`No file of wasm/ has "${file}" in its path.`);
  if (nightly) return sampleOf(some, 60, new Date().toISOString().slice(0, 10));
  return sampleOf(some, Number(sample), seed);
}

const commitDate = async () =>
  (await must('git knows no commit.', 'git', ['log', '-1', '--format=%cs'])).trim();

await whenStarted(import.meta.url, async (args) => {
  const { values } = parseArgs({ args, options: OPTIONS });
  await setup(['emcc', 'gcc', 'cmocka']);
  await generate();
  const all = allMutants();
  const mutants = chosen(all, values);
  const results = new Results();
  results.trusted = values.trust;
  const open = values.only ? mutants : mutants.filter((mutant) => !results.of(mutant));
  say(`${all.length} mutants; ${mutants.length} chosen, ${open.length} to be judged.`);
  if (open.length > 0) await judgeAll(open, results, Number(values.jobs));
  const judged = mutants.map((mutant) => ({ ...mutant, ...results.of(mutant) }));
  console.log(values.only ? JSON.stringify(judged, null, 2) : summaryOf(judged));
  if (!values.report) return;
  const command = `npm run mutate -- ${args.join(' ')}`;
  const date = values.date ?? (await commitDate());
  writeFileSync(
    join(root, 'docs/mutation.md'),
    reportOf(judged, { all: all.length, date, command }),
  );
});
