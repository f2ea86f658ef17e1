/**
 * Who calls mapping services in a machine: processors with the rows of their programs, the services, and the units that
 * keep translations. No part is known by its name.
 */
import type { EventWord } from '../../engine/gen/names';
import type { EnumMember } from '../../engine/manifest';
import type { CompiledMachine, CompiledPart } from '../scenario/compile';

export interface ScriptRow {
  readonly operation: EnumMember;
  /** A service carries it out, not the processor by itself. */
  readonly isCall: boolean;
  readonly thread: number;
  /** What the row says besides, where it is not what it says by default. */
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
  /** Number of the thread that interrupts are handled in. */
  readonly handler: number;
  /** Parts that go over a bus for it: itself, and its cache or bridge. */
  readonly speaks: ReadonlySet<number>;
}

/** A bus with a clock, which times are counted in. */
export interface Clock {
  readonly title: string;
  readonly hertz: number;
}

export interface DriverRoles {
  readonly cpus: readonly DriverCpu[];
  /** Parts that carry calls out. */
  readonly services: ReadonlySet<number>;
  /** Parts that keep translations until they are told to forget them. */
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
    const said = fields.flatMap(({ name, type: kind, default: usual }, i): ScriptField[] => {
      const value = values[i] ?? 0n;
      return i === does || value === BigInt(usual)
        ? []
        : [{ name, type: kind, value: Number(value) }];
    });
    return { operation, isCall: (operation.executedBy?.length ?? 0) > 0, thread, fields: said };
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

/** The clock of the bus that the first of these processors goes over. */
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

/** Null where no program calls a mapping service. */
function findRoles(machine: CompiledMachine): DriverRoles | null {
  const { parts } = machine;
  if (!parts.some(({ type }) => type.executes?.includes('map'))) return null;
  const cpus = parts.flatMap((part) => cpuOf(machine, part) ?? []);
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
