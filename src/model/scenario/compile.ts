/**
 * Compiles a scenario with variables and edits into the session that the engine loads (see wasm/core/load.c), and
 * into the description of the machine that the page needs: names, types, and each parameter with its source.
 */

import { hint, quote } from '../../base/suggest';
import type { Basis, ParamSpec, PartType } from '../../engine/manifest';
import { type AddressConflict, type Addressed, Addresses, addressConflicts } from './address-map';
import { type Catalogue, ENGINE_PARTS, programTable } from './catalogue';
import type { CompiledMachine, CompiledParam, CompiledPart } from './compiled';
import { type EncodedRow, encodeSession, wordsOf } from './encode';
import { MAX } from './limits';
import { canAddChecker, checker, contractWires, monitorPart } from './monitors';
import { migrateEdits } from './moved-params';
import { brokenRule, relatedTo } from './param-rules';
import { findParam } from './paths';
import { disagreements } from './port-agreement';
import {
  failure,
  gather,
  type Problem,
  problem,
  type Report,
  type Result,
  success,
} from './problems';
import { encodeRows, joinThreads } from './program';
import { rowsOfThread } from './program-loops';
import {
  type Assignment,
  type Edits,
  type Machine,
  type ParamSetting,
  type Scenario,
  type ScenarioPart,
  type TableRow,
  type ThreadWork,
  type Value,
  Where,
  type Wire,
} from './scenario-types';
import { transfersOutsideCards, translationConflicts } from './translation-check';
import { outOfRange, substitute, toInteger } from './values';
import { programWiringProblems } from './wiring';

export interface CompileOptions {
  readonly variables?: Assignment | undefined;
  readonly edits?: Edits | undefined;
  readonly seed?: bigint | number | undefined;
  /** Capacity of the trace ring in records, as a power of two; 0 disables the trace (sweeps). */
  readonly traceLog2?: number | undefined;
  readonly catalogue?: Catalogue | undefined;
  /** Adds a monitor that reports violated invariants after every event, if the machine has snooping caches. */
  readonly watched?: boolean | undefined;
  /** Adds a checker of the mapping interface's contract, if the machine has one. */
  readonly checked?: boolean | undefined;
  /** Allows parts to differ in values that must match: for testbenches that only count lines. */
  readonly counted?: boolean | undefined;
}

export const DEFAULT_TRACE_LOG2 = 16;

/** The variables of one run: the scenario's, with some replaced. */
export function assign(scenario: Scenario, some: Assignment = {}): Result<Assignment> {
  const all: Record<string, Value> = {};
  for (const { name, value } of scenario.variables.values()) all[name] = value;
  for (const [name, value] of Object.entries(some)) {
    if (!Object.hasOwn(all, name))
      return failure([
        problem(
          `There is no variable ${quote(name)}${hint(name, Object.keys(all))}`,
          `/variables/${name}`,
        ),
      ]);
    all[name] = value;
  }
  return success(all);
}

type Params = readonly CompiledParam[];
type Tables = readonly (readonly EncodedRow[])[];

/** Cached results for a scenario that is compiled repeatedly. */
interface CompileCache {
  /** By part: parameters that no variable sets, without edits. */
  readonly unedited: (Params | undefined)[];
  /** The same with the edits of the last call. */
  edited: { readonly edits: Edits; readonly params: (Params | undefined)[] };
  /** Tables of all parts by the values of the variables. Edits affect parameters only. */
  readonly tables: Map<string, readonly Tables[]>;
  /** Rows of all these tables. */
  rows: number;
}
/** Rows that are kept for a scenario: those of the hundred small runs of a lab, but not of any long program. */
const MAX_CACHED_ROWS = 65_536;
const cache = new WeakMap<Scenario, CompileCache>();
const paramWords = new WeakMap<Params, readonly number[]>();
const tableWords = new WeakMap<Tables, readonly number[]>();
const NO_EDITS: Edits = {};

function cacheFor(scenario: Scenario, edits: Edits): CompileCache {
  const entry = cache.get(scenario) ?? {
    unedited: [],
    edited: { edits, params: [] },
    tables: new Map(),
    rows: 0,
  };
  cache.set(scenario, entry);
  if (entry.edited.edits !== edits) entry.edited = { edits, params: [] };
  return entry;
}

/** The variables are those of the scenario, in its order. */
const tablesKey = (variables: Assignment): string => JSON.stringify(Object.values(variables));

function keepTables(cache: CompileCache, key: string, parts: readonly Tables[]): void {
  const rows = parts.flat().reduce((sum, table) => sum + table.length, 0);
  if (cache.rows + rows > MAX_CACHED_ROWS) {
    cache.tables.clear();
    cache.rows = 0;
  }
  cache.tables.set(key, parts);
  cache.rows += rows;
}

/** Memoizes the words of a list. */
function wordsOnce<T extends object>(
  memory: WeakMap<T, readonly number[]>,
  list: T,
  make: (list: T) => readonly number[],
): readonly number[] {
  const words = memory.get(list) ?? make(list);
  memory.set(list, words);
  return words;
}

/** A part's type, parameters and tables, encoded as words. */
function partWords(part: CompiledPart): number[] {
  const params = wordsOnce(paramWords, part.params, (all) =>
    wordsOf(all.map(({ value }) => value)),
  );
  const tables = wordsOnce(tableWords, part.tables, (all) =>
    all.flatMap((rows) => [rows.length, ...wordsOf(rows.flatMap((row) => row.values))]),
  );
  return [part.type.id, ...params, ...tables];
}

/** Cached address decoding of a machine. */
interface AddressCache {
  readonly addresses: Addresses;
  readonly found: readonly AddressConflict[];
}

/**
 * A sweep compiles a machine many times, mostly with different programs. Its addresses are decoded again only when
 * parameters change.
 */
const addressCaches = new WeakMap<Machine, AddressCache>();

const hasSameValues = (one: readonly Addressed[], other: readonly Addressed[]): boolean =>
  one.every(({ params }, part) =>
    params.every(({ value }, at) => value === other[part]?.params[at]?.value),
  );

function addressed(machine: Machine, parts: readonly CompiledPart[]): AddressCache {
  const before = addressCaches.get(machine);
  if (before && hasSameValues(before.addresses.parts, parts)) return before;
  const addresses = new Addresses(parts, machine.wires);
  const now = {
    addresses,
    found: [...addressConflicts(addresses), ...translationConflicts(addresses)],
  };
  addressCaches.set(machine, now);
  return now;
}

class Compiler {
  private readonly cache: CompileCache;
  private readonly edits: Edits;
  private problems = 0;
  private rowsLeft = MAX.allRows;
  private readonly tablesKey: string;
  /** Tables compiled by an earlier call. */
  private readonly knownTables: readonly Tables[] | undefined;
  readonly report: Report;

  constructor(
    private readonly scenario: Scenario,
    private readonly variables: Assignment,
    edits: Edits,
    report: Report,
  ) {
    this.edits = migrateEdits(scenario.machine, edits);
    this.cache = cacheFor(scenario, this.edits);
    this.tablesKey = tablesKey(variables);
    this.knownTables = this.cache.tables.get(this.tablesKey);
    this.report = (found) => {
      this.problems++;
      report(found);
    };
  }

  /** All parts, in order. */
  parts(): CompiledPart[] {
    const { parts, wires } = this.scenario.machine;
    let refused = 0;
    const compiledParts = parts.map((part, index): CompiledPart => {
      const { name, title, at, where } = part;
      const params = this.params(part, index);
      const type = asWired(part.type, index, wires);
      const before = this.problems;
      const tables = this.knownTables?.[index] ?? this.tables(part, type, index);
      refused += this.problems - before;
      return { index, name, title, type, at, where, params, tables };
    });
    if (refused === 0 && !this.knownTables)
      keepTables(
        this.cache,
        this.tablesKey,
        compiledParts.map(({ tables }) => tables),
      );
    return compiledParts;
  }

  private tables(part: ScenarioPart, type: PartType, index: number): Tables {
    const { variables, report } = this;
    return type.tables.map((table) => {
      const rows = this.rows(part, index, table.name);
      if (table.loops !== undefined && rows.length === 0) {
        const { name } = part;
        const workload = new Where(this.scenario.until.where.json, ['workload', name]);
        report(
          workload.problem(
            `${quote(name)} has no program; name one in "workload", or give [] if it runs none.`,
            true,
          ),
        );
      }
      return encodeRows({ type, table, variables, report }, rows);
    });
  }

  private params(part: ScenarioPart, index: number): Params {
    const { edited, unedited } = this.cache;
    const isEdited = Object.keys(this.edits).some((path) => path.startsWith(`${part.name}.`));
    const memory = isEdited ? edited.params : unedited;
    const cached = memory[index];
    if (cached) return cached;
    const before = this.problems;
    const params = part.type.params.map((spec, i) => this.param(part, spec, i));
    if (this.problems === before) this.rules(part, params);
    const isReusable = this.problems === before && !params.some((param) => param.variable);
    if (isReusable) memory[index] = params;
    return params;
  }

  /** Checks relations between values that are valid by themselves. */
  private rules(part: ScenarioPart, params: readonly CompiledParam[]): void {
    const values = new Map<string, bigint>(params.map(({ spec, value }) => [spec.name, value]));
    const broken = new Map<string, string>();
    for (const { spec } of params) {
      const why = brokenRule(part.name, part.type, spec, (name) => values.get(name) ?? 0n);
      if (why !== null) broken.set(spec.name, why);
    }
    for (const { spec } of params) {
      const others = spec.rule ? relatedTo(spec.rule) : [];
      const why = broken.get(spec.name);
      // Do not report errors that follow from another refused value.
      if (why && !others.some((name) => broken.has(name)))
        this.report(
          this.placed(
            [spec.name, ...others].map((name) => [part, name] as const),
            why,
            part,
          ),
        );
    }
  }

  /** A problem of several parameters is reported at the one changed last. */
  private placed(
    params: readonly (readonly [ScenarioPart, string])[],
    message: string,
    otherwise: { readonly where: Where },
  ): Problem {
    const paths = params.map(([part, name]) => `${part.name}.${name}`);
    const edited = paths.find((path) => Object.hasOwn(this.edits, path));
    if (edited) return problem(message, `/edits/${edited}`);
    const set = params.map(([part, name]) => part.params.get(name)?.where).find((where) => where);
    return (set ?? otherwise.where).problem(message);
  }

  /** Checks values that must match between wired parts. */
  agreements(compiledParts: readonly CompiledPart[]): void {
    const { parts, wires } = this.scenario.machine;
    if (this.problems > 0) return;
    for (const { owned, message, wire } of disagreements(compiledParts, wires)) {
      const params = owned.flatMap(([index, name]) => {
        const part = parts[index];
        return part ? [[part, name] as const] : [];
      });
      this.report(this.placed(params, message, wire));
    }
    this.addresses(compiledParts);
  }

  /** Checks the addresses of parts, drivers and programs. */
  private addresses(compiledParts: readonly CompiledPart[]): void {
    const { parts } = this.scenario.machine;
    if (this.problems > 0) return;
    const { addresses, found } = addressed(this.scenario.machine, compiledParts);
    for (const { owned, part, message } of found) {
      const params = owned.flatMap(([index, name]) => {
        const owner = parts[index];
        return owner ? [[owner, name] as const] : [];
      });
      const at = parts[part];
      if (at) this.report(this.placed(params, message, at));
    }
    if (found.length === 0)
      for (const one of transfersOutsideCards(addresses, compiledParts)) this.report(one);
  }

  private rows(part: ScenarioPart, index: number, table: string): readonly TableRow[] {
    const work = this.scenario.workload.get(index);
    if (work && programTable(part.type)?.name === table)
      return joinThreads(work.map((thread, i) => this.thread(thread, part.name, i)));
    return part.tables.get(table) ?? [];
  }

  private thread(work: ThreadWork, part: string, thread: number): readonly TableRow[] {
    const { report } = this;
    const variables = new Set(Object.keys(this.variables));
    const rows = rowsOfThread(this.rowsOf(work), { part, thread, variables, report });
    return rows.length > 0 ? rows : [{ fields: { do: 'end' }, where: work.where }];
  }

  private rowsOf(work: ThreadWork): readonly TableRow[] {
    if ('rows' in work) return work.rows;
    const { programs } = this.scenario;
    const found = substitute(work.program, this.variables);
    const name = typeof found === 'string' ? '' : String(found.value);
    const rows = programs.get(name);
    if (rows && rows.length <= this.rowsLeft) {
      this.rowsLeft -= rows.length;
      return rows;
    }
    if (rows) {
      const sentence = `The programs of all threads together have at most ${MAX.allRows} rows.`;
      this.report(work.where.problem(sentence));
      return [];
    }
    const sentence =
      typeof found === 'string'
        ? found
        : `There is no program ${quote(name)}${hint(name, programs.keys())}`;
    this.report(work.where.problem(sentence));
    return [];
  }

  private param(part: ScenarioPart, spec: ParamSpec, index: number): CompiledParam {
    const path = `${part.name}.${spec.name}`;
    const setting = part.params.get(spec.name);
    const original = setting ? this.setting(part, spec, setting) : BigInt(spec.default);
    const edit = Object.hasOwn(this.edits, path) ? this.edits[path] : undefined;
    const value = edit === undefined ? original : this.edit(part, spec, path, edit, original);
    return {
      spec,
      index,
      path,
      value,
      original,
      edited: value !== original,
      basis: setting?.basis ?? (spec.basis as Basis),
      source: setting?.source ?? spec.source,
      variable: typeof setting?.value === 'string' && setting.value.startsWith('$'),
    };
  }

  private setting(part: ScenarioPart, spec: ParamSpec, setting: ParamSetting): bigint {
    const found = substitute(setting.value, this.variables);
    const value =
      typeof found === 'string' ? found : toInteger(found.value, spec.type, part.type.enums);
    const sentence = typeof value === 'string' ? value : outOfRange(value, spec, part.type.enums);
    if (sentence !== null) this.report(setting.where.problem(sentence));
    return typeof value === 'bigint' ? value : 0n;
  }

  private edit(
    part: ScenarioPart,
    spec: ParamSpec,
    path: string,
    edit: Value,
    original: bigint,
  ): bigint {
    const value = toInteger(edit, spec.type, part.type.enums);
    const sentence = typeof value === 'string' ? value : outOfRange(value, spec, part.type.enums);
    if (sentence === null && typeof value === 'bigint') return value;
    this.report(problem(sentence ?? '', `/edits/${path}`));
    return original;
  }

  /** Reports edits of unknown parameters. */
  checkEdits(): void {
    for (const path of Object.keys(this.edits)) {
      const found = findParam(this.scenario.machine.parts, path);
      if (typeof found === 'string') this.report(problem(found, `/edits/${path}`));
    }
  }

  /** A value of the whole scenario: its end or its seed. */
  scenarioValue(of: Scenario['until'], type: 'time' | 'count'): bigint {
    const found = substitute(of.value, this.variables);
    const value = typeof found === 'string' ? found : toInteger(found.value, type, {});
    if (typeof value === 'bigint') return value;
    this.report(of.where.problem(value));
    return 0n;
  }
}

/** A part type without the tracks that need an unwired port. */
function asWired(type: PartType, part: number, wires: readonly Wire[]): PartType {
  const isWired = (port: string) =>
    wires.some(({ ends }) => ends.some((end) => end.part === part && end.port === port));
  const tracks = type.tracks.filter(
    (track) => !track.requiresWired || isWired(track.requiresWired),
  );
  return tracks.length === type.tracks.length ? type : { ...type, tracks };
}

const MAX_U64 = (1n << 64n) - 1n;

export function compile(scenario: Scenario, options: CompileOptions = {}): Result<CompiledMachine> {
  const variables = assign(scenario, options.variables);
  if (!variables.ok) return variables;
  return gather((report) => compiled(scenario, options, variables.value, report));
}

function compiled(
  scenario: Scenario,
  options: CompileOptions,
  variables: Assignment,
  report: Report,
): CompiledMachine {
  const compiler = new Compiler(scenario, variables, options.edits ?? NO_EDITS, report);
  compiler.checkEdits();
  const parts = compiler.parts();
  if (!options.counted) compiler.agreements(parts);
  programWiringProblems(scenario.machine, parts, compiler.report);
  const snoops = parts.some(({ type }) => type.name === 'snoop_cache');
  if (options.checked && canAddChecker(parts)) parts.push(checker(parts.length));
  if (options.watched && snoops) parts.push(monitorPart('watcher', parts.length));
  const until = compiler.scenarioValue(scenario.until, 'time');
  if (until > BigInt(Number.MAX_SAFE_INTEGER))
    compiler.report(scenario.until.where.problem('A run ends within two hours of simulated time.'));
  const seed =
    options.seed === undefined
      ? compiler.scenarioValue(scenario.seed, 'count')
      : BigInt(options.seed);
  const { layoutHash } = options.catalogue ?? ENGINE_PARTS;
  const wires = [...scenario.machine.wires, ...contractWires(parts, scenario.machine.wires)];
  const traceLog2 = options.traceLog2 ?? DEFAULT_TRACE_LOG2;
  const header = { layoutHash, seed: seed & MAX_U64, traceLog2 };
  const config = encodeSession(header, parts.map(partWords), wires);
  return {
    config,
    layoutHash,
    untilPs: Number(until),
    seed,
    variables,
    parts,
    wires,
  };
}
