/** Descriptions of a sandbox step: the action, its result, and the changes of state. */

import { address } from '../../base/format';
import type { EventWord } from '../../engine/gen/names';
import { ADDRESS, SANDBOX_LINES, type SandboxRules, type SandboxStep } from './sandbox';
import type { LineNow, SandboxRun, StepEvent } from './sandbox-run';
import { cpuName } from './violations';

/** Heading of a step: "CPU 0 writes A". */
export function titleOf({ who, does, line }: SandboxStep): string {
  const cpu = who === 'cpu1' ? 'CPU 1' : 'CPU 0';
  switch (does) {
    case 'read':
      return `${who === 'disk' ? 'disk' : cpu} reads ${line}`;
    case 'write':
      return `${who === 'disk' ? 'disk' : cpu} writes ${line}`;
    case 'flush':
      return `${cpu} flushes ${line}`;
    case 'purge':
      return `${cpu} purges ${line}`;
    case 'map':
      return `${line} is mapped`;
    case 'unmap':
      return `${line} is unmapped`;
    case 'sync_out':
      return `dma_sync ${line}, flush`;
    case 'sync_in':
      return `dma_sync ${line}, purge`;
  }
}

const valueText = (value: number): string => (value === 0 ? '0, as it was' : String(value));

/** A copy as text: "private dirty, 3". */
export const copyText = ({ title, value }: LineNow['copies'][number]): string =>
  value === null ? title : `${title}, ${value}`;

/** Changes of a line's state, as clauses. */
export function changes(before: LineNow, after: LineNow): string[] {
  const copies = after.copies.flatMap((copy, cpu) => {
    const was = before.copies[cpu];
    if (was?.state === copy.state) return [];
    const name = `${cpuName(cpu)}’s copy`;
    return copy.value === null ? [`${name} is gone`] : [`${name} is ${copy.title} now`];
  });
  const memory = before.memory === after.memory ? [] : [`memory has ${after.memory} now`];
  return [...copies, ...memory];
}

const sentence = (clauses: readonly string[]): string => {
  const text = clauses.join(', and ');
  return text === '' ? '' : ` ${text[0]?.toUpperCase()}${text.slice(1)}.`;
};

/** The source of a processor's data. */
function source(run: SandboxRun, events: readonly StepEvent[], reader: number): string {
  const missed = events.some(({ name }) => name === 'miss');
  const copied = events.find(({ name }) => name === 'copied');
  if (!missed) return 'from its own cache';
  const giver = run.machine.parts[copied?.part ?? -1]?.name;
  return giver
    ? `from ${cpuName(giver === 'cache0' ? 0 : 1)}’s cache`
    : reader < 0
      ? ''
      : 'from memory';
}

function readByDisk(run: SandboxRun, step: number, line: SandboxStep['line']): string {
  const events = run.steps[step]?.events ?? [];
  const after = run.steps[step]?.lines[line];
  const read = events.find(({ name }) => name === 'read');
  const failed = events.some(({ name }) => name === 'error');
  if (failed || !read || !after)
    return `The disk asks for line ${line} and gets nothing: its address has no translation. Map the line first.`;
  const [got = 0] = read.writes;
  const copied = events.findLast(({ name }) => name === 'copied');
  const from = copied ? ` from a cache: the adapter asked on the bus` : ' from memory';
  const newest = got === after.newest ? '' : ` The newest value is ${after.newest}.`;
  return `The disk reads line ${line} and gets ${valueText(got)},${from}.${newest}`;
}

function writtenByDisk(run: SandboxRun, step: number, line: SandboxStep['line']): string {
  const { events = [], lines } = run.steps[step] ?? {};
  if (events.some(({ name }) => name === 'fault'))
    return `The disk writes line ${line}, and the adapter has no translation for its address: the data goes nowhere.`;
  return `The disk writes line ${line}: the newest value is ${lines?.[line].newest ?? 0}.`;
}

const TRANSLATES: SandboxRules['adapter'] = 'coherent';

/** The action of a step, without the changes of state. */
function actionText(
  run: SandboxRun,
  sandboxStep: SandboxStep,
  step: number,
  { adapter, forgets }: SandboxRules,
): string {
  const { who, does, line } = sandboxStep;
  const cpu = who === 'cpu1' ? 1 : 0;
  const { events = [], lines } = run.steps[step] ?? {};
  const now = lines?.[line];
  switch (does) {
    case 'read':
      if (who === 'disk') return readByDisk(run, step, line);
      return `${cpuName(cpu)} reads line ${line} and gets ${valueText(now?.copies[cpu]?.value ?? 0)}, ${source(run, events, cpu)}.`;
    case 'write':
      if (who === 'disk') return writtenByDisk(run, step, line);
      return `${cpuName(cpu)} writes line ${line}: the newest value is ${now?.newest ?? 0}.`;
    case 'flush':
      return `${cpuName(cpu)} flushes line ${line}: a dirty copy is written back, and no cache keeps one.`;
    case 'purge':
      return `${cpuName(cpu)} purges line ${line}: every copy is dropped, dirty or not.`;
    case 'map':
      return adapter === TRANSLATES
        ? `The driver maps line ${line} for the disk: it writes an entry of the page directory.`
        : `The driver maps line ${line}. This adapter does not translate, so the disk is given its address in memory.`;
    case 'unmap':
      if (adapter !== TRANSLATES)
        return `The driver unmaps line ${line}. Without translation nothing keeps the disk away from it.`;
      return `The driver unmaps line ${line}: it clears the entry of the page directory${forgets ? ' and forgets the adapter’s I/O TLB' : ' and has the adapter’s I/O TLB purged'}.`;
    default:
      if (adapter === TRANSLATES)
        return `dma_sync of line ${line}: on a machine whose adapter snoops there is nothing to do.`;
      return does === 'sync_out'
        ? `The driver calls dma_sync before the disk reads line ${line}: it is flushed.`
        : `The driver calls dma_sync around a write of the disk: line ${line} is purged.`;
  }
}

/** The description of a step. */
export function stepText(
  run: SandboxRun,
  sandboxSteps: readonly SandboxStep[],
  step: number,
  rules: SandboxRules,
): string {
  const sandboxStep = sandboxSteps[step - 1];
  const [was, now] = [run.steps[step - 1], run.steps[step]];
  if (!sandboxStep || !was || !now)
    return 'No step has been made yet. No cache holds a copy; memory has 0 in both lines. Press a button.';
  return `${actionText(run, sandboxStep, step, rules)}${sentence(changes(was.lines[sandboxStep.line], now.lines[sandboxStep.line]))}`;
}

/** Events of a step that are listed in addition to bus transactions. */
const LISTED_EVENTS = new Set<string>([
  'copied',
  'miss',
  'hit',
  'loaded',
  'purged',
  'fault',
  'error',
  'stale',
  'gone',
  'astray',
  'lost',
  'discarded',
  'stalls',
  'prefetch',
] satisfies EventWord[]);

/** Address of the disk's first register, which receives its commands. */
const REGISTERS = 0xf1000000;

/** Replaces the addresses of the lines by their names. */
const named = (sentence: string): string =>
  SANDBOX_LINES.reduce(
    (text, line) => text.replaceAll(address(ADDRESS[line]), `line ${line}`),
    sentence,
  );

/** The bus transactions of a step and their effects. */
export function busEvents(run: SandboxRun, step: number): readonly StepEvent[] {
  const events = (run.steps[step]?.events ?? []).filter(({ name, part, address: at }) => {
    const type = run.machine.parts[part]?.type.name;
    const isUpper = SANDBOX_LINES.some((line) => at === ADDRESS[line] + 16);
    return ((type === 'runway' && name === 'start') || LISTED_EVENTS.has(name)) && !isUpper;
  });
  const last = events.findLast(({ address: at }) => at >= REGISTERS && at < REGISTERS + 16);
  return events
    .filter(
      (event) => event === last || event.address < REGISTERS || event.address >= REGISTERS + 16,
    )
    .map((event) => ({
      ...event,
      sentence:
        event === last
          ? 'Bus: three register stores tell the disk what to do.'
          : named(event.sentence),
    }));
}

/** The result of a step, short enough for its small picture. */
export function outcomeOf(
  run: SandboxRun,
  sandboxSteps: readonly SandboxStep[],
  step: number,
): string {
  const sandboxStep = sandboxSteps[step - 1];
  const now = run.steps[step]?.lines[sandboxStep?.line ?? 'A'];
  if (!sandboxStep || !now) return 'memory has 0';
  const { who, does, line } = sandboxStep;
  const read = run.steps[step]?.events.find(({ name }) => name === 'read')?.writes[0];
  const got = who === 'disk' ? read : now.copies[who === 'cpu1' ? 1 : 0]?.value;
  if (does === 'write') return `${line} = ${now.newest}`;
  if (does !== 'read') return `memory has ${now.memory}`;
  if (got === undefined || got === null) return 'gets nothing';
  return got === now.newest ? `gets ${got}` : `gets ${got}, newest is ${now.newest}`;
}

/** Why a button would have no effect now; null if it would. */
export function disabledReason(
  { does, line }: SandboxStep,
  now: LineNow | undefined,
  { adapter }: SandboxRules,
): string | null {
  if (!now) return null;
  const nobody = now.copies.every(({ value }) => value === null);
  switch (does) {
    case 'flush':
    case 'purge':
      return nobody ? `No cache has a copy of line ${line}.` : null;
    case 'map':
      return now.mapped ? `Line ${line} is mapped already.` : null;
    case 'unmap':
      return now.mapped ? null : `Line ${line} is not mapped.`;
    case 'sync_out':
    case 'sync_in':
      if (adapter === TRANSLATES) return 'The adapter snoops: dma_sync has nothing to do.';
      return nobody ? `No cache has a copy of line ${line}.` : null;
    default:
      return null;
  }
}
