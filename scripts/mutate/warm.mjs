// The TypeScript tests as the judge between the C unit tests and a full run: one warm process
// (warm-child.mjs) runs for each mutant only the tests that reach it, one by one, the cheapest first.
// Without a mutant each runs once, to measure its time and coverage.
import { fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, root } from '../lib.mjs';
import { WORK } from './builds.mjs';
import { digest } from './results.mjs';
import { grouped } from './sample.mjs';
import { processes } from './suite.mjs';
import { DECIDES } from './unit.mjs';

/** CPU seconds: all tests up to this cost run before any of the next step. */
const STEPS = [0.1, 0.3, 1, 3, 10];

/** Total budget of the tests of one mutant, by their cost without it. */
const ENOUGH = 10;

/** A test file that takes longer is left to the next judge. */
const LONGEST = 100;

/** Time after which a test file counts as endless. */
const patience = (usual) => 10 + 4 * usual;

/** Test files with an engine in their own process. */
const USES = /engine\/(inprocess|code-inline)'|support\/(native|command-line|one-machine)'/;

const usesEngine = (file) =>
  file.endsWith('.test.ts') && USES.test(readFileSync(join(root, file), 'utf8'));

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** Tests that reach a mutant: every file's cheapest first, then every file's next, within the budget. */
function chosen(files, number) {
  const reaching = files.flatMap(({ file, tests, shared, took: before }) =>
    tests
      .filter(({ failed, reached }) => failed === null && [...reached, ...shared].includes(number))
      .sort((a, b) => a.took - b.took)
      .map((test, rank) => ({ file, test, rank, before })),
  );
  reaching.sort((a, b) => a.rank - b.rank || a.test.took - b.test.took);
  const begun = new Set();
  let left = ENOUGH;
  return reaching.filter(({ file, test, before }) => {
    const cost = test.took + (begun.has(file) ? 0 : before);
    if (cost > left) return false;
    begun.add(file);
    left -= cost;
    return true;
  });
}

/**
 * The tests to run with an active mutant, in order, in portions per file. A file's set-up before its first
 * test counts for each of its tests: its cost and its coverage.
 */
export function planOf(files, number) {
  const some = chosen(files, number);
  const stepOf = ({ test, before }) => STEPS.findIndex((step) => before + test.took <= step);
  return STEPS.flatMap((_, i) => {
    const now = grouped(
      some.filter((one) => stepOf(one) === i),
      ({ file }) => file,
    );
    return [...now].map(([file, own]) => {
      const cost = own[0].before + sum(own.map(({ test }) => test.took));
      return { file, cost, tests: own.map(({ test }) => test) };
    });
  });
}

export class Warm {
  #child = null;
  /** Test files, as measured. */
  files = [];

  async #start() {
    this.#child = fork(join(root, 'scripts/mutate/warm-child.mjs'), [], {
      ...{ cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    });
    await this.#answer(Number.POSITIVE_INFINITY);
  }

  /** The process's next message; null if it ends, or has computed for longer than that. */
  #answer(limit) {
    const child = this.#child;
    const computed = () => processes().find(({ pid }) => pid === child.pid)?.seconds ?? 0;
    const before = limit === Number.POSITIVE_INFINITY ? 0 : computed();
    return new Promise((resolve) => {
      const done = (answer) => {
        clearInterval(watch);
        child.removeAllListeners();
        if (answer === null) this.close();
        resolve(answer);
      };
      const watch = setInterval(() => computed() - before > limit && done(null), 3000);
      child.once('message', done);
      child.once('exit', () => done(null));
    });
  }

  async #ask(question, limit) {
    if (!this.#child) await this.#start();
    const answer = this.#answer(limit);
    this.#child.send(question);
    return answer;
  }

  /** The cost and coverage of a file's tests without a mutant; only those with such names. */
  measure(file, names) {
    return this.#ask({ file, names }, LONGEST);
  }

  /** Failures of the tests that reach a mutant. */
  async judge(number) {
    const found = [];
    for (const { file, cost, tests } of planOf(this.files, number)) {
      const answer = await this.#ask({ number, file, tests, stop: DECIDES }, patience(cost));
      const endless = { kind: 'time-out', file, test: '(the file)', message: 'It did not end.' };
      found.push(...(answer ?? [endless]));
      if (found.some(({ kind }) => DECIDES.includes(kind))) break;
    }
    return found;
  }

  close() {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }
}

const KEPT = join(root, WORK, 'warm.json');

/** Earlier measurements for this tree and these texts, by file. */
function measuredBefore(tree) {
  const kept = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : {};
  return kept.tree === tree ? kept.files.filter(({ file, text }) => text === digest([file])) : [];
}

/** Gives processes the cost and coverage of all tests, and has them measure missing ones. */
export async function prepare(workers, judges, tell) {
  const others = filesUnder('src', 'tests', 'scenarios', `${WORK}/wasm`);
  const tree = digest(others.filter((path) => !path.endsWith('.test.ts')));
  const files = measuredBefore(tree);
  const open = filesUnder('src', 'tests')
    .filter((file) => usesEngine(file) && judges(file))
    .filter((file) => !files.some((one) => one.file === file));
  await Promise.all(
    workers.map(async (worker) => {
      for (let file = open.shift(); file; file = open.shift()) {
        const one = { ...(await worker.measure(file)), file, text: digest([file]) };
        tell(`  ${file}: ${one.tests?.length ?? 'too long, so no'} tests`);
        if (one.failed) tell(`  It fails without a mutant: ${one.failed}`);
        files.push(one);
        writeFileSync(KEPT, JSON.stringify({ tree, files }));
      }
    }),
  );
  for (const worker of workers)
    worker.files = files.filter(({ tests, failed }) => tests && !failed);
}
