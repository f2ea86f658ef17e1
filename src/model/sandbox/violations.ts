/**
 * Lies of a run in the sandbox: somebody got old data, a write is lost, a device reached what is no longer
 * its own. Each is an event of the run; who is to blame is told by the rules of diagnosis.
 */
import type { EventName } from '../../engine/gen/names';
import { diagnose } from '../diagnosis/diagnose';
import type { Voice } from '../diagnosis/rule';
import {
  ADDRESS,
  SANDBOX_LINES,
  type SandboxLine,
  type SandboxRules,
  type SandboxStep,
  STEP_PS,
} from './sandbox';
import { type SandboxRun, type SandboxStepResult, type StepEvent, valueFrom } from './sandbox-run';

const LIES = ['device_old', 'load_old', 'purged', 'overwritten', 'unmapped'] as const;
export type ViolationKind = (typeof LIES)[number];

export interface Violation {
  readonly kind: ViolationKind;
  readonly step: number;
  /** The event that tells of it. */
  readonly seq: number;
  readonly line: SandboxLine;
  /** The value that came, or that took the place; and the one that should have. */
  readonly got: number;
  readonly newest: number;
}

export const cpuName = (index: number): string => `CPU ${index}`;

/** What an event of a part of this type means, if it is a lie. */
const KINDS: Readonly<Partial<Record<EventName, ViolationKind>>> = {
  'io_adapter.stale': 'device_old',
  'io_adapter.torn': 'device_old',
  'snoop_cache.stale': 'load_old',
  'snoop_cache.discarded': 'purged',
  'memory_controller.lost': 'overwritten',
  'io_adapter.gone': 'unmapped',
  'io_adapter.astray': 'unmapped',
};

const lineAt = (address: number): SandboxLine | undefined =>
  SANDBOX_LINES.find((line) => address >= ADDRESS[line] && address < ADDRESS[line] + 32);

function lieOf(
  run: SandboxRun,
  event: StepEvent,
  step: number,
  poke: SandboxStep,
): Violation | null {
  const type = run.machine.parts[event.part]?.type.name;
  const kind = KINDS[`${type}.${event.name}` as EventName];
  // A driver that purges for a write of the disk has given up what was there.
  if (!kind || (kind === 'purged' && poke.who === 'driver')) return null;
  const [got = 0, newest = got] = event.writes;
  return { kind, step, seq: event.seq, line: lineAt(event.address) ?? poke.line, got, newest };
}

/** The lies of a step, one of each kind. */
export function violationsOf(
  run: SandboxRun,
  pokes: readonly SandboxStep[],
  step: number,
): readonly Violation[] {
  const poke = pokes[step - 1];
  if (!poke) return [];
  const all = (run.steps[step]?.events ?? []).flatMap(
    (event) => lieOf(run, event, step, poke) ?? [],
  );
  return all.filter((lie, i) => all.findIndex(({ kind }) => kind === lie.kind) === i);
}

export const allViolations = (
  run: SandboxRun,
  pokes: readonly SandboxStep[],
): readonly Violation[] => pokes.flatMap((_, i) => violationsOf(run, pokes, i + 1));

/** A run of the sandbox is spoken of by its steps: they take the place of times and of numbers of writes. */
const inSteps = (run: SandboxRun): Voice => {
  const stepAt = (timePs: number) => Math.floor(timePs / STEP_PS);
  return {
    at: (timePs) => `in step ${stepAt(timePs)}`,
    since: (timePs) => `since step ${stepAt(timePs)}`,
    write: (write) => `the ${valueFrom(run.madeBy(write))}`,
  };
};

/** Who is to blame for a violation: by the rules that explain events of any run. */
export const whyOf = (run: SandboxRun, { seq }: Violation): string =>
  diagnose({ machine: run.machine, voice: inSteps(run) }, run.trace, seq)?.sentences.join(' ') ??
  '';

/** What has happened, in a few words. */
export const VIOLATION_TITLES: Readonly<Record<ViolationKind, string>> = {
  device_old: 'A device read something old. No processor noticed, and nothing stopped.',
  load_old: 'A processor read something old, out of a cache that believes itself.',
  purged: 'A write is lost for good. Nobody will ever read it.',
  overwritten: 'Newer data was overwritten by older data.',
  unmapped: 'A device used memory that had been taken away from it.',
};

/** Another way through the same steps, in which the lie does not come about. */
export interface SandboxFix {
  readonly title: string;
  readonly whose: string;
  readonly userSteps: readonly SandboxStep[];
  readonly rules: SandboxRules;
}

export function sandboxFixes(
  userSteps: readonly SandboxStep[],
  rules: SandboxRules,
  lie: Violation,
): readonly SandboxFix[] {
  const { kind, line, step, newest } = lie;
  const put = (at: number, poke: SandboxStep) => [
    ...userSteps.slice(0, at),
    poke,
    ...userSteps.slice(at),
  ];
  const snoop: SandboxFix = {
    title: 'Let the adapter snoop',
    whose: 'the hardware’s way',
    userSteps,
    rules: { ...rules, adapter: 'snooped' },
  };
  const driver = (title: string, at: number, does: SandboxStep['does']): SandboxFix => ({
    title,
    whose: 'the driver’s way',
    userSteps: put(at, { who: 'driver', does, line }),
    rules,
  });
  switch (kind) {
    case 'device_old':
      return [driver(`dma_sync: flush ${line} before the disk reads`, step - 1, 'sync_out'), snoop];
    case 'load_old':
      return [
        driver(`dma_sync: purge ${line} after the disk has written`, step - 1, 'sync_in'),
        snoop,
      ];
    case 'overwritten':
      return [
        driver(`dma_sync: purge ${line} before the disk writes`, newest - 1, 'sync_in'),
        snoop,
      ];
    case 'purged':
      return [
        {
          title: `Flush ${line} in place of the purge`,
          whose: 'the driver’s way',
          userSteps: userSteps.map((poke, i) =>
            i === step - 1 ? { ...poke, does: 'flush' } : poke,
          ),
          rules,
        },
      ];
    case 'unmapped':
      return [
        {
          title: 'Purge the I/O TLB at unmap',
          whose: 'the driver’s way',
          userSteps,
          rules: { ...rules, forgets: false },
        },
      ];
  }
}

export interface Challenge {
  readonly title: string;
  readonly kinds: readonly ViolationKind[];
  /** With these rules in force. */
  readonly when: (rules: SandboxRules) => boolean;
  /** The fewest steps that are known to do. */
  readonly fewest: number;
}

const any = () => true;

export const CHALLENGES: readonly Challenge[] = [
  { title: 'Make the disk read old data', kinds: ['device_old'], when: any, fewest: 2 },
  { title: 'Make a processor read old data', kinds: ['load_old'], when: any, fewest: 3 },
  { title: 'Lose what the disk has written', kinds: ['overwritten'], when: any, fewest: 3 },
  {
    title: 'Lose a write while the adapter snoops',
    kinds: ['purged'],
    when: ({ adapter }) => adapter !== 'none',
    fewest: 2,
  },
  { title: 'Reach a page that is unmapped', kinds: ['unmapped'], when: any, fewest: 4 },
];

/** The first lie that does what a dare asks for; null if none does. */
export const dared = (
  dare: Challenge,
  lies: readonly Violation[],
  rules: SandboxRules,
): Violation | null =>
  (dare.when(rules) && lies.find(({ kind }) => dare.kinds.includes(kind))) || null;

/** What must hold, and how the run tells that it does not: by the watcher, or by the event itself. */
export const INVARIANTS: readonly {
  readonly name: string;
  readonly title: string;
  readonly lies: readonly ViolationKind[];
}[] = [
  { name: 'one_writer', title: 'one writer or many readers', lies: [] },
  { name: 'no_lost_data', title: 'no data is lost', lies: ['purged', 'overwritten'] },
  { name: 'no_stale_copy', title: 'no valid copy is stale', lies: [] },
  { name: 'current_load', title: 'each load gets the newest write', lies: ['load_old'] },
  { name: 'current_device', title: 'each device read gets the newest write', lies: ['device_old'] },
  { name: 'exact_dma', title: 'a device writes exactly its bytes', lies: [] },
  { name: 'live_translation', title: 'no translation outlives its page', lies: ['unmapped'] },
];

export const isViolated = (
  { name, lies: kinds }: (typeof INVARIANTS)[number],
  step: SandboxStepResult | undefined,
  lies: readonly Violation[],
): boolean =>
  (step?.broken.includes(name) ?? false) || lies.some(({ kind }) => kinds.includes(kind));
