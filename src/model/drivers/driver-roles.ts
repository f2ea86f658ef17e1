/**
 * Finds the parts of a machine that are involved in mapping: processors with their programs, mapping services, and
 * units that cache translations. Parts are recognized by their manifests, not by name.
 */
import type { EventWord } from '../../engine/gen/names';
import type { EnumMember } from '../../engine/manifest';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';

export interface ScriptRow {
  readonly operation: EnumMember;
  /** Executed by a service, not by the processor itself. */
  readonly isCall: boolean;
  readonly thread: number;
  /** Fields of the row that differ from their defaults. */
  readonly fields: readonly ScriptField[];
}

interface ScriptField {
  readonly name: string;
  readonly type: string;
  readonly value: number;
}

export interface DriverCpu {
  readonly part: number;
  readonly title: string;
  readonly states: readonly EnumMember[];
  readonly rows: readonly ScriptRow[];
  /** Number of the thread that runs interrupt handlers. */
  readonly handler: number;
  /** Parts that use a bus on its behalf: itself, and its cache or bridge. */
  readonly speaks: ReadonlySet<number>;
}

/** A bus clock in which times can be expressed. */
export interface Clock {
  readonly title: string;
  readonly hertz: number;
}

export interface DriverRoles {
  readonly cpus: readonly DriverCpu[];
  /** Parts that execute calls. */
  readonly services: ReadonlySet<number>;
  /** Parts that cache translations until they are invalidated. */
  readonly translators: ReadonlySet<number>;
  readonly clock: Clock | null;
}

const NO_OPERATION: EnumMember = { name: 'nothing', title: 'nothing', style: 'none', doc: '' };

function rowsOf({ type, tables }: CompiledPart): ScriptRow[] {
  const at = type.tables.findIndex(({ loops }) => loops !== undefined);
  const fields = type.tables[at]?.fields ?? [];
  const does = fields.findIndex(({ name }) => name === 'do');
  const operations = type.enums[fields[does]?.type ?? ''] ?? [];
  let thread = 0;
  return (tables[at] ?? []).map(({ values }, row) => {
    const operation = operations[Number(values[does] ?? 0n)] ?? NO_OPERATION;
    if (row > 0 && operation.name === 'thread') thread++;
    const shown = fields.flatMap(({ name, type: kind, default: usual }, i): ScriptField[] => {
      const value = values[i] ?? 0n;
      return i === does || value === BigInt(usual)
        ? []
        : [{ name, type: kind, value: Number(value) }];
    });
    return { operation, isCall: (operation.executedBy?.length ?? 0) > 0, thread, fields: shown };
  });
}

/** The parts at the other end of some ports. */
const wiredTo = ({ wires }: CompiledMachine, part: number, ports: readonly string[]): number[] =>
  wires.flatMap(({ ends: [a, b] }) =>
    [
      [a, b],
      [b, a],
    ].flatMap(([own, other]) =>
      own?.part === part && ports.includes(own.port) && other ? [other.part] : [],
    ),
  );

function cpuOf(machine: CompiledMachine, part: CompiledPart): DriverCpu | null {
  const track = part.type.tracks.find(({ name }) => name === 'cpu');
  if (!track) return null;
  const rows = rowsOf(part);
  return {
    part: part.index,
    title: part.title,
    states: part.type.enums[track.states] ?? [],
    rows,
    handler: Math.max(0, ...rows.map(({ thread }) => thread)) + 1,
    speaks: new Set([part.index, ...wiredTo(machine, part.index, ['cache', 'front'])]),
  };
}

/** The processors of a machine, with their programs. */
export const processorsOf = (machine: CompiledMachine): DriverCpu[] =>
  machine.parts.flatMap((part) => cpuOf(machine, part) ?? []);

/** The clock of the first bus used by the processor. */
function clockOf(machine: CompiledMachine, { speaks }: DriverCpu): Clock | null {
  for (const part of speaks)
    for (const other of wiredTo(machine, part, ['bus', 'pci'])) {
      const { type, title, params } = machine.parts[other] ?? {};
      const hertz = params?.find(({ spec }) => spec.type === 'clock')?.value;
      if (type?.actor === 'bus' && title && hertz) return { title, hertz: Number(hertz) };
    }
  return null;
}

const indexes = (parts: readonly CompiledPart[], test: (part: CompiledPart) => boolean) =>
  new Set(parts.filter(test).map(({ index }) => index));

const forgets = ({ type: { events } }: CompiledPart): boolean => {
  const has = (name: EventWord) => events.some((event) => event.name === name);
  return has('miss') && (has('purged') || has('flush'));
};

/** Null if no program calls a mapping service. */
function findRoles(machine: CompiledMachine): DriverRoles | null {
  const { parts } = machine;
  if (!parts.some(({ type }) => type.executes?.includes('map'))) return null;
  const cpus = processorsOf(machine);
  const [caller] = cpus.filter(({ rows }) => rows.some(({ isCall }) => isCall));
  if (!caller) return null;
  return {
    cpus,
    services: indexes(parts, ({ type }) => (type.executes?.length ?? 0) > 0),
    translators: indexes(parts, forgets),
    clock: clockOf(machine, caller),
  };
}

const known = new WeakMap<CompiledMachine, { readonly roles: DriverRoles | null }>();

export function driverRoles(machine: CompiledMachine): DriverRoles | null {
  const found = known.get(machine) ?? { roles: findRoles(machine) };
  known.set(machine, found);
  return found.roles;
}
