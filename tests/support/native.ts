/** The engine as a native program (build/busyard-native), for parity tests. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** BUSYARD_NATIVE names another. */
const PROGRAM =
  process.env.BUSYARD_NATIVE ??
  fileURLToPath(new URL('../../build/busyard-native', import.meta.url));

export interface NativeOptions {
  readonly untilPs?: number;
  readonly untilEvents?: number;
  /** Events between two returns to the host. */
  readonly slice?: number;
  readonly trace?: boolean;
  /** Runs, of which the fastest counts. */
  readonly repeat?: number;
  /** Another build of it. */
  readonly program?: string;
}

/** Its output: the end of the run, or why the session was refused. */
export interface NativeResult {
  readonly hash: string;
  readonly events: number;
  readonly time_ps: number;
  readonly seq: number;
  readonly reason: number;
  readonly wall_ms: number;
  readonly error?: number;
  readonly part?: number;
  readonly detail?: number;
}

function flags({ untilPs, untilEvents, slice, trace = true, repeat }: NativeOptions): string[] {
  const values = { until: untilPs, events: untilEvents, slice, repeat };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return [
    ...given.flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...(trace ? [] : ['--no-trace']),
  ];
}

/** Its output for an exploration: numbers as in wasm/include/explore.h. */
export interface NativeExplored {
  readonly end: number;
  readonly invariant: number;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly steps: number;
}

/** For each part, its most messages under way and its declared number. */
export const heldNative = (config: Uint8Array, options: NativeOptions) =>
  start<{ readonly holds: readonly (readonly [most: number, declared: number])[] }>(config, [
    '--holds',
    ...flags(options),
  ]);

/** Runs a compiled session natively. */
export const runNative = (config: Uint8Array, options: NativeOptions = {}) =>
  start<NativeResult>(config, flags(options), options.program);

/** Explores a machine natively, in 256 MiB. */
export const exploreNative = (config: Uint8Array) =>
  start<NativeExplored>(config, ['--explore', '256']);

/** A cache's state of a line, as numbers; see print_state in wasm/host/native.c. */
export type NativeCache = readonly number[];

export interface NativeStates extends NativeExplored {
  /** Each state: newest halves in memory, then each cache. */
  readonly found: readonly (readonly [number, ...NativeCache[]])[];
}

/** Explores a machine; returns the state of its first line in each state. */
export const statesNative = (config: Uint8Array) => start<NativeStates>(config, ['--states', '64']);

async function start<T>(
  config: Uint8Array,
  options: readonly string[],
  program = PROGRAM,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'busyard-'));
  const file = join(folder, 'session.bin');
  try {
    await writeFile(file, config);
    const output = await new Promise<string>((resolve, reject) =>
      // A refusal is printed too, with exit code 2.
      execFile(program, [file, ...options], { maxBuffer: 1 << 24 }, (error, stdout) =>
        stdout ? resolve(stdout) : reject(error ?? new Error('The native host printed nothing.')),
      ),
    );
    return JSON.parse(output) as T;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
