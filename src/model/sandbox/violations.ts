/**
 * Violations in a sandbox run: an access got stale data, a write is lost, or a device accessed memory that it no
 * longer owns. Each is an event of the run and is explained by the diagnosis rules.
 */
import type { EventName } from '../../engine/gen/names';
import { diagnose } from '../diagnosis/diagnose';
import type { Wording } from '../diagnosis/rule';
import {
  ADDRESS,
  SANDBOX_LINES,
  type SandboxLine,
  type SandboxRules,
  type SandboxStep,
  STEP_PS,
} from './sandbox';
import { type SandboxRun, type SandboxStepResult, type StepEvent, valueFrom } from './sandbox-run';

const VIOLATION_KINDS = ['device_old', 'load_old', 'purged', 'overwritten', 'unmapped'] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

export interface Violation {
  readonly kind: ViolationKind;
  readonly step: number;
  /** The event that reports it. */
  readonly seq: number;
  readonly line: SandboxLine;
  /** The value that was read or written, and the correct one. */
  readonly got: number;
  readonly newest: number;
}

export const cpuName = (index: number): string => `CPU ${index}`;

/** The kind of violation that an event reports. */
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

function violationOf(
  run: SandboxRun,
  event: StepEvent,
  step: number,
  sandboxStep: SandboxStep,
): Violation | null {
  const type = run.machine.parts[event.part]?.type.name;
  const kind = KINDS[`${type}.${event.name}` as EventName];
  // A driver that purges before a write of the disk discards the old data intentionally.
  if (!kind || (kind === 'purged' && sandboxStep.who === 'driver')) return null;
  const [got = 0, newest = got] = event.writes;
  return {
    kind,
    step,
    seq: event.seq,
    line: lineAt(event.address) ?? sandboxStep.line,
    got,
    newest,
  };
}

/** The violations of a step, one of each kind. */
export function violationsOf(
  run: SandboxRun,
  sandboxSteps: readonly SandboxStep[],
  step: number,
): readonly Violation[] {
  const sandboxStep = sandboxSteps[step - 1];
  if (!sandboxStep) return [];
  const all = (run.steps[step]?.events ?? []).flatMap(
    (event) => violationOf(run, event, step, sandboxStep) ?? [],
  );
  return all.filter((violation, i) => all.findIndex(({ kind }) => kind === violation.kind) === i);
}

export const allViolations = (
  run: SandboxRun,
  sandboxSteps: readonly SandboxStep[],
): readonly Violation[] => sandboxSteps.flatMap((_, i) => violationsOf(run, sandboxSteps, i + 1));

/** Formats times and writes as the steps of a sandbox run. */
const inSteps = (run: SandboxRun): Wording => {
  const stepAt = (timePs: number) => Math.floor(timePs / STEP_PS);
  return {
    at: (timePs) => `in step ${stepAt(timePs)}`,
    since: (timePs) => `since step ${stepAt(timePs)}`,
    write: (write) => `the ${valueFrom(run.madeBy(write))}`,
  };
};

/** The explanation of a violation, by the general diagnosis rules. */
export const whyOf = (run: SandboxRun, { seq }: Violation): string =>
  diagnose({ machine: run.machine, wording: inSteps(run) }, run.trace, seq)?.sentences.join(' ') ??
  '';

/** Titles of violations. */
export const VIOLATION_TITLES: Readonly<Record<ViolationKind, string>> = {
  device_old: 'A device read stale data. No processor noticed, and nothing stopped.',
  load_old: 'A processor read stale data from a cache that trusted its own copy.',
  purged: 'A write is lost for good: no part holds it any more.',
  overwritten: 'Newer data was overwritten by older data.',
  unmapped: 'A device used memory that had been taken away from it.',
};

/** The same steps with one change that prevents the violation. */
export interface SandboxFix {
  readonly title: string;
  readonly whose: string;
  readonly userSteps: readonly SandboxStep[];
  readonly rules: SandboxRules;
}

export function sandboxFixes(
  userSteps: readonly SandboxStep[],
  rules: SandboxRules,
  violation: Violation,
): readonly SandboxFix[] {
  const { kind, line, step, newest } = violation;
  const put = (at: number, sandboxStep: SandboxStep) => [
    ...userSteps.slice(0, at),
    sandboxStep,
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
          userSteps: userSteps.map((sandboxStep, i) =>
            i === step - 1 ? { ...sandboxStep, does: 'flush' } : sandboxStep,
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
  /** Rules under which the challenge is available. */
  readonly when: (rules: SandboxRules) => boolean;
  /** The smallest known number of steps. */
  readonly fewest: number;
}

const any = () => true;

export const CHALLENGES: readonly Challenge[] = [
  { title: 'Make the disk read stale data', kinds: ['device_old'], when: any, fewest: 2 },
  { title: 'Make a processor read stale data', kinds: ['load_old'], when: any, fewest: 3 },
  { title: 'Lose what the disk has written', kinds: ['overwritten'], when: any, fewest: 3 },
  {
    title: 'Lose a write while the adapter snoops',
    kinds: ['purged'],
    when: ({ adapter }) => adapter !== 'none',
    fewest: 2,
  },
  { title: 'Reach a page that is unmapped', kinds: ['unmapped'], when: any, fewest: 4 },
];

/** The first violation that meets a challenge; null if none does. */
export const violationMeeting = (
  challenge: Challenge,
  violations: readonly Violation[],
  rules: SandboxRules,
): Violation | null =>
  (challenge.when(rules) && violations.find(({ kind }) => challenge.kinds.includes(kind))) || null;

/** Invariants, and how the run reports violations: by the monitor, or by the event itself. */
export const INVARIANTS: readonly {
  readonly name: string;
  readonly title: string;
  readonly violations: readonly ViolationKind[];
}[] = [
  { name: 'one_writer', title: 'one writer or many readers', violations: [] },
  { name: 'no_lost_data', title: 'no data is lost', violations: ['purged', 'overwritten'] },
  { name: 'no_stale_copy', title: 'no valid copy is stale', violations: [] },
  { name: 'current_load', title: 'each load gets the newest write', violations: ['load_old'] },
  {
    name: 'current_device',
    title: 'each device read gets the newest write',
    violations: ['device_old'],
  },
  { name: 'exact_dma', title: 'a device writes exactly its bytes', violations: [] },
  { name: 'live_translation', title: 'no translation outlives its page', violations: ['unmapped'] },
];

export const isViolated = (
  { name, violations: kinds }: (typeof INVARIANTS)[number],
  step: SandboxStepResult | undefined,
  violations: readonly Violation[],
): boolean =>
  (step?.broken.includes(name) ?? false) || violations.some(({ kind }) => kinds.includes(kind));
