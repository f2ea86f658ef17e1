/**
 * The effect of each prefetch hint: reruns the open run with one cell of the matrix changed and compares the
 * devices' data rates.
 */

import type { CounterName } from '../../engine/gen/names';
import { COMMANDS, HINTS, hintCell, isFixed, MEMORIES } from '../coherence/read-hints';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import type { Fix } from './fixes';

/** Alternative values of each hint that can have an effect. */
const OTHERS = { relaxed: [0, 1], current: [0, 1], depth: [0, 1, 2, 3], block: [512, 4096] };

/** Relative changes below this are ignored: published throughputs have three digits. */
const FLAT = 0.005;

export interface HintTrial extends Fix {
  /** "lba.mrm_streaming_depth" */
  readonly path: string;
  readonly value: number;
}

/** Devices that move data and count the bytes and the time. */
export const movers = ({ parts }: Pick<CompiledMachine, 'parts'>): CompiledPart[] =>
  parts.filter(({ type }) =>
    ['bytes', 'last_end'].every((name) => type.counters.some((counter) => counter.name === name)),
  );

/** Every cell with each alternative value. */
export const hintTrials = (
  machine: Pick<CompiledMachine, 'parts' | 'wires'>,
  part: Pick<CompiledPart, 'name' | 'params'>,
): HintTrial[] =>
  MEMORIES.flatMap((memory) =>
    COMMANDS.flatMap((command) =>
      HINTS.flatMap((hint) => {
        const cell = hintCell(part, command, memory, hint);
        if (!cell || isFixed(machine, cell)) return [];
        const { path, param } = cell;
        return OTHERS[hint]
          .filter((value) => BigInt(value) !== param.value)
          .map((value) => ({
            title: param.spec.title,
            path,
            value,
            edits: { [path]: param.spec.type === 'flag' ? value === 1 : value },
          }));
      }),
    ),
  );

interface Ended {
  counter(part: number, name: CounterName): number;
}

/** Data rate of a device in a run, in MB/s. */
export function rateOf(run: Ended, { index }: CompiledPart): number {
  const end = run.counter(index, 'last_end');
  return end > 0 ? (run.counter(index, 'bytes') * 1e6) / end : 0;
}

export interface HintEffect {
  readonly part: CompiledPart;
  /** The largest relative change, with its sign; 0 if it is negligible. */
  readonly change: number;
  /** The value of the hint that causes it. */
  readonly value: number;
  /** Changes for each value of the hint in increasing order, including the present one. */
  readonly along: readonly number[];
}

/** The effects of a cell on each device, once all its runs have finished. */
export function hintEffects(
  path: string,
  now: number,
  trials: readonly HintTrial[],
  runs: readonly (Ended | null | undefined)[],
  devices: readonly CompiledPart[],
): HintEffect[] | null {
  const [base, ...others] = runs;
  const own = trials.flatMap((trial, i) =>
    trial.path === path ? [{ ...trial, run: others[i] }] : [],
  );
  if (!base || own.length === 0 || own.some(({ run }) => !run)) return null;
  return devices.map((part) => {
    const before = rateOf(base, part);
    const changes = own.map(({ value, run }) => ({
      value,
      change: before > 0 && run ? rateOf(run, part) / before - 1 : 0,
    }));
    const most = changes.reduce((a, b) => (Math.abs(b.change) > Math.abs(a.change) ? b : a));
    const along = [...changes, { value: now, change: 0 }].sort((a, b) => a.value - b.value);
    const change = Math.abs(most.change) < FLAT ? 0 : most.change;
    return { part, change, value: most.value, along: along.map((one) => one.change) };
  });
}
