// Verdicts, one line of JSON per mutant, so that an interrupted run can be resumed.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, root } from '../lib.mjs';
import { WORK } from './builds.mjs';
import { verdictOf } from './verdict.mjs';

export const digest = (paths) => {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
};

const isUnitTest = (path) => /_test\.c$|^wasm\/host\/\w+\.h$/.test(path);
const isTest = (path) => isUnitTest(path) || /\.test\.tsx?$|^tests\/|^scenarios\//.test(path);

/** Verdicts that further tests cannot change. */
const LASTING = ['behaviour', 'same code', 'not C'];

/** Explanations, by id and written by hand, of mutants that change the code without an observable effect. */
export const notes = JSON.parse(readFileSync(join(root, 'scripts/mutate/notes.json'), 'utf8'));

export class Results {
  #file = join(root, WORK, 'results.jsonl');
  #baseline = join(root, WORK, 'baseline.json');
  #all = filesUnder('src', 'tests', 'scenarios', 'wasm');
  #tests = digest(this.#all.filter(isTest));
  #unitTests = digest(this.#all.filter(isUnitTest));
  /** Whether verdicts of an older tree's tests are accepted. */
  trusted = false;
  #of = new Map();
  #digests = new Map();

  constructor() {
    mkdirSync(join(root, WORK), { recursive: true });
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, 'utf8').trim().split('\n')) {
      const one = JSON.parse(line);
      this.#of.set(one.id, one);
    }
  }

  #digestOf(path) {
    if (!this.#digests.has(path)) this.#digests.set(path, digest([path]));
    return this.#digests.get(path);
  }

  /** The stored verdict for this mutant in this text, if it is final. */
  of({ id, path }) {
    const one = this.#of.get(id);
    if (one?.source !== this.#digestOf(path) || one.verdict === 'open') return null;
    const same = this.trusted || one.tests === this.#tests;
    return same || LASTING.includes(one.verdict) ? one : null;
  }

  /** A mutant left open by one of these current judges, with its result. */
  leftBy({ id, path }, ...stages) {
    const one = this.#of.get(id);
    if (one?.verdict !== 'open' || one.source !== this.#digestOf(path)) return null;
    const same =
      this.trusted ||
      (one.unitTests === this.#unitTests && (one.stage === 'unit' || one.tests === this.#tests));
    return same && stages.includes(one.stage) ? one : null;
  }

  /** The known verdict: by hand, or of the last judge that detected it. */
  stored(mutant) {
    const open = this.leftBy(mutant, 'unit', 'warm');
    const judged = open ? { ...open, verdict: verdictOf(open.found, 'open') } : this.of(mutant);
    const note = notes[mutant.id];
    const unseen = ['open', 'survived', undefined].includes(judged?.verdict);
    return note && unseen ? { verdict: 'equivalent', note, found: [] } : judged;
  }

  add({ id, path, line, function: name, operator, was, becomes }, outcome) {
    const [tests, unitTests] = [this.#tests, this.#unitTests];
    const stamp = { source: this.#digestOf(path), tests, unitTests };
    const one = { id, path, line, function: name, operator, was, becomes, ...stamp, ...outcome };
    this.#of.set(id, one);
    appendFileSync(this.#file, `${JSON.stringify(one)}\n`);
  }

  /**
   * Results of this tree's tests without a mutant: files that use the engine with their times in
   * milliseconds, and failures.
   */
  baseline() {
    if (!existsSync(this.#baseline)) return null;
    const { tree, ...usual } = JSON.parse(readFileSync(this.#baseline, 'utf8'));
    return this.trusted || tree === digest(this.#all) ? usual : null;
  }

  keepBaseline(usual) {
    writeFileSync(this.#baseline, JSON.stringify({ tree: digest(this.#all), ...usual }));
    return usual;
  }

  /** Test files in order of usefulness: mutants of this folder detected per time. */
  ordered(files, path) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    const noticed = new Map();
    for (const one of this.#of.values()) {
      if (!one.path.startsWith(folder)) continue;
      const by = one.found.find(({ kind }) => kind === 'behaviour')?.file;
      noticed.set(by, (noticed.get(by) ?? 0) + 1);
    }
    const worth = ({ file, took }) => ((noticed.get(file) ?? 0) + 0.3) / (took + 1000);
    return [...files].sort((a, b) => worth(b) - worth(a)).map(({ file }) => file);
  }
}
