// The unit tests in C, as one of several judges: each program is started with the number of a mutant.
import { dirname } from 'node:path';
import { run } from '../lib.mjs';

/** Seconds of a processor before a program is taken for endless. */
const PATIENCE = 15;

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

/** Tests in the order in which they are run for a file: those in its own folder first. */
export function ownFirst(tests, path) {
  const own = ({ source }) => Number(dirname(source) === dirname(path));
  return [...tests].sort((a, b) => own(b) - own(a));
}

/** Runs the programs that hold this file; the first behaviour that fails is enough. */
export async function judgeUnit(tests, { path, number }) {
  const found = [];
  for (const { source, program, files } of ownFirst(tests, path)) {
    if (number > 0 && !files.has(path)) continue;
    const { code, output } = await run(
      'sh',
      ['-c', `ulimit -t ${PATIENCE}; exec ${program} 2>&1`],
      {
        env: { BUSYARD_MUTANT: String(number) },
      },
    );
    for (const { test, message } of failures(output, code)) {
      found.push({ kind: kindOf(message), file: source, test, message: message.slice(0, 300) });
    }
    if (found.some(({ kind }) => kind === 'behaviour')) break;
  }
  return found;
}
