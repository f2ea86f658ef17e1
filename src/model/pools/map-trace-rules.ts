/** Validates the lines of an operation trace: the parameters of the table, and the inputs of operations. */
import { MAX_ENTRIES, MAX_POOLS } from '../../engine/maps';
import {
  FIELD,
  type FieldName,
  type LineKind,
  type StateLine,
  TraceError,
  type TraceReader,
} from './map-trace';

/** The parameters of the table, from the trace's first line. */
export interface TraceInit {
  readonly name: string;
  readonly about: string;
  readonly entries: number;
  readonly shift: number;
  readonly base: bigint;
  readonly pools: number;
  readonly large: boolean;
  readonly lazy: boolean;
  readonly skipSpan: boolean;
  /** Segment boundary mask of the device in bytes. */
  readonly boundary: bigint;
  /** 4-bit hash of each CPU, if the trace has them. */
  readonly hashes: readonly number[];
  readonly multiplier: number;
}

const ALL_ONES_64 = (1n << 64n) - 1n;
const ALL_ONES_32 = 0xffffffff;
const DEFAULT_MULTIPLIER = 0x9e370001;

/** Parses a multiplier in the form of the kernel source, or as a number. */
function multiplierOf(written: unknown): number | null {
  if (written === undefined || written === null) return DEFAULT_MULTIPLIER;
  const value = /^(0x[0-9a-f]{1,8}|\d{1,10})$/i.test(String(written)) ? Number(written) : -1;
  return value >= 0 && value <= ALL_ONES_32 ? value : null;
}

/**
 * Reads the first line of a trace.
 * @throws {TraceError}
 */
export function readInit(reader: TraceReader): TraceInit {
  if (reader.next() !== 'state' || reader.state.t !== 'init')
    throw new TraceError(
      Math.max(1, reader.line),
      'A trace begins with a line of the kind "init".',
    );
  return initOf(reader.state, (sentence) => new TraceError(reader.line, sentence));
}

function initOf(line: StateLine, refuse: (sentence: string) => TraceError): TraceInit {
  const whole = (key: string, [least, most]: readonly [number, number], usual?: number): number => {
    const value = line[key] ?? usual;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
      return value;
    throw refuse(`"${key}" should be a whole number from ${least} to ${most}.`);
  };
  const text = (key: string): string => {
    const value = line[key] ?? '';
    if (typeof value === 'string') return value;
    throw refuse(`"${key}" should be a string.`);
  };
  const hashes = line.cpu_hash ?? [];
  if (
    !Array.isArray(hashes) ||
    !hashes.every((one) => Number.isInteger(one) && one >= 0 && one < 16)
  )
    throw refuse('"cpu_hash" should be a list of numbers from 0 to 15.');
  const multiplier = multiplierOf(line.hash_mult);
  if (multiplier === null)
    throw refuse(
      '"hash_mult" should fit in 32 bits, as a number or as a string such as "0x9e370001".',
    );
  const flag = [0, 1] as const;
  return {
    name: text('name'),
    about: text('desc'),
    entries: whole('num_entries', [1, MAX_ENTRIES]),
    shift: whole('table_shift', [3, 40]),
    base: BigInt(whole('table_map_base', [0, Number.MAX_SAFE_INTEGER], 0)),
    pools: whole('npools', [0, MAX_POOLS], 0),
    large: whole('large_pool', flag, 0) !== 0,
    lazy: whole('lazy_flush', flag, 0) !== 0,
    skipSpan: whole('skip_span', flag, 0) !== 0,
    boundary: boundaryOf(whole('seg_boundary', [0, 2 ** 64], ALL_ONES_32)),
    hashes: hashes as number[],
    multiplier,
  };
}

/** A mask of 64 ones is rounded to 2^64 as a double. */
const boundaryOf = (mask: number): bigint => {
  const whole = BigInt(mask);
  return whole > ALL_ONES_64 ? ALL_ONES_64 : whole;
};

/** The 4-bit hash of a CPU: from the trace, or the top bits of its number times the multiplier. */
export const hashOf = (init: TraceInit, cpu: number): number =>
  init.hashes[cpu] ?? Math.imul(cpu, init.multiplier) >>> 28;

const bits = (...names: readonly FieldName[]) =>
  names.reduce((all, name) => all | (1 << FIELD[name]), 0);
const NEEDED: Readonly<Partial<Record<LineKind, number>>> = {
  alloc: bits('c', 'n'),
  free: bits('e', 'n'),
  freeAddress: bits('d', 'n'),
};

interface InputRule {
  readonly name: FieldName;
  readonly what: string;
  readonly most: number;
}

/** Inputs of operations, in the order of FIELD. */
const INPUTS: readonly InputRule[] = [
  { name: 'c', what: 'the CPU', most: ALL_ONES_32 },
  { name: 'n', what: 'how many pages', most: 2 ** 64 },
  { name: 'o', what: 'the alignment as a power of two', most: 40 },
  { name: 'm', what: 'the mask', most: 2 ** 64 },
  { name: 'h', what: 'the handle', most: 2 ** 64 },
  { name: 'e', what: 'the entry', most: 2 ** 64 },
  { name: 'd', what: 'the address', most: 2 ** 64 },
];

/** @throws {TraceError} for an operation with a missing or invalid input */
export function checkInputs(kind: LineKind, reader: TraceReader): void {
  const { present, fields } = reader;
  const missing = (NEEDED[kind] ?? 0) & ~present;
  for (let i = 0; i < INPUTS.length; i++) {
    const rule = INPUTS[i] as InputRule;
    if ((missing >> i) & 1) throw new TraceError(reader.line, `"${rule.name}" is missing.`);
    if (!((present >> i) & 1)) continue;
    const value = fields[i] ?? 0;
    if (value >= 0 && value <= rule.most) continue;
    const most = rule.most > ALL_ONES_32 ? ALL_ONES_64 : rule.most;
    throw new TraceError(
      reader.line,
      `"${rule.name}", ${rule.what}, is a number from 0 to ${most}.`,
    );
  }
}

/** The error for an allocation outside the table. */
export const beyondTable = (line: number, { entries }: TraceInit): TraceError =>
  new TraceError(
    line,
    `Allocations must be in the table: the sum of "r" and "n" is at most ${entries}, its "num_entries".`,
  );
