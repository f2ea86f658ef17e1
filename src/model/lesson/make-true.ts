/**
 * Searches for a machine in which a given option of a question is right. Tried are all values of each parameter and
 * variable, alone (see machine-space.ts), and then pairs of those that moved what was asked:
 *
 *     each one alone, the smallest changes first ──> pairs of those that moved a counter of the question
 *
 * What only programs read is tried after the machine's own: another job is a poorer answer than another machine. A
 * machine in which a part that worked does nothing, because its work was taken away, is none.
 * The first machine found is the answer. That none was found is only said after the last, with what stayed as it was. If
 * the runs are long, the search ends before the last, and that is said.
 */
import type { RunLimit, SessionSpec, StopReason, Sweeps } from '../../engine/api';
import { compile } from '../scenario/compile';
import { type CompiledMachine, firstCounterOf } from '../scenario/compiled';
import { variablesAt } from '../scenario/experiment';
import type { Assignment, Edits, Scenario } from '../scenario/scenario-types';
import { machineWith, split } from '../scenario/settings';
import { conditionAt, verdict } from './evidence';
import { settingsOf } from './judge';
import type { Condition, Question } from './lesson';
import { type MachineSpace, type Setting, spaceOf } from './machine-space';

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

export interface Outcome extends SearchProgress {
  /** Null if no machine makes the option right, or if the search was cancelled. */
  readonly found: FoundMachine | null;
  /** Parameters and variables tried alone, and those of them tried in pairs. */
  readonly alone: number;
  readonly paired: number;
  /** Machines among those tried that cannot be built, or stop with an error. */
  readonly refused: number;
  /** Machines among those tried whose runs were given up, because they had far more events than the usual run. */
  readonly givenUp: number;
  readonly fixed: MachineSpace['fixed'];
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

/**
 * Events after which a run is given up: of the usual run, and at least. A clock that ticks every 10 ps for 2 s would
 * never end while somebody waits.
 */
const MOST_EVENTS = { times: 4, atLeast: 300_000 };

/** Events of all runs after which the search ends: about two minutes of one processor. */
const EVENTS_IN_ALL = 800_000_000;

/** Longest stretch without a pause, in milliseconds. */
const STRETCH_MS = 12;

const pause = () => new Promise((resolve) => setTimeout(resolve));

/** The smallest changes first, and what only programs read after the machine's own. */
const byDistance = (some: readonly (readonly Setting[])[]) => {
  const far = (settings: readonly Setting[]) =>
    settings.reduce((sum, { distance }) => sum + distance, 0);
  const jobs = (settings: readonly Setting[]) =>
    settings.filter(({ isOfProgram }) => isOfProgram).length;
  return some.toSorted((a, b) => jobs(a) - jobs(b) || far(a) - far(b));
};

/** Pairs of values of different parameters or variables. */
function pairsOf(all: readonly Setting[]): Setting[][] {
  const few = all.filter(({ distance }) => PAIR_STEPS.includes(distance));
  return few.flatMap((one, at) =>
    few.slice(at + 1).flatMap((other) => (one.name === other.name ? [] : [[one, other]])),
  );
}

/** A finished run: why it ended, and the counters of all parts. */
interface Ended {
  readonly reason: StopReason;
  readonly events: number;
  readonly counters: readonly number[];
}

/** A machine to try, and its settings. */
interface Tried extends Pick<FoundMachine, 'settings' | 'edits' | 'variables'> {
  readonly session: SessionSpec;
  readonly untilPs: number;
}

/** Times of laps, calls and transfers that have ended; 0 if none has. */
const OF_ENDED = /^(lap|response|latency)(_|$)|_end$|^(call|map|unmap|block|script|transfer)_time$/;

class Searcher {
  readonly #search: Search;
  readonly #base: CompiledMachine;
  readonly #asked: Assignment;
  readonly #places: readonly number[];
  /** Those of the places that count the time of something that ends. */
  readonly #ending: readonly number[];
  /** Counters of the parts that the option does not name, part by part. */
  readonly #others: readonly (readonly [from: number, to: number])[];
  readonly #moving = new Set<string>();
  #usual: Ended = { reason: 'idle', events: 0, counters: [] };
  #tried = 0;
  #refused = 0;
  #givenUp = 0;
  #events = 0;

  constructor(search: Search, base: CompiledMachine) {
    this.#search = search;
    this.#base = base;
    this.#asked = settingsOf(search.question);
    const conditions = search.question.options.flatMap(({ when }) => when);
    const placesOf = (some: readonly Condition[]) =>
      some.flatMap((condition) => conditionAt(base, condition)?.place ?? []);
    this.#places = placesOf(conditions);
    this.#ending = placesOf(conditions.filter(({ counter }) => OF_ENDED.test(counter)));
    const named = search.question.options[search.option]?.when.map(({ part }) => part) ?? [];
    this.#others = base.parts
      .filter(({ name }) => !named.includes(name))
      .map(({ index, type }) => {
        const from = firstCounterOf(base.parts, index);
        return [from, from + type.counters.length] as const;
      });
  }

  get tried(): number {
    return this.#tried;
  }

  /** Machines among those tried that cannot be built, or stop with an error. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether the runs so far had as many events as a search may have. */
  get isSpent(): boolean {
    return this.#events >= EVENTS_IN_ALL;
  }

  get givenUp(): number {
    return this.#givenUp;
  }

  moves({ name }: Setting): boolean {
    return this.#moving.has(name);
  }

  #machineOf(settings: readonly Setting[]): Tried | null {
    const { scenario } = this.#search;
    const changed = split(Object.fromEntries(settings.map(({ name, value }) => [name, value])));
    const own = split(this.#asked);
    const edits = { ...own.edits, ...changed.edits };
    const all = variablesAt(scenario, { ...own.variables, ...changed.variables });
    if (!all.ok) return null;
    const variables = all.value;
    const machine = compile(scenario, { edits, variables, traceLog2: 0 });
    if (!machine.ok) return null;
    const { config, untilPs } = machine.value;
    return { settings, edits, variables, session: { config, commands: [] }, untilPs };
  }

  /** Whether every part that worked in the usual run has worked, but for those that the option names. */
  #isBusy(counters: readonly number[]): boolean {
    const worked = (all: readonly number[], from: number, to: number) =>
      all.slice(from, to).some((value) => value > 0);
    return this.#others.every(
      ([from, to]) => !worked(this.#usual.counters, from, to) || worked(counters, from, to),
    );
  }

  /** Whether a run ended as the usual one did, and with it everything whose time is compared. */
  #isWhole({ reason, counters }: Ended): boolean {
    if (reason === 'events' || (this.#usual.reason === 'idle' && reason !== 'idle')) return false;
    return this.#ending.every(
      (at) => (this.#usual.counters[at] ?? 0) === 0 || (counters[at] ?? 0) > 0,
    );
  }

  #look({ settings, edits, variables }: Tried, ended: Ended): FoundMachine | null {
    const { question, option } = this.#search;
    const { counters } = ended;
    if (this.#places.some((at) => counters[at] !== this.#usual.counters[at]))
      for (const { name } of settings) this.#moving.add(name);
    if (!this.#isWhole(ended) || !this.#isBusy(counters)) return null;
    if (verdict(question, this.#base, counters) !== option) return null;
    return { settings, edits, variables, counters };
  }

  /** Runs machines; those that stop with an error have no result. */
  async #run(
    sweeps: Sweeps,
    sessions: readonly SessionSpec[],
    limit: RunLimit,
    onEnd: (index: number, ended: Ended) => void,
  ): Promise<void> {
    await sweeps.sweep({ sessions, limit }, ({ index, counters, reason, events }) => {
      if (reason === 'trap') return;
      onEnd(index, { reason, events, counters: counters.flatMap((own) => [...own]) });
    });
  }

  async usual(sweeps: Sweeps): Promise<void> {
    const { config, untilPs } = this.#base;
    await this.#run(sweeps, [{ config, commands: [] }], { untilPs }, (_, ended) => {
      this.#usual = ended;
    });
  }

  /** Tries machines in order; the first found, or null. */
  async tryAll(
    all: readonly (readonly Setting[])[],
    sweeps: Sweeps,
    signal: AbortSignal,
    onTried: () => void,
  ): Promise<FoundMachine | null> {
    for (let from = 0; from < all.length && !signal.aborted && !this.isSpent; from += AT_ONCE) {
      const some: Tried[] = [];
      let since = performance.now();
      for (const settings of all.slice(from, from + AT_ONCE)) {
        const machine = this.#machineOf(settings);
        if (machine) some.push(machine);
        if (performance.now() - since < STRETCH_MS) continue;
        await pause();
        since = performance.now();
      }
      const ends = await this.#endsOf(sweeps, some, signal);
      const count = Math.min(AT_ONCE, all.length - from);
      this.#tried += count;
      this.#refused += count - ends.size;
      for (const { events } of ends.values()) this.#events += events;
      this.#givenUp += [...ends.values()].filter(({ reason }) => reason === 'events').length;
      onTried();
      for (const machine of some) {
        const ended = ends.get(machine);
        const found = ended && this.#look(machine, ended);
        if (found) return found;
      }
    }
    return null;
  }

  /** The ends of runs. Those that end at the same time are run together. */
  async #endsOf(sweeps: Sweeps, all: readonly Tried[], signal: AbortSignal) {
    const ends = new Map<Tried, Ended>();
    const untilEvents = Math.max(MOST_EVENTS.atLeast, MOST_EVENTS.times * this.#usual.events);
    const run = (some: readonly Tried[], untilPs: number) =>
      this.#run(
        sweeps,
        some.map(({ session }) => session),
        { untilPs, untilEvents },
        (index, ended) => {
          const machine = some[index];
          if (machine) ends.set(machine, ended);
        },
      );
    for (const untilPs of new Set(all.map((one) => one.untilPs))) {
      const some = all.filter((one) => one.untilPs === untilPs);
      try {
        await run(some, untilPs);
      } catch {
        // One of them is refused, which ends the sweep: each by itself.
        for (const machine of some) {
          if (signal.aborted) break;
          await run([machine], untilPs).catch(() => {});
        }
      }
    }
    return ends;
  }
}

/** Searches for a machine in which an option of a question is right. */
export async function machineWhere(
  search: Search,
  sweeps: Sweeps,
  { signal, onProgress }: { signal: AbortSignal; onProgress(progress: SearchProgress): void },
): Promise<Outcome> {
  const { scenario, question } = search;
  const base = machineWith(scenario, [settingsOf(question)]);
  if (!base.ok) throw new Error(base.problems[0]?.message);
  const searcher = new Searcher(search, base.value);
  await searcher.usual(sweeps);
  const { dials, fixed } = spaceOf(scenario, base.value);
  const singles = byDistance(dials.flat().map((one) => [one]));
  let of = singles.length;
  const report = () => onProgress({ tried: searcher.tried, of });
  report();
  let found = await searcher.tryAll(singles, sweeps, signal, report);
  const moving = dials.flat().filter((one) => searcher.moves(one));
  if (!found && !signal.aborted) {
    const pairs = byDistance(pairsOf(moving));
    of += pairs.length;
    found = await searcher.tryAll(pairs, sweeps, signal, report);
  }
  const paired = new Set(moving.map(({ name }) => name)).size;
  const { tried, refused, givenUp } = searcher;
  return { found, tried, of, alone: dials.length, paired, refused, givenUp, fixed };
}
