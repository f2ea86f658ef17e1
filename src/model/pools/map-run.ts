/** Runs a pattern with several policies and reports their costs and the final states of their tables. */
import { EngineError } from '../../engine/api';
import { FAULT } from '../../engine/engine-errors';
import { MAP_OP as OP, MAP_OP_KIND as OP_KIND, MAP_OUTCOME as OUTCOME } from '../../engine/gen/abi';
import { LARGE_POOL, MAX_ENTRIES, type MapSetup, MapTable, NO_POOL } from '../../engine/maps';
import type { PatternStep } from './map-owners';
import type { MapPolicy } from './map-policies';
import { policyRules } from './map-policies';
import type { TraceInit } from './map-trace-rules';

/** The table that a policy works on. */
export interface MapGeometry {
  readonly entries: number;
  readonly shift: number;
  readonly base: bigint;
  readonly boundary: bigint;
  readonly pools: number;
  /** Multiplier of the CPU hash. */
  readonly multiplier: number;
}

/** What a user chose for the table; the rest is the recorded one's, or usual. */
interface ChosenTable {
  readonly entries?: number | undefined;
  readonly pools?: number | undefined;
  readonly pageBytes: number;
}

const USUAL = { entries: 262144, pools: 16, multiplier: 0x61c88647 };

/** The table for a pattern: `init` is the recorded one's, if there is one. */
export const geometryOf = (init: TraceInit | null, chosen: ChosenTable): MapGeometry => ({
  entries: chosen.entries ?? init?.entries ?? USUAL.entries,
  shift: init?.shift ?? Math.log2(chosen.pageBytes),
  base: init?.base ?? 0n,
  boundary: init?.boundary ?? 0xffffffffn,
  pools: chosen.pools ?? (init?.pools || USUAL.pools),
  multiplier: init?.multiplier ?? USUAL.multiplier,
});

/** Maximum number of entries of all tables together, which fit into a gibibyte. */
export const MAX_TOGETHER = 3 * MAX_ENTRIES;

interface Spread {
  readonly mean: number;
  readonly p99: number;
  readonly most: number;
}

/** Number of pools that can serve a request of this many pages. */
interface Service {
  readonly pages: number;
  readonly pools: number;
}

export interface MapRunReport {
  readonly policy: string;
  readonly pools: number;
  readonly operations: number;
  readonly allocations: number;
  readonly failures: number;
  /** Releases of entries that this policy could not allocate. */
  readonly skipped: number;
  readonly searches: number;
  /** 64-bit bitmap words read per allocation. */
  readonly words: Spread;
  /** Locks taken per allocation. */
  readonly locks: Spread;
  readonly acquisitions: readonly number[];
  readonly flushes: number;
  /** With lazy flush: allocations that got an entry freed since the last flush. Null if each free flushes. */
  readonly reused_without_flush: number | null;
  readonly in_use: number;
  readonly most_in_use: number;
  readonly longest_free: readonly number[];
  readonly serves: readonly Service[];
}

const BATCH = 2048;
const NOTHING = 0xffffffff;
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Histogram of values, for means and percentiles of runs of any length. */
class Tally {
  readonly #counts = new Map<number, number>();
  #all = 0;
  #sum = 0;

  add(value: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#all++;
    this.#sum += value;
  }

  spread(): Spread {
    const sorted = [...this.#counts].sort(([a], [b]) => a - b);
    let left = Math.floor(this.#all * 0.99);
    const at = sorted.findIndex(([, count]) => {
      left -= count;
      return left < 0;
    });
    return {
      mean: this.#all > 0 ? this.#sum / this.#all : 0,
      p99: sorted[at]?.[0] ?? 0,
      most: sorted.at(-1)?.[0] ?? 0,
    };
  }
}

/** Longest run of clear bits in [from, to). */
export function longestFree(bits: Uint32Array, from: number, to: number): number {
  let best = 0;
  let run = 0;
  for (let i = from; i < to; i++) {
    const word = bits[i >> 5] ?? 0;
    if (word === 0 && (i & 31) === 0 && i + 32 <= to) {
      run += 32;
      i += 31;
    } else if ((word >>> (i & 31)) & 1) run = 0;
    else run++;
    if (run > best) best = run;
  }
  return best;
}

const HIGH = 2 ** 32;

class PolicyRun {
  readonly #table: MapTable;
  /** First entry of each live allocation, by id; -1 for one that failed. */
  readonly #first: number[] = [];
  readonly #words = new Tally();
  readonly #locks = new Tally();
  readonly #batch: PatternStep[] = [];
  readonly #pending = new Set<number>();
  #operations = 0;
  #allocations = 0;
  #failures = 0;
  #skipped = 0;
  #inUse = 0;
  #most = 0;

  /** @throws {EngineError} if the policy's table cannot be created */
  constructor(
    module: WebAssembly.Module,
    private readonly policy: MapPolicy,
    private readonly geometry: MapGeometry,
  ) {
    const { entries, shift, base, boundary } = geometry;
    const pools = policy.pools ?? geometry.pools;
    const span = (boundary >> BigInt(shift)) + 1n;
    if (span & (span - 1n))
      throw new EngineError(
        `The segment boundary is a power of two of pages, less one byte; 0x${boundary.toString(16)} is not, and the kernel would stop.`,
        FAULT.badParam,
        -1,
      );
    const setup: MapSetup = { entries, shift, base, boundary, pools, rules: policyRules(policy) };
    this.#table = new MapTable(module, setup, BATCH);
  }

  take(step: PatternStep): void {
    this.#operations++;
    if (step.kind === 'give' && this.#pending.has(step.id)) this.#flush();
    if (step.kind === 'give' && (this.#first[step.id] ?? -1) < 0) {
      this.#skipped++;
      return;
    }
    this.#pack(step);
    if (step.kind === 'try') this.#undo(step);
    if (this.#batch.length === BATCH) this.#flush();
  }

  /** Frees the entries of an attempt that succeeded. */
  #undo(step: PatternStep): void {
    this.#flush();
    if ((this.#first[step.id] ?? -1) >= 0) this.#pack({ ...step, kind: 'give' });
  }

  #pack(step: PatternStep): void {
    const { ops } = this.#table;
    const at = this.#batch.length * OP.size;
    this.#batch.push(step);
    ops.fill(0, at, at + OP.size);
    ops[at + OP.pages] = step.pages >>> 0;
    ops[at + OP.pages + 1] = Math.floor(step.pages / HIGH);
    if (step.kind === 'give') {
      ops[at + OP.kind] = OP_KIND.free;
      ops[at + OP.handle] = (this.#first[step.id] ?? 0) + step.from;
      return;
    }
    this.#pending.add(step.id);
    ops[at + OP.kind] = OP_KIND.alloc;
    ops[at + OP.cpu] = step.cpu;
    ops[at + OP.hash] = Math.imul(step.cpu, this.geometry.multiplier) >>> 28;
    ops[at + OP.mask] = ops[at + OP.mask + 1] = NOTHING;
  }

  #flush(): void {
    const { outcomes } = this.#table;
    this.#table.run(this.#batch.length);
    this.#batch.forEach((step, i) => {
      const out = i * OUTCOME.size;
      const pool = outcomes[out + OUTCOME.pool] ?? NO_POOL;
      if (step.kind === 'give') {
        this.#inUse -= step.pages;
        return;
      }
      this.#allocations++;
      this.#words.add(outcomes[out + OUTCOME.words] ?? 0);
      this.#locks.add(outcomes[out + OUTCOME.locks] ?? 0);
      this.#first[step.id] = pool === NO_POOL ? -1 : (outcomes[out + OUTCOME.result] ?? 0);
      if (pool === NO_POOL) this.#failures++;
      else {
        this.#inUse += step.pages;
        this.#most = Math.max(this.#most, this.#inUse);
      }
    });
    this.#pending.clear();
    this.#batch.length = 0;
  }

  report(): MapRunReport {
    this.#flush();
    const table = this.#table;
    const numbers = Array.from({ length: table.pools }, (_, i) => i);
    if (table.pool(LARGE_POOL).end > 0) numbers.push(LARGE_POOL);
    const pools = numbers.map((number) => table.pool(number));
    const { bits } = table;
    const exact = this.policy.rules.includes('end_exact') ? 0 : 1;
    const longest = pools.map(({ start, end }) => longestFree(bits, start, end - exact));
    return {
      policy: this.policy.name,
      pools: table.pools,
      operations: this.#operations,
      allocations: this.#allocations,
      failures: this.#failures,
      skipped: this.#skipped,
      searches: table.searches,
      words: this.#words.spread(),
      locks: this.#locks.spread(),
      acquisitions: pools.map(({ acquisitions }) => acquisitions),
      flushes: table.flushes,
      reused_without_flush: this.policy.rules.includes('lazy') ? table.reused : null,
      in_use: table.sum().population,
      most_in_use: this.#most,
      longest_free: longest,
      serves: SIZES.map((pages) => ({
        pages,
        pools: longest.filter((run) => run >= pages).length,
      })),
    };
  }
}

/**
 * Runs steps with all policies in parallel, so the pattern is read once and not stored.
 * @throws {EngineError} if a policy's table cannot be created
 */
export function runPattern(
  module: WebAssembly.Module,
  steps: Iterable<PatternStep>,
  policies: readonly MapPolicy[],
  geometry: MapGeometry,
): MapRunReport[] {
  const runs = policies.map((policy) => new PolicyRun(module, policy, geometry));
  for (const step of steps) for (const run of runs) run.take(step);
  return runs.map((run) => run.report());
}
