// The unit tests in C, as one of several judges: each program is started with the number of a mutant.
import { dirname } from 'node:path';
import { run } from '../lib.mjs';

/** Seconds of a processor before a program is taken for endless. */
const PATIENCE = 15;

/** Kinds of failures after which no other test is run. */
export const DECIDES = ['behaviour', 'time-out'];

/** What cmocka's output says of each test that failed; the last that began when the program ended has failed, too. */
export function failures(output, code) {
  const found = [];
  let running = null;
  let said = '';
  const end = (failed) => {
    if (running !== null && failed) found.push({ test: running, message: said.trim() });
    running = null;
  };
  for (const line of output.split('\n')) {
    const [, state, name] = /^\[ +(RUN|OK|FAILED) +\] (\w+)/.exec(line) ?? [];
    if (state === 'RUN') [running, said] = [name, ''];
    else if (state && name === running) end(state === 'FAILED');
    else said += `${line}\n`;
  }
  end(code !== 0);
  return found;
}

const kindOf = (message) => {
  if (/Killed|CPU time limit/.test(message)) return 'time-out';
  return /exception|Sanitizer|runtime error/.test(message) || message === '' ? 'trap' : 'behaviour';
};

/** Tests in the order in which they are run for a file: those in its own folder first, then the short ones. */
export function ownFirst(tests, path) {
  const own = ({ source }) => Number(dirname(source) === dirname(path));
  return [...tests].sort((a, b) => own(b) - own(a) || (a.took ?? 0) - (b.took ?? 0));
}

/** What fails in a program with this mutant on, 0 for none. */
async function failuresOf({ source, built }, number) {
  const { program } = await built();
  const limited = ['-c', `ulimit -t ${PATIENCE}; ${program} 2>&1; exit $?`]; // the shell says if it was killed
  const { code, output } = await run('sh', limited, { env: { BUSYARD_MUTANT: String(number) } });
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

  /** Names of tests that fail without a mutant, and so say nothing of one. */
  #failing(test) {
    if (!this.#usual.has(test.source)) {
      const start = performance.now();
      const names = failuresOf(test, 0).then((found) => {
        test.took = performance.now() - start;
        for (const one of found) this.tell(one);
        return found.map((one) => one.test);
      });
      this.#usual.set(test.source, names);
    }
    return this.#usual.get(test.source);
  }

  /** Runs the programs that hold this file; the first behaviour that fails is enough, or the first that does not end. */
  async judge({ path, number }) {
    const found = [];
    for (const test of ownFirst(this.tests, path)) {
      if (!(await test.built()).files.has(path)) continue;
      const usual = await this.#failing(test);
      found.push(...(await failuresOf(test, number)).filter((one) => !usual.includes(one.test)));
      if (found.some(({ kind }) => DECIDES.includes(kind))) break;
    }
    return found;
  }
}
