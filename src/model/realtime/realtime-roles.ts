/**
 * The parts whose events describe a real-time run: a kernel whose tasks have deadlines, an adapter that receives
 * packets, and what passes them to applications. A part is recognised by its events, not by its name.
 */
import type { EventWord } from '../../engine/gen/names';
import { cpuPart } from '../pools/pool-views';
import type { CompiledMachine } from '../scenario/compiled';
import type { Axis, Scenario, TableRow, ThreadWork } from '../scenario/scenario-types';

export interface RealTimeRoles {
  readonly kernel: number;
  /** The network stack; null if nothing is received. */
  readonly stack: number | null;
  readonly adapter: number | null;
  readonly cpus: readonly RealTimeCpu[];
}

export interface RealTimeCpu {
  readonly part: number;
  /** Its number in the kernel. */
  readonly number: number;
  readonly title: string;
  /** Thread names by number; the interrupt handler comes last. */
  readonly threads: readonly string[];
}

const MAX_CPUS = 8;

const partWithEvents = (
  { parts }: CompiledMachine,
  ...events: readonly EventWord[]
): number | null =>
  parts.find(({ type }) => events.every((name) => type.events.some((event) => event.name === name)))
    ?.index ?? null;

/** Name of the program that a thread runs; null if its rows are in the workload. */
function programOf(work: ThreadWork, { variables }: CompiledMachine): string | null {
  if (!('program' in work)) return null;
  const given = String(work.program);
  return given.startsWith('$') ? String(variables[given.slice(1)]) : given;
}

/** What a thread is for, by the operations that its program has. */
const PURPOSES = [
  ['network', ['deliver', 'collect', 'transmit']],
  ['application', ['accept', 'compose', 'submit']],
] as const;

function purposeOf(rows: readonly TableRow[]): string | undefined {
  const operations = new Set(rows.map(({ fields }) => fields.do));
  return PURPOSES.find(([, own]) => own.some((name) => operations.has(name)))?.[0];
}

/** Name of each thread: what it is for, or else that of its program, made unique. */
function threadNames(scenario: Scenario, machine: CompiledMachine, part: number): string[] {
  const names = (scenario.workload.get(part) ?? []).map((work, i) => {
    const program = programOf(work, machine);
    const rows = 'rows' in work ? work.rows : (scenario.programs.get(program ?? '') ?? []);
    return purposeOf(rows) ?? (program ?? `thread ${i}`).replaceAll('_', ' ');
  });
  return names.map((name, i) =>
    names.filter((other) => other === name).length > 1 ? `${name} ${i}` : name,
  );
}

function rolesIn(machine: CompiledMachine, scenario: Scenario): RealTimeRoles | null {
  const kernel = partWithEvents(machine, 'release', 'missed', 'inherit');
  if (kernel === null) return null;
  const cpus = Array.from({ length: MAX_CPUS }, (_, number) => {
    const part = cpuPart(machine, number);
    if (part === null) return [];
    const title = machine.parts[part]?.title ?? '';
    return [{ part, number, title, threads: threadNames(scenario, machine, part) }];
  }).flat();
  return {
    kernel,
    stack: partWithEvents(machine, 'taken', 'delivered', 'finished'),
    adapter: partWithEvents(machine, 'received', 'released', 'lost'),
    cpus,
  };
}

const known = new WeakMap<CompiledMachine, RealTimeRoles | null>();

/** The roles in a machine; memoized per machine. */
export function realTimeRoles(machine: CompiledMachine, scenario: Scenario): RealTimeRoles | null {
  const before = known.get(machine);
  if (before !== undefined) return before;
  const roles = rolesIn(machine, scenario);
  known.set(machine, roles);
  return roles;
}

/** Whether any thread's program contains the operation. */
export const runsOperation = (
  machine: CompiledMachine,
  { workload, programs }: Scenario,
  operation: string,
): boolean =>
  [...workload.values()]
    .flat()
    .some((work) =>
      programs.get(programOf(work, machine) ?? '')?.some(({ fields }) => fields.do === operation),
    );

/** The parameter with the deadline of packets, and its part. */
export function deadlineParam({ parts }: CompiledMachine, { stack }: RealTimeRoles) {
  const part = parts[stack ?? -1];
  const param = part?.params.find(({ spec }) => spec.name === 'deadline');
  return part && param ? { part, param } : null;
}

/** The axis of an experiment that compares more than two designs. */
export const designAxis = (axes: readonly Axis[]): Axis | null =>
  axes.find(({ name, values }) => name === 'design' && values.length > 2) ?? null;
