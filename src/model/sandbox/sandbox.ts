/**
 * The steps of the sandbox, and the programs that execute them. Only the programs are stored in the session; the steps
 * are derived from them.
 *
 *     step n      1        2        3
 *     CPU 0   ----write----.-----command the disk----
 *     CPU 1   .............read......................      each step at n times 10 us
 */

import { RUNWAY_LINE } from '../../engine/gen/constants';
import type { Assignment, Programs } from '../scenario/scenario-types';

export const SANDBOX_LINES = ['A', 'B'] as const;
export type SandboxLine = (typeof SANDBOX_LINES)[number];

/** Each line is on its own page, so that it can be mapped separately. */
export const ADDRESS: Readonly<Record<SandboxLine, number>> = { A: 0x100400, B: 0x101420 };

export const SANDBOX_ACTIONS = {
  cpu0: ['read', 'write', 'flush', 'purge'],
  cpu1: ['read', 'write', 'flush', 'purge'],
  driver: ['map', 'unmap', 'sync_out', 'sync_in'],
  disk: ['read', 'write'],
} as const;
export type SandboxAgent = keyof typeof SANDBOX_ACTIONS;
type SandboxAction = (typeof SANDBOX_ACTIONS)[SandboxAgent][number];

export interface SandboxStep {
  readonly who: SandboxAgent;
  readonly does: SandboxAction;
  readonly line: SandboxLine;
}

/** Enough to find any violation, and few enough to be shown side by side. */
export const MAX_SANDBOX_STEPS = 24;

/** Longer than everything that a step starts. */
export const STEP_PS = 10_000_000;
const REGISTERS = 0xf1000000;
const COMMANDS = { read: 1, write: 2 } as const;
const SYNC = { sync_out: 1, sync_in: 2 } as const;

const hex = (value: number) => `0x${value.toString(16)}`;
const atStep = (step: number) => `${(step * STEP_PS) / 1e6} us`;
const tagOf = (line: SandboxLine) => SANDBOX_LINES.indexOf(line);

/**
 * The driver commands the disk with the bus address of a mapping, or with the memory address before the first
 * mapping.
 */
function tellDisk(does: 'read' | 'write', line: SandboxLine, mapped: boolean): Assignment[] {
  const count = COMMANDS[does];
  if (mapped)
    return [{ do: 'start_dma', to: hex(REGISTERS), bytes: RUNWAY_LINE, tag: tagOf(line), count }];
  return [ADDRESS[line], RUNWAY_LINE, count].map((value, i) => ({
    do: 'io_store',
    to: hex(REGISTERS + 4 * i),
    count: i === 0 ? hex(value) : value,
  }));
}

function rowsOf({ who, does, line }: SandboxStep, mapped: boolean): Assignment[] {
  const from = hex(ADDRESS[line]);
  const bytes = RUNWAY_LINE;
  switch (does) {
    case 'read':
    case 'write':
      if (who === 'disk') return tellDisk(does, line, mapped);
      return does === 'read'
        ? [{ do: 'load', from, bytes, width: bytes }]
        : [{ do: 'store', to: from, bytes, width: bytes }];
    case 'flush':
    case 'purge':
      return [{ do: does, from, bytes }];
    case 'map':
      return [{ do: 'map', from, bytes, tag: tagOf(line) }];
    case 'unmap':
      return [{ do: 'unmap', tag: tagOf(line) }];
    default:
      return [{ do: 'dma_sync', from, bytes, count: SYNC[does] }];
  }
}

/** The program of a step; the driver and its disk commands run on CPU 0. */
const programOf = ({ who }: SandboxStep): 'cpu0' | 'cpu1' => (who === 'cpu1' ? 'cpu1' : 'cpu0');

/** Whether the line was mapped before this step. */
const isMapped = (sandboxSteps: readonly SandboxStep[], step: number): boolean =>
  sandboxSteps
    .slice(0, step)
    .some(({ does, line }) => does === 'map' && line === sandboxSteps[step]?.line);

/** The programs of the steps; undefined for no steps. */
export function programsOf(sandboxSteps: readonly SandboxStep[]): Programs | undefined {
  if (sandboxSteps.length === 0) return undefined;
  const wait = [{ do: 'until', time: atStep(1) }];
  const rows = (name: 'cpu0' | 'cpu1') =>
    sandboxSteps.flatMap((sandboxStep, step) =>
      programOf(sandboxStep) === name
        ? [
            { do: 'until', time: atStep(step + 1) },
            ...rowsOf(sandboxStep, isMapped(sandboxSteps, step)),
          ]
        : [],
    );
  const or = (found: Assignment[]) => (found.length > 0 ? found : wait);
  return { cpu0: or(rows('cpu0')), cpu1: or(rows('cpu1')) };
}

const ALL: readonly SandboxStep[] = Object.entries(SANDBOX_ACTIONS).flatMap(([who, actions]) =>
  actions.flatMap((does) =>
    SANDBOX_LINES.map((line): SandboxStep => ({ who: who as SandboxAgent, does, line })),
  ),
);

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The step of rows with equal time; null if they do not form one. */
function sandboxOf(
  program: string,
  rows: readonly Assignment[],
  before: readonly SandboxStep[],
): SandboxStep | null {
  const found = ALL.find(
    (sandboxStep) =>
      programOf(sandboxStep) === program &&
      isSame(rowsOf(sandboxStep, isMapped([...before, sandboxStep], before.length)), rows),
  );
  return found ?? null;
}

/** Rows of a program, by start time. */
function moments(program: string, rows: readonly Assignment[]) {
  const found: { readonly program: string; readonly time: string; rows: Assignment[] }[] = [];
  for (const row of rows)
    if (row.do === 'until') found.push({ program, time: String(row.time), rows: [] });
    else found.at(-1)?.rows.push(row);
  return found.filter((moment) => moment.rows.length > 0);
}

/** The steps of a session's programs; null if the programs were not made by the sandbox. */
export function stepsOfPrograms(programs: Programs | undefined): readonly SandboxStep[] | null {
  if (!programs) return [];
  const all = Object.entries(programs)
    .flatMap(([name, rows]) => moments(name, rows))
    .sort((a, b) => Number.parseFloat(a.time) - Number.parseFloat(b.time));
  const sandboxSteps: SandboxStep[] = [];
  for (const { program, rows } of all) {
    const sandboxStep = sandboxOf(program, rows, sandboxSteps);
    if (!sandboxStep) return null;
    sandboxSteps.push(sandboxStep);
  }
  return sandboxSteps.length <= MAX_SANDBOX_STEPS && isSame(programsOf(sandboxSteps), programs)
    ? sandboxSteps
    : null;
}

const ADAPTERS = ['none', 'snooped', 'coherent'] as const;
type Adapter = (typeof ADAPTERS)[number];

/** Settings besides the steps. */
export interface SandboxRules {
  /** none: neither translates nor snoops; snooped: snoops; coherent: both. */
  readonly adapter: Adapter;
  /** The driver forgets to purge the adapter's translation at unmap. */
  readonly forgets: boolean;
}

export const DEFAULT_SANDBOX_RULES: SandboxRules = { adapter: 'none', forgets: false };

/** Parameters of the rules; those with the scenario's values are left out. */
export const editsOf = ({ adapter, forgets }: SandboxRules): Assignment => ({
  ...(adapter === 'none' ? {} : { 'adapter.mode': adapter }),
  ...(adapter === 'coherent' ? { 'services.mode': 'coherent' } : {}),
  ...(forgets ? { 'services.fault': 'tlb_not_purged' } : {}),
});

export function rulesOf(edits: Assignment): SandboxRules {
  const adapter = ADAPTERS.find((mode) => mode === edits['adapter.mode']) ?? 'none';
  return { adapter, forgets: edits['services.fault'] === 'tlb_not_purged' };
}
