/**
 * Searches for a machine in which a given option of a question is right. Tried are all values of each parameter, alone,
 * in steps of a factor of two over its declared range, and then pairs of the parameters that moved what was asked:
 *
 *     each parameter alone, the smallest changes first ──> pairs of those that moved a counter of the question
 *
 * The first machine found is the answer. That there is none is only said after the last.
 */
import type { SessionSpec, Sweeps } from '../../engine/api';
import { compile } from '../scenario/compile';
import type { CompiledMachine, CompiledParam, CompiledPart } from '../scenario/compiled';
import { type EditableNumber, editableParam } from '../scenario/editable-param';
import { variablesAt } from '../scenario/experiment';
import type { Assignment, Edits, Scenario, Value } from '../scenario/scenario-types';
import { machineWith, split } from '../scenario/settings';
import { conditionAt, verdict } from './evidence';
import { settingsOf } from './judge';
import type { Question } from './lesson';

/** One value of a parameter. */
interface Setting {
  readonly path: string;
  /** "Bridge: room for posted writes" */
  readonly title: string;
  readonly value: Value;
  /** The value before, and this one, for display. */
  readonly before: string;
  readonly text: string;
  /** How far from the value before, in factors of two. */
  readonly distance: number;
}

/** A machine in which the option is right. */
export interface FoundMachine {
  readonly settings: readonly Setting[];
  readonly edits: Edits;
  readonly variables: Assignment;
  /** Final counters of all parts. */
  readonly counters: readonly number[];
}

export interface SearchProgress {
  readonly tried: number;
  /** Number of machines to try; grows once when pairs are known. */
  readonly of: number;
}

interface Outcome extends SearchProgress {
  /** Null if no machine makes the option right, or if the search was cancelled. */
  readonly found: FoundMachine | null;
  /** Parameters tried alone, and those of them tried in pairs. */
  readonly parameters: number;
  readonly paired: number;
}

interface Search {
  readonly scenario: Scenario;
  readonly question: Question;
  /** Index of the option. */
  readonly option: number;
}

/** Machines that are run between two reports. */
const AT_ONCE = 24;

/** Steps away from the present value, in factors of two, at which pairs are tried. */
const PAIR_STEPS = [1, 2, 4, 8, 16, 32];

/** Longest stretch without a pause, in milliseconds. */
const STRETCH_MS = 12;

const pause = () => new Promise((resolve) => setTimeout(resolve));

/** Values of a number in steps of a factor of two, to both ends of its range. */
function laddersOf(part: CompiledPart, param: CompiledParam, number: EditableNumber): Setting[] {
  const { value, min, max, legal, text } = number;
  const least = number.whole === null ? number.step : 1;
  const start = value > 0 ? value : least;
  const all = new Map<string, Setting>();
  const add = (amount: number, distance: number) => {
    const inRange = Math.min(max, Math.max(min, amount));
    const near = legal ? legal.near(inRange) : number.whole ? Math.round(inRange) : inRange;
    const written = text(near);
    if (written === text(value) || all.has(written)) return;
    all.set(written, {
      path: param.path,
      title: `${part.title}: ${param.spec.title}`,
      value: written,
      before: text(value),
      text: written,
      distance,
    });
  };
  for (let by = value > 0 ? 1 : 0; start * 2 ** (by - 1) < max; by++) add(start * 2 ** by, by || 1);
  let down = 1;
  for (; start / 2 ** down > Math.max(min, least / 2); down++) add(start / 2 ** down, down);
  add(min, down);
  return [...all.values()];
}

/** Every other value of a parameter that is tried. */
function valuesOf(part: CompiledPart, param: CompiledParam): Setting[] {
  const shown = editableParam(part, param);
  if (!shown) return [];
  if (shown.kind === 'number') return laddersOf(part, param, shown);
  const titleOf = (value: string) =>
    shown.options.find((one) => one.value === value)?.title ?? value;
  return shown.options
    .filter(({ value }) => value !== shown.value)
    .map(({ value, title }) => ({
      path: param.path,
      title: `${part.title}: ${param.spec.title}`,
      value: shown.written(value),
      before: titleOf(shown.value),
      text: title,
      distance: 1,
    }));
}

const byDistance = (some: readonly (readonly Setting[])[]) => {
  const far = (settings: readonly Setting[]) =>
    settings.reduce((sum, { distance }) => sum + distance, 0);
  return some.toSorted((a, b) => far(a) - far(b));
};

/** Pairs of values of different parameters. */
function pairsOf(all: readonly Setting[]): Setting[][] {
  const few = all.filter(({ distance }) => PAIR_STEPS.includes(distance));
  return few.flatMap((one, at) =>
    few.slice(at + 1).flatMap((other) => (one.path === other.path ? [] : [[one, other]])),
  );
}

class Searcher {
  readonly #search: Search;
  readonly #base: CompiledMachine;
  readonly #asked: Assignment;
  readonly #variables: Assignment;
  readonly #places: readonly number[];
  readonly #moving = new Set<string>();
  #usual: readonly number[] = [];
  #tried = 0;

  constructor(search: Search, base: CompiledMachine, variables: Assignment) {
    this.#search = search;
    this.#base = base;
    this.#variables = variables;
    this.#asked = settingsOf(search.question);
    this.#places = search.question.options.flatMap(({ when }) =>
      when.flatMap((condition) => conditionAt(base, condition)?.place ?? []),
    );
  }

  get tried(): number {
    return this.#tried;
  }

  moves({ path }: Setting): boolean {
    return this.#moving.has(path);
  }

  #editsOf(settings: readonly Setting[]): Edits {
    const own = split(this.#asked).edits;
    return { ...own, ...Object.fromEntries(settings.map(({ path, value }) => [path, value])) };
  }

  #sessionOf(settings: readonly Setting[]): SessionSpec | null {
    const edits = this.#editsOf(settings);
    const options = { edits, variables: this.#variables, traceLog2: 0 };
    const machine = compile(this.#search.scenario, options);
    return machine.ok ? { config: machine.value.config, commands: [] } : null;
  }

  /** Whether a run counted everything that the question compares: a call that never ends takes no time. */
  #isWhole(counters: readonly number[]): boolean {
    return this.#places.every((at) => (this.#usual[at] ?? 0) === 0 || (counters[at] ?? 0) > 0);
  }

  #look(settings: readonly Setting[], counters: readonly number[]): FoundMachine | null {
    const { question, option } = this.#search;
    if (this.#places.some((at) => counters[at] !== this.#usual[at]))
      for (const { path } of settings) this.#moving.add(path);
    if (!this.#isWhole(counters) || verdict(question, this.#base, counters) !== option) return null;
    return { settings, edits: this.#editsOf(settings), variables: this.#variables, counters };
  }

  /** Runs machines; those that the engine refuses are left out. */
  async #run(sweeps: Sweeps, sessions: readonly SessionSpec[], results: (number[] | null)[]) {
    const limit = { untilPs: this.#base.untilPs };
    await sweeps.sweep({ sessions, limit }, ({ index, counters, reason }) => {
      if (reason === 'trap') return;
      results[index] = counters.flatMap((own) => [...own]);
    });
  }

  async usual(sweeps: Sweeps): Promise<void> {
    const results: (number[] | null)[] = [];
    await this.#run(sweeps, [{ config: this.#base.config, commands: [] }], results);
    this.#usual = results[0] ?? [];
  }

  /** Tries machines in order; the first found, or null. */
  async tryAll(
    all: readonly (readonly Setting[])[],
    sweeps: Sweeps,
    signal: AbortSignal,
    onTried: () => void,
  ): Promise<FoundMachine | null> {
    for (let from = 0; from < all.length && !signal.aborted; from += AT_ONCE) {
      const some: (readonly Setting[])[] = [];
      const sessions: SessionSpec[] = [];
      let since = performance.now();
      for (const settings of all.slice(from, from + AT_ONCE)) {
        const session = this.#sessionOf(settings);
        if (session) {
          some.push(settings);
          sessions.push(session);
        }
        if (performance.now() - since < STRETCH_MS) continue;
        await pause();
        since = performance.now();
      }
      const results = await this.#resultsOf(sweeps, sessions, signal);
      this.#tried += Math.min(AT_ONCE, all.length - from);
      onTried();
      for (const [at, settings] of some.entries()) {
        const counters = results[at];
        const found = counters && this.#look(settings, counters);
        if (found) return found;
      }
    }
    return null;
  }

  async #resultsOf(sweeps: Sweeps, sessions: readonly SessionSpec[], signal: AbortSignal) {
    const results: (number[] | null)[] = sessions.map(() => null);
    try {
      await this.#run(sweeps, sessions, results);
    } catch {
      // One of them is refused, which ends the sweep: each by itself.
      for (const [at, session] of sessions.entries()) {
        if (signal.aborted) break;
        const alone: (number[] | null)[] = [];
        await this.#run(sweeps, [session], alone).catch(() => {});
        results[at] = alone[0] ?? null;
      }
    }
    return results;
  }
}

/** Searches for a machine in which an option of a question is right. */
export async function machineWhere(
  search: Search,
  sweeps: Sweeps,
  { signal, onProgress }: { signal: AbortSignal; onProgress(progress: SearchProgress): void },
): Promise<Outcome> {
  const { scenario, question } = search;
  const asked = settingsOf(question);
  const base = machineWith(scenario, [asked]);
  const variables = variablesAt(scenario, split(asked).variables);
  const nothing = { found: null, tried: 0, of: 0, parameters: 0, paired: 0 };
  if (!base.ok || !variables.ok) return nothing;
  const searcher = new Searcher(search, base.value, variables.value);
  await searcher.usual(sweeps);
  const byParam = base.value.parts.flatMap((part) =>
    part.params.map((param) => valuesOf(part, param)).filter((values) => values.length > 0),
  );
  const singles = byDistance(byParam.flat().map((one) => [one]));
  let of = singles.length;
  const report = () => onProgress({ tried: searcher.tried, of });
  report();
  let found = await searcher.tryAll(singles, sweeps, signal, report);
  const moving = byParam.flat().filter((one) => searcher.moves(one));
  if (!found && !signal.aborted) {
    const pairs = byDistance(pairsOf(moving));
    of += pairs.length;
    found = await searcher.tryAll(pairs, sweeps, signal, report);
  }
  const paired = new Set(moving.map(({ path }) => path)).size;
  return { found, tried: searcher.tried, of, parameters: byParam.length, paired };
}
