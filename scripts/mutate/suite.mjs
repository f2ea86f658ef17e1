// The TypeScript tests as a judge: a warm process of their own, supervised from here.
import { fork, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';
import { WORK, writeModules } from './builds.mjs';
import { DECIDES } from './unit.mjs';

/** CPU seconds after which a test file counts as endless. */
const PATIENCE = 300;

/** All processes, with their CPU seconds. */
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
  /** The test files, once the process has listed them. */
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
   * Runs test files one after another with an active mutant (0 for none), until a failure of one of the
   * kinds in `stop`; only tests with the given names, without the ignored ones. Resolves to the failures
   * and each file's time.
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

  /** The process's reply; null if it was killed. */
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
