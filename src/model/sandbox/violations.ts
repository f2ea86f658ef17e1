/**
 * Lies of a run in the sandbox: somebody got old data, a write is lost, a device reached what is no longer
 * its own. Each is an event of the run; who is to blame is read from what every part held before it.
 */
import {
  ADDRESS,
  SANDBOX_LINES,
  type SandboxLine,
  type SandboxRules,
  type SandboxStep,
} from './sandbox';
import type { Copy, SandboxRun, SandboxStepResult, StepEvent } from './sandbox-run';

const LIES = ['device_old', 'load_old', 'purged', 'overwritten', 'unmapped'] as const;
export type ViolationKind = (typeof LIES)[number];

export interface Violation {
  readonly kind: ViolationKind;
  readonly step: number;
  readonly line: SandboxLine;
  /** The value that came, or that took the place; and the one that should have. */
  readonly got: number;
  readonly newest: number;
}

export const cpuName = (index: number): string => `CPU ${index}`;

/** What an event of a part of this type means, if it is a lie. */
const KINDS: Readonly<Record<string, ViolationKind>> = {
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
  const type = run.machine.parts[event.part]?.type.name ?? '';
  const kind = KINDS[`${type}.${event.name}`];
  // A driver that purges for a write of the disk has given up what was there.
  if (!kind || (kind === 'purged' && poke.who === 'driver')) return null;
  const [got = 0, newest = got] = event.writes;
  return { kind, step, line: lineAt(event.address) ?? poke.line, got, newest };
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

const before = (run: SandboxRun, step: number, line: SandboxLine) =>
  run.steps[step - 1]?.lines[line];

const isDirty = ({ state }: Copy) => state === 'private_dirty';

/** Who holds a value of a line, as an index of the processors; -1 for nobody. */
const holderOf = (run: SandboxRun, step: number, line: SandboxLine, value: number): number =>
  before(run, step, line)?.copies.findIndex((copy) => copy.value === value) ?? -1;

/** The step since which a processor has had its copy. */
function heldSince(run: SandboxRun, cpu: number, { line, step, got }: Violation): number {
  const value = (at: number) => run.steps[at]?.lines[line].copies[cpu]?.value;
  let since = step - 1;
  while (since > 1 && value(since - 1) === got) since--;
  return since;
}

const ofStep = (step: number): string => (step === 0 ? 'from the start' : `of step ${step}`);

function whyDevice(run: SandboxRun, lie: Violation): string {
  const { line, newest, step, got } = lie;
  const holder = holderOf(run, step, line, newest);
  const what = `The disk got the value ${ofStep(got)}, and the newest is that ${ofStep(newest)}.`;
  if (holder < 0) return `${what} It was nowhere any more.`;
  const copy = before(run, step, line)?.copies[holder];
  const name = cpuName(holder);
  const state = copy && isDirty(copy) ? ', private dirty: newer than memory' : '';
  return `${what} It was in ${name}’s cache${state}. The adapter did not snoop, so nobody asked ${name}; and no flush of line ${line} came between step ${newest} and step ${step}.`;
}

function whyLoad(run: SandboxRun, lie: Violation, poke: SandboxStep): string {
  const { line, newest, step, got } = lie;
  const reader = poke.who === 'cpu1' ? 1 : 0;
  const own = before(run, step, line)?.copies[reader]?.value === got;
  const holder = own ? reader : holderOf(run, step, line, got);
  const name = cpuName(holder < 0 ? reader : holder);
  const what = `${cpuName(reader)} got the value ${ofStep(got)}, and the newest is that ${ofStep(newest)}, which the disk wrote to memory.`;
  const since = holder < 0 ? 0 : heldSince(run, holder, lie);
  const had = own
    ? `It had its own copy since step ${since}.`
    : `The copy came from ${name}’s cache, which had it since step ${since}.`;
  return `${what} ${had} The adapter did not snoop, so nobody told ${name}; and the purge of line ${line} after step ${newest} was missing.`;
}

function whyPurged(run: SandboxRun, { line, got, step }: Violation): string {
  const holder = before(run, step, line)?.copies.findIndex(isDirty) ?? -1;
  return `${cpuName(Math.max(0, holder))} held line ${line} private dirty: its cache was the only place where the value ${ofStep(got)} was. The purge threw it away. A flush would have written it to memory.`;
}

function whyOverwritten(run: SandboxRun, { line, got, newest, step }: Violation): string {
  const holder = before(run, step, line)?.copies.findIndex(isDirty) ?? -1;
  const name = cpuName(Math.max(0, holder));
  return `The disk wrote line ${line} in step ${newest}, and ${name} still held it private dirty from step ${got}: the adapter did not snoop, so nobody took that copy away. Now it was written back over the disk’s data. A purge before step ${newest} was missing.`;
}

function whyUnmapped(pokes: readonly SandboxStep[], { line, step }: Violation): string {
  const taken = pokes
    .slice(0, step)
    .findLastIndex(({ does, line: of }) => does === 'unmap' && of === line);
  return `The driver unmapped line ${line} in step ${taken + 1} and did not purge the adapter’s I/O TLB. The old translation is still there, so the disk reaches memory that is no longer its own.`;
}

/** The chain behind a lie: whose copy was newer or older, who did not snoop, what was missing. */
export function whyOf(run: SandboxRun, pokes: readonly SandboxStep[], lie: Violation): string {
  const poke = pokes[lie.step - 1];
  switch (lie.kind) {
    case 'device_old':
      return whyDevice(run, lie);
    case 'load_old':
      return poke ? whyLoad(run, lie, poke) : '';
    case 'purged':
      return whyPurged(run, lie);
    case 'overwritten':
      return whyOverwritten(run, lie);
    case 'unmapped':
      return whyUnmapped(pokes, lie);
  }
}

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
  readonly pokes: readonly SandboxStep[];
  readonly rules: SandboxRules;
}

export function sandboxFixes(
  pokes: readonly SandboxStep[],
  rules: SandboxRules,
  lie: Violation,
): readonly SandboxFix[] {
  const { kind, line, step, newest } = lie;
  const put = (at: number, poke: SandboxStep) => [...pokes.slice(0, at), poke, ...pokes.slice(at)];
  const snoop: SandboxFix = {
    title: 'Let the adapter snoop',
    whose: 'the hardware’s way',
    pokes,
    rules: { ...rules, adapter: 'snooped' },
  };
  const driver = (title: string, at: number, does: SandboxStep['does']): SandboxFix => ({
    title,
    whose: 'the driver’s way',
    pokes: put(at, { who: 'driver', does, line }),
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
          pokes: pokes.map((poke, i) => (i === step - 1 ? { ...poke, does: 'flush' } : poke)),
          rules,
        },
      ];
    case 'unmapped':
      return [
        {
          title: 'Purge the I/O TLB at unmap',
          whose: 'the driver’s way',
          pokes,
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
