// The C unit tests as a judge: each program is started with the number of a mutant.
import { dirname, join } from 'node:path';
import { root, run } from '../lib.mjs';
import { programOf } from '../native.mjs';
import { takeReached, WORK } from './builds.mjs';

/** CPU seconds after which a program counts as endless. */
const PATIENCE = 15;

/** Number of endless programs after which no more are tried. */
const ENDLESS = 3;

/** Kinds of failures that need no further judge. */
export const DECIDES = ['behaviour', 'time-out'];

const SANITIZER = /Sanitizer|runtime error/;

/**
 * Parses failures from cmocka's output, and sanitizer reports of tests that continued; the test running
 * when the program ended has failed, too.
 */
export function failures(output, code) {
  const found = [];
  let running = null;
  let message = '';
  const end = (failed) => {
    if (running !== null && failed) found.push({ test: running, message: message.trim() });
    running = null;
  };
  for (const line of output.split('\n')) {
    const [, state, name] = /^\[ +(RUN|OK|FAILED) +\] (\w+)/.exec(line) ?? [];
    if (state === 'RUN') [running, message] = [name, ''];
    else if (state && name === running) end(state === 'FAILED' || SANITIZER.test(message));
    else message += `${line}\n`;
  }
  end(code !== 0);
  return found;
}

const kindOf = (message) => {
  if (/Killed|CPU time limit/.test(message)) return 'time-out';
  if (/exception/.test(message) || message === '') return 'trap';
  const asserted = /\[ +LINE +\]/.test(message);
  return SANITIZER.test(message) && !asserted ? 'trap' : 'behaviour';
};

/** Tests in running order for a file: those in its own folder first, then the short ones. */
export function ownFirst(tests, path) {
  const own = ({ source }) => Number(dirname(source) === dirname(path));
  return [...tests].sort((a, b) => own(b) - own(a) || (a.took ?? 0) - (b.took ?? 0));
}

/** Failures of a program with this active mutant, 0 for none. */
async function failuresOf({ source, built }, number, more = {}) {
  const { program } = await built();
  const limited = ['-c', `ulimit -t ${PATIENCE}; ${program} 2>&1; exit $?`]; // the shell reports whether it was killed
  const env = { BUSYARD_MUTANT: String(number), ASAN_OPTIONS: 'halt_on_error=0', ...more };
  const { code, output } = await run('sh', limited, { env });
  return failures(output, code).map(({ test, message }) => ({
    ...{ kind: kindOf(message), file: source, test, message: message.slice(0, 300) },
  }));
}

export class UnitJudge {
  #usual = new Map();

  constructor(tests, tell) {
    this.tests = tests;
    this.tell = tell;
  }

  /** Names of tests that fail without a mutant, and so prove nothing; and the mutants reached. */
  #without(test) {
    if (!this.#usual.has(test.source)) this.#usual.set(test.source, this.#measure(test));
    return this.#usual.get(test.source);
  }

  async #measure(test) {
    const start = performance.now();
    const file = join(root, WORK, `${programOf(test.source)}.reached`);
    takeReached(file);
    const found = await failuresOf(test, 0, { BUSYARD_REACHED: file });
    test.took = performance.now() - start;
    for (const one of found) this.tell(one);
    return { failing: found.map((one) => one.test), reached: takeReached(file) };
  }

  /**
   * Runs the programs that reach this mutant; stops at the first behaviour failure, or after some endless
   * programs.
   */
  async judge({ path, number }) {
    const found = [];
    for (const test of ownFirst(this.tests, path)) {
      if (!(await test.built()).files.has(path)) continue;
      const { failing, reached } = await this.#without(test);
      if (failing.length === 0 && !reached.has(number)) continue;
      const failed = await failuresOf(test, number);
      found.push(...failed.filter((one) => !failing.includes(one.test)));
      const of = (wanted) => found.filter(({ kind }) => kind === wanted).length;
      if (of('behaviour') > 0 || of('time-out') >= ENDLESS) break;
    }
    return found;
  }
}
