/**
 * The parts of a machine that a real-time run is told by: a kernel whose tasks have deadlines, an adapter that receives
 * packets, and what passes them to applications. A part is known by the events it tells, whatever it is called.
 */
import { derive, type Readable } from '../../base/store';
import { cpuPart } from '../pools/pool-views';
import type { CompiledMachine } from '../scenario/compile';
import type { Axis, Scenario, ThreadWork } from '../scenario/scenario-types';
import { session } from '../session/session';

export interface RealTimeRoles {
  readonly kernel: number;
  /** Passes packets on; null where nothing is received. */
  readonly stack: number | null;
  readonly adapter: number | null;
  readonly cpus: readonly RealTimeCpu[];
}

export interface RealTimeCpu {
  readonly part: number;
  /** Which of the kernel's processors it is. */
  readonly number: number;
  readonly title: string;
  /** Names of its threads, by number; its interrupt handler comes after them. */
  readonly threads: readonly string[];
}

const MOST_CPUS = 8;

const tells = ({ parts }: CompiledMachine, ...events: readonly string[]): number | null =>
  parts.find(({ type }) => events.every((name) => type.events.some((event) => event.name === name)))
    ?.index ?? null;

/** The program that a thread runs, by its name; null where its rows stand in the workload itself. */
function programOf(work: ThreadWork, { variables }: CompiledMachine): string | null {
  if (!('program' in work)) return null;
  const given = String(work.program);
  return given.startsWith('$') ? String(variables[given.slice(1)]) : given;
}

/** What the program of each thread is called; of those called alike, each says which it is. */
function threadNames(scenario: Scenario, machine: CompiledMachine, part: number): string[] {
  const names = (scenario.workload.get(part) ?? []).map((work, i) =>
    (programOf(work, machine) ?? `thread ${i}`).replaceAll('_', ' '),
  );
  return names.map((name, i) =>
    names.filter((other) => other === name).length > 1 ? `${name} ${i}` : name,
  );
}

function rolesIn(machine: CompiledMachine, scenario: Scenario): RealTimeRoles | null {
  const kernel = tells(machine, 'release', 'missed', 'inherit');
  if (kernel === null) return null;
  const cpus = Array.from({ length: MOST_CPUS }, (_, number) => {
    const part = cpuPart(machine, number);
    if (part === null) return [];
    const title = machine.parts[part]?.title ?? '';
    return [{ part, number, title, threads: threadNames(scenario, machine, part) }];
  }).flat();
  return {
    kernel,
    stack: tells(machine, 'taken', 'delivered', 'finished'),
    adapter: tells(machine, 'received', 'released', 'lost'),
    cpus,
  };
}

const known = new WeakMap<CompiledMachine, RealTimeRoles | null>();

/** The roles in a machine; the same object for the same machine. */
export function realTimeRoles(machine: CompiledMachine, scenario: Scenario): RealTimeRoles | null {
  const before = known.get(machine);
  if (before !== undefined) return before;
  const roles = rolesIn(machine, scenario);
  known.set(machine, roles);
  return roles;
}

/** The roles in the open machine; null where there is no such kernel. */
export const realTime: Readable<RealTimeRoles | null> = derive([session], () => {
  const { machine, data } = session.getState();
  return machine && data ? realTimeRoles(machine, data) : null;
});

export const hasTasks: Readable<boolean> = derive([realTime], () => realTime.getState() !== null);

export const hasPackets: Readable<boolean> = derive(
  [realTime],
  () => typeof realTime.getState()?.stack === 'number',
);

/** The program of some thread in the open scenario has such a step. */
function runs(operation: string): boolean {
  const { data, machine } = session.getState();
  if (!data || !machine) return false;
  return [...data.workload.values()]
    .flat()
    .some((work) =>
      data.programs
        .get(programOf(work, machine) ?? '')
        ?.some(({ fields }) => fields.do === operation),
    );
}

/** A task is released again and again, or a packet has to be dealt with in time. */
export const hasDeadlines: Readable<boolean> = derive([session], () => {
  const roles = realTime.getState();
  const { data, machine } = session.getState();
  if (!roles || !data || !machine) return false;
  const deadline = machine.parts[roles.stack ?? -1]?.params.find(
    ({ spec }) => spec.name === 'deadline',
  );
  return runs('release') || Number(deadline?.value ?? 0) > 0;
});

/** Buffers, messages or locks have owners. */
export const hasOwners: Readable<boolean> = derive(
  [session],
  () => hasPackets.getState() || (hasTasks.getState() && runs('lock')),
);

/** Something is to be answered: a packet, or what is released again and again. */
export const hasResponses: Readable<boolean> = derive(
  [session],
  () => hasPackets.getState() || hasDeadlines.getState(),
);

/** The experiment sets clients against each other that wait for their answers. */
export const variesClients: Readable<boolean> = derive([session], () => {
  const { experiment } = session.getState().data ?? {};
  return hasTasks.getState() && experiment?.x?.name === 'clients';
});

/** Runs of the experiment are drawn as curves over a quantity. */
export const hasCurves: Readable<boolean> = derive(
  [session],
  () => (session.getState().data?.experiment?.curves.length ?? 0) > 0,
);

/** The scenario sets runs side by side that differ in one design. */
export const comparesRuns: Readable<boolean> = derive([session], () => {
  const { data } = session.getState();
  const ratios = data?.expect.filter(({ quantity }) => quantity.kind === 'ratio') ?? [];
  return hasPackets.getState() && ratios.length > 0;
});

/** The experiment sets more than two designs side by side. */
export const comparesDesigns: Readable<boolean> = derive([session], () => {
  const { data } = session.getState();
  return hasPackets.getState() && designAxis(data?.experiment?.axes ?? []) !== null;
});

/** The experiment sets applications side by side. */
export const comparesApplications: Readable<boolean> = derive([session], () => {
  const { data } = session.getState();
  const axes = data?.experiment?.axes ?? [];
  return hasPackets.getState() && axes.some(({ name }) => name === 'application');
});

/** The experiment goes along the work for a byte, over which gains are drawn. */
export const variesWork: Readable<boolean> = derive([session], () => {
  const { data } = session.getState();
  return hasPackets.getState() && data?.experiment?.x.name === 'byte';
});

/** The axis of such an experiment. */
export const designAxis = (axes: readonly Axis[]): Axis | null =>
  axes.find(({ name, values }) => name === 'design' && values.length > 2) ?? null;

/** Constants were chosen from what one of its runs gains over another. */
export const calibratesGains: Readable<boolean> = derive([session], () => {
  const { data } = session.getState();
  const gains = data?.expect.filter(({ quantity }) => quantity.kind === 'ratio') ?? [];
  return hasPackets.getState() && gains.some(({ role }) => role === 'calibrated');
});
