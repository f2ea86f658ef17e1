/**
 * Replays an operation trace of the pooled allocator and compares all results: entries, pools, locks taken, flushes
 * and handles of each operation; the geometry; and at checkpoints the bitmap, flags and hints.
 */
import { EngineError } from '../../engine/api';
import { MAP_OP as OP, MAP_OP_KIND as OP_KIND, MAP_OUTCOME as OUTCOME } from '../../engine/gen/abi';
import { LARGE_POOL, type MapSetup, MapTable, NO_POOL } from '../../engine/maps';
import { mapRules } from './map-policies';
import {
  type ByteSource,
  FIELD,
  type FieldName,
  type LineKind,
  type StateLine,
  TraceError,
  TraceReader,
} from './map-trace';
import { checkInputs, hashOf, readInit, type TraceInit } from './map-trace-rules';

/** A field with a different value. */
export interface Mismatch {
  readonly line: number;
  /** Number of the operation, starting at 1; for other lines that of the preceding operation. */
  readonly operation: number;
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
  /** The line as it is in the file. */
  readonly text: string;
  /** All results for this line, in the format of a trace. */
  readonly answer: Readonly<Record<string, unknown>>;
}

export interface ReplayReport {
  readonly name: string;
  readonly about: string;
  readonly operations: number;
  readonly allocations: number;
  readonly failures: number;
  readonly checkpoints: number;
  /** Number of compared values. */
  readonly compared: number;
  readonly mismatches: number;
  readonly first_mismatch: Mismatch | null;
  /** Whether the trace has its last line. */
  readonly complete: boolean;
}

const BATCH = 4096;
const HIGH = 2 ** 32;
const NOTHING = 0xffffffff;
const ANSWERS: readonly FieldName[] = ['r', 'p', 'l', 'f', 'ho'];
const ANSWER_BITS = ANSWERS.reduce((bits, name) => bits | (1 << FIELD[name]), 0);
const BIT = Object.fromEntries(Object.entries(FIELD).map(([name, i]) => [name, 1 << i])) as Record<
  FieldName,
  number
>;

const setupOf = (init: TraceInit): MapSetup => ({
  entries: init.entries,
  shift: init.shift,
  base: init.base,
  pools: init.pools,
  boundary: init.boundary,
  rules: mapRules([
    ...(init.large ? ['large' as const] : []),
    ...(init.lazy ? ['lazy' as const] : []),
    ...(init.skipSpan ? ['skip_span' as const] : []),
  ]),
});

/** Writes the present operation of `reader` as operation `i` of the table's batch. */
function packOperation(
  ops: Uint32Array,
  i: number,
  kind: LineKind,
  reader: TraceReader,
  init: TraceInit,
): void {
  const { fields, present, wide } = reader;
  const at = i * OP.size;
  const put = (word: number, field: number, value: number) => {
    const exact = wide.size > 0 ? wide.get(field) : undefined;
    ops[at + word] = exact === undefined ? value >>> 0 : Number(exact & 0xffffffffn);
    ops[at + word + 1] = exact === undefined ? Math.floor(value / HIGH) : Number(exact >> 32n);
  };
  put(OP.pages, FIELD.n, fields[FIELD.n] ?? 0);
  if (kind === 'alloc') {
    const cpu = fields[FIELD.c] ?? 0;
    ops[at + OP.kind] = OP_KIND.alloc;
    ops[at + OP.cpu] = cpu;
    ops[at + OP.hash] = hashOf(init, cpu);
    ops[at + OP.align] = present & BIT.o ? (fields[FIELD.o] ?? 0) : 0;
    if (present & BIT.m) put(OP.mask, FIELD.m, fields[FIELD.m] ?? 0);
    else ops[at + OP.mask] = ops[at + OP.mask + 1] = NOTHING;
    ops[at + OP.hasHandle] = present & BIT.h ? 1 : 0;
    if (present & BIT.h) put(OP.handle, FIELD.h, fields[FIELD.h] ?? 0);
  } else {
    ops[at + OP.kind] = kind === 'free' ? OP_KIND.free : OP_KIND.freeAddress;
    const field = kind === 'free' ? FIELD.e : FIELD.d;
    put(OP.handle, field, fields[field] ?? 0);
  }
}

class Replay {
  readonly #reader: TraceReader;
  readonly #init: TraceInit;
  readonly #table: MapTable;
  readonly #expected = new Float64Array(BATCH * ANSWERS.length);
  readonly #present = new Uint32Array(BATCH);
  readonly #lines = new Uint32Array(BATCH);
  readonly #places = new Float64Array(BATCH);
  #waiting = 0;
  #operations = 0;
  #allocations = 0;
  #failures = 0;
  #checkpoints = 0;
  #compared = 0;
  #mismatches = 0;
  #first: Mismatch | null = null;
  #complete = false;

  constructor(module: WebAssembly.Module, source: ByteSource) {
    this.#reader = new TraceReader(source, () => this.#flush());
    this.#init = readInit(this.#reader);
    try {
      this.#table = new MapTable(module, setupOf(this.#init), BATCH, true);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new TraceError(this.#reader.line, error.message);
    }
  }

  run(): ReplayReport {
    for (;;) {
      const kind = this.#reader.next();
      if (kind === 'end-of-file') break;
      if (kind === 'state') {
        this.#flush();
        this.#compareState(this.#reader.state);
      } else {
        this.#take(kind);
      }
    }
    this.#flush();
    return {
      name: this.#init.name,
      about: this.#init.about,
      operations: this.#operations,
      allocations: this.#allocations,
      failures: this.#failures,
      checkpoints: this.#checkpoints,
      compared: this.#compared,
      mismatches: this.#mismatches,
      first_mismatch: this.#first,
      complete: this.#complete,
    };
  }

  #take(kind: LineKind): void {
    const reader = this.#reader;
    checkInputs(kind, reader);
    const i = this.#waiting++;
    packOperation(this.#table.ops, i, kind, reader, this.#init);
    this.#present[i] = reader.present;
    this.#lines[i] = reader.line;
    this.#places[i] = reader.place;
    const at = i * ANSWERS.length;
    this.#expected[at] = reader.fields[FIELD.r] ?? 0;
    this.#expected[at + 1] = reader.fields[FIELD.p] ?? 0;
    this.#expected[at + 2] = reader.fields[FIELD.l] ?? 0;
    this.#expected[at + 3] = reader.fields[FIELD.f] ?? 0;
    this.#expected[at + 4] = reader.fields[FIELD.ho] ?? 0;
    if (this.#waiting === BATCH) this.#flush();
  }

  /** Runs the pending operations and compares their results. */
  #flush(): void {
    if (this.#waiting === 0) return;
    const { ops, outcomes } = this.#table;
    this.#table.run(this.#waiting);
    for (let i = 0; i < this.#waiting; i++) {
      const out = i * OUTCOME.size;
      const alloc = ops[i * OP.size + OP.kind] === OP_KIND.alloc;
      this.#operations++;
      if (alloc) this.#allocations++;
      if (outcomes[out + OUTCOME.fatal]) throw this.#fatal(i, alloc);
      const found = (outcomes[out + OUTCOME.result + 1] ?? 0) !== NOTHING;
      if (alloc && !found) this.#failures++;
      this.#compareAnswers(i, alloc, found);
    }
    this.#waiting = 0;
  }

  #compareAnswers(i: number, alloc: boolean, found: boolean): void {
    const { outcomes } = this.#table;
    const expected = this.#expected;
    const present = this.#present[i] ?? 0;
    const [at, out] = [i * ANSWERS.length, i * OUTCOME.size];
    const pool = outcomes[out + OUTCOME.pool] ?? 0;
    const test = (bit: number, answer: number, actual: number | null) => {
      if (!(present & bit)) return;
      this.#compared++;
      const recorded = expected[at + answer];
      if (recorded !== actual) this.#note(i, ANSWERS[answer] ?? '', recorded, actual);
    };
    if (!(present & ANSWER_BITS)) return;
    if (alloc) test(BIT.r, 0, found ? wide(outcomes, out + OUTCOME.result) : -1);
    test(BIT.p, 1, alloc && !found ? null : pool === LARGE_POOL ? -1 : pool);
    if (!alloc) return;
    test(BIT.l, 2, outcomes[out + OUTCOME.locks] ?? 0);
    test(BIT.f, 3, outcomes[out + OUTCOME.flushes] ?? 0);
    if (present & BIT.h) test(BIT.ho, 4, wide(outcomes, out + OUTCOME.handle));
  }

  #fatal(i: number, alloc: boolean): TraceError {
    const why = alloc
      ? 'the segment boundary is not a power of two'
      : 'the entry freed belongs to no pool';
    return new TraceError(this.#lines[i] ?? 0, `The kernel itself would stop here: ${why}.`);
  }

  #note(i: number, field: string, expected: unknown, actual: unknown): void {
    this.#mismatches++;
    const line = this.#lines[i] ?? 0;
    this.#first ??= {
      line,
      operation: this.#operations,
      field,
      expected,
      actual,
      text: this.#reader.textAt(this.#places[i] ?? 0),
      answer: this.#answer(i),
    };
  }

  #answer(i: number): Mismatch['answer'] {
    const { ops, outcomes } = this.#table;
    const out = i * OUTCOME.size;
    const number = outcomes[out + OUTCOME.pool] ?? NO_POOL;
    const pool = number === LARGE_POOL ? -1 : number === NO_POOL ? null : number;
    if (ops[i * OP.size + OP.kind] !== OP_KIND.alloc) return { p: pool };
    const first = pool === null ? -1 : wide(outcomes, out + OUTCOME.result);
    const [l, f] = [outcomes[out + OUTCOME.locks], outcomes[out + OUTCOME.flushes]];
    const given = ((this.#present[i] ?? 0) & BIT.h) !== 0;
    return { r: first, p: pool, l, f, ...(given && { ho: wide(outcomes, out + OUTCOME.handle) }) };
  }

  #compareState(line: StateLine): void {
    const ours: Record<string, unknown> = {};
    const note = (field: string, expected: unknown, actual: unknown) => {
      this.#compared++;
      if (same(expected, actual)) return;
      this.#mismatches++;
      const { line: number, text } = this.#reader;
      const operation = this.#operations;
      this.#first ??= { line: number, operation, field, expected, actual, text, answer: ours };
    };
    const known = STATES[String(line.t)] ?? [];
    if (line.t === 's') this.#checkpoints++;
    if (line.t === 'end') this.#complete = true;
    const actual = { ...stateOf(this.#table), ops: this.#operations, fails: this.#failures };
    for (const field of known) ours[field] = actual[field as keyof typeof actual];
    for (const field of known) if (line[field] !== undefined) note(field, line[field], ours[field]);
  }
}

const CHECKPOINT = ['pop', 'crc', 'fl', 'nf', 'hints', 'lh'];
const STATES: Readonly<Record<string, readonly string[]>> = {
  layout: ['nr_pools', 'poolsize', 'pools', 'large'],
  s: CHECKPOINT,
  end: ['ops', 'fails', ...CHECKPOINT, 'acq', 'lacq'],
};

const wide = (words: Uint32Array, at: number) => (words[at] ?? 0) + (words[at + 1] ?? 0) * HIGH;

function same(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((one, i) => same(one, b[i]));
}

/** The state of a table in the format of a trace. */
function stateOf(table: MapTable) {
  const pools = Array.from({ length: table.pools }, (_, i) => table.pool(i));
  const large = table.pool(LARGE_POOL);
  const has = large.end > 0;
  const { population, crc } = table.sum();
  return {
    nr_pools: table.pools,
    poolsize: table.poolSize,
    pools: pools.map(({ start, end }) => [start, end]),
    large: has ? [large.start, large.end] : null,
    pop: population,
    crc,
    fl: table.flushes,
    nf: table.needsFlush ? 1 : 0,
    hints: pools.map(({ hint }) => hint),
    lh: has ? large.hint : null,
    acq: pools.map(({ acquisitions }) => acquisitions),
    lacq: has ? large.acquisitions : null,
  };
}

/**
 * Replays a trace.
 * @throws {TraceError} for a file that is not such a trace, or a table that cannot be created
 */
export const replayMaps = (module: WebAssembly.Module, source: ByteSource): ReplayReport =>
  new Replay(module, source).run();
