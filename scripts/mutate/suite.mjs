// The tests in TypeScript, as one of several judges: a process of its own that stays warm, watched from here.
import { fork, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';
import { WORK, writeModules } from './builds.mjs';
import { DECIDES } from './unit.mjs';

/** Seconds of a processor that one file of tests may take before it is taken for endless. */
const PATIENCE = 300;

/** All processes, with the seconds that each has computed. */
export function processes() {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'ppid=,pid=,time='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([parent, pid, time = '0']) => ({
      ...{ parent: Number(parent), pid: Number(pid) },
      seconds: time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0),
    }));
}

const secondsOfChildren = (pid) => processes().filter(({ parent }) => parent === pid);

function end(child) {
  for (const { pid } of secondsOfChildren(child.pid)) process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
}

export class Suite {
  #folder;
  #child = null;
  /** Files of tests, once the process has said so. */
  files = [];

  constructor(worker) {
    this.#folder = `${WORK}/worker-${worker}`;
    mkdirSync(join(root, this.#folder), { recursive: true });
  }

  get usedBy() {
    return join(root, this.#folder, 'used-by.txt');
  }

  async #start() {
    this.#child = fork(join(root, 'scripts/mutate/child.mjs'), [], {
      ...{ cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
      env: { ...process.env, BUSYARD_MODULES: this.#folder },
    });
    this.files = await new Promise((resolve, reject) => {
      this.#child.once('message', ({ ready }) => resolve(ready));
      this.#child.once('exit', () => reject(new Error('The tests could not be started.')));
    });
    this.#child.removeAllListeners('exit');
  }

  /**
   * Runs files of tests, one after another, with a mutant on (0 for none), until something of one of the kinds
   * in `stop` has failed; of their tests only those with such names, and none that is to be ignored. Resolves
   * to what failed and how long each file took.
   */
  async judge(number, filesOf, { names, ignore = [], stop = DECIDES, tell } = {}) {
    for (let tries = 1; ; tries++) {
      writeModules(this.#folder, number);
      if (!this.#child) await this.#start();
      const answer = await this.#ask({ files: filesOf(this.files), names, ignore, stop }, tell);
      if (answer) return answer;
      if (tries === 3) throw new Error('The tests were ended three times.');
    }
  }

  /** What the process answers; null if it was ended by somebody else. */
  #ask(question, tell) {
    const child = this.#child;
    let file = '';
    return new Promise((resolve) => {
      const done = (answer) => {
        clearInterval(watch);
        child.removeAllListeners();
        resolve(answer);
      };
      const watch = setInterval(() => {
        if (secondsOfChildren(child.pid).every(({ seconds }) => seconds <= PATIENCE)) return;
        this.close();
        const message = `did not end in ${PATIENCE} s of a processor`;
        done({ found: [{ kind: 'time-out', file, test: '(the file)', message }], durations: {} });
      }, 5000);
      child.on('message', (message) => {
        if (!message.file) return done(message);
        file = message.file;
        tell?.(file);
      });
      child.on('exit', () => {
        this.#child = null;
        done(null);
      });
      child.send(question);
    });
  }

  close() {
    if (this.#child) end(this.#child);
    this.#child = null;
  }
}
