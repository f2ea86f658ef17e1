/** Runs a pattern through a policy, and says what that cost and in what state it left the table. */
import { LARGE_POOL, type MapSetup, MapTable, NO_POOL, OP, OP_KIND, OUTCOME } from '../engine/maps';
import type { Pattern, PatternStep } from './mapPattern';
import type { MapPolicy } from './mapPolicies';
import { policyRules } from './mapPolicies';

/** The table that a policy works on. */
export interface MapGeometry {
  readonly entries: number;
  readonly shift: number;
  readonly base: bigint;
  readonly boundary: bigint;
  readonly pools: number;
  /** What the hash of CPUs is made with. */
  readonly multiplier: number;
}

interface Spread {
  readonly mean: number;
  readonly p99: number;
  readonly most: number;
}

/** How many pools can serve a request of so many pages. */
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
  /** Returns of what this policy could not hand out. */
  readonly skipped: number;
  readonly searches: number;
  /** 64-bit words of the bitmap read per allocation. */
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

const spread = (values: Uint32Array): Spread => {
  const sorted = values.slice().sort();
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    mean: sorted.length > 0 ? sum / sorted.length : 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    most: sorted.at(-1) ?? 0,
  };
};

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

class PatternRun {
  readonly #table: MapTable;
  readonly #first: Float64Array;
  readonly #words: Uint32Array;
  readonly #locks: Uint32Array;
  readonly #batch: PatternStep[] = [];
  readonly #pending = new Set<number>();
  #allocations = 0;
  #failures = 0;
  #skipped = 0;
  #inUse = 0;
  #most = 0;

  constructor(
    module: WebAssembly.Module,
    private readonly pattern: Pattern,
    private readonly policy: MapPolicy,
    private readonly geometry: MapGeometry,
  ) {
    const { entries, shift, base, boundary } = geometry;
    const pools = policy.pools ?? geometry.pools;
    const setup: MapSetup = { entries, shift, base, boundary, pools, rules: policyRules(policy) };
    this.#table = new MapTable(module, setup, BATCH);
    const takes = pattern.steps.filter((step) => step.kind !== 'give').length;
    this.#first = new Float64Array(takes).fill(-1);
    this.#words = new Uint32Array(takes);
    this.#locks = new Uint32Array(takes);
  }

  run(): MapRunReport {
    for (const step of this.pattern.steps) {
      if (step.kind === 'give' && this.#pending.has(step.id)) this.#flush();
      if (step.kind === 'give' && (this.#first[step.id] ?? -1) < 0) {
        this.#skipped++;
        continue;
      }
      this.#pack(step);
      if (step.kind === 'try') this.#undo(step);
      if (this.#batch.length === BATCH) this.#flush();
    }
    this.#flush();
    return this.#report();
  }

  /** Gives back what an attempt got. */
  #undo(step: PatternStep): void {
    this.#flush();
    if ((this.#first[step.id] ?? -1) >= 0) this.#pack({ ...step, kind: 'give' });
  }

  #pack(step: PatternStep): void {
    const { ops } = this.#table;
    const at = this.#batch.length * OP.words;
    this.#batch.push(step);
    ops.fill(0, at, at + OP.words);
    ops[at + OP.pages] = step.pages;
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
      const out = i * OUTCOME.words;
      const pool = outcomes[out + OUTCOME.pool] ?? NO_POOL;
      if (step.kind === 'give') {
        this.#inUse -= step.pages;
        return;
      }
      this.#words[this.#allocations] = outcomes[out + OUTCOME.examined] ?? 0;
      this.#locks[this.#allocations++] = outcomes[out + OUTCOME.locks] ?? 0;
      if (pool === NO_POOL) this.#failures++;
      else {
        this.#first[step.id] = outcomes[out + OUTCOME.result] ?? 0;
        this.#inUse += step.pages;
        this.#most = Math.max(this.#most, this.#inUse);
      }
    });
    this.#pending.clear();
    this.#batch.length = 0;
  }

  #report(): MapRunReport {
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
      operations: this.pattern.steps.length,
      allocations: this.#allocations,
      failures: this.#failures,
      skipped: this.#skipped,
      searches: table.searches,
      words: spread(this.#words),
      locks: spread(this.#locks),
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

/** @throws {EngineError} when the policy's table cannot be */
export const runPattern = (
  module: WebAssembly.Module,
  pattern: Pattern,
  policy: MapPolicy,
  geometry: MapGeometry,
): MapRunReport => new PatternRun(module, pattern, policy, geometry).run();
