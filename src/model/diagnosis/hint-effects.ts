/** What each hint would change: the open run again with a cell of the matrix set otherwise, and what each device moves then. */

import type { CounterName } from '../../engine/gen/names';
import { COMMANDS, HINTS, hintCell, isFixed, MEMORIES } from '../coherence/read-hints';
import type { CompiledMachine, CompiledPart } from '../scenario/compile';
import type { Fix } from './rule';

/** To what a hint is set instead of what it is, as far as anything can come of it. */
const OTHERS = { relaxed: [0, 1], current: [0, 1], depth: [0, 1, 2, 3], block: [512, 4096] };

/** Relative changes below this are none. */
const FLAT = 0.0005;

export interface HintTrial extends Fix {
  /** "lba.mrm_streaming_depth" */
  readonly path: string;
  readonly value: number;
}

/** A device that moves data, and counts how much until when. */
export const movers = ({ parts }: Pick<CompiledMachine, 'parts'>): CompiledPart[] =>
  parts.filter(({ type }) =>
    ['bytes', 'last_end'].every((name) => type.counters.some((counter) => counter.name === name)),
  );

/** Every cell with each other value that it may have. */
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

/** What a device moves in a run, in MB/s. */
export function rateOf(run: Ended, { index }: CompiledPart): number {
  const end = run.counter(index, 'last_end');
  return end > 0 ? (run.counter(index, 'bytes') * 1e6) / end : 0;
}

export interface HintEffect {
  readonly part: CompiledPart;
  /** The change that is farthest from none, as a share; 0 if none is worth telling. */
  readonly change: number;
  /** The value of the hint that brings it. */
  readonly value: number;
  /** Changes for each value of the hint, from the smallest value on, the one it has included. */
  readonly along: readonly number[];
}

/** What a cell comes to for each device, once all its runs have ended. */
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
