/**
 * Compares designs on the same packets, one column each; every number is from the counters at the end of that
 * design's run.
 */

import { SHARES, timeCounter } from '../realtime/cpu-shares';
import { designAxis, type RealTimeRoles } from '../realtime/realtime-roles';
import type { CompiledMachine } from '../scenario/compiled';
import type { Assignment } from '../scenario/scenario-types';
import type { RunRow, RunTable } from './run-table';

export interface DesignColumn {
  readonly title: string;
  /** The run's variables; the other axes have the values of the open run. */
  readonly variables: Assignment;
  readonly current: boolean;
  /** Null until the run has finished. */
  readonly made: DesignRun | null;
}

/** How a packet's bytes get from the ring to the application. */
export interface DesignPath {
  /** TCP/IP runs on another processor than the application. */
  readonly isOffloaded: boolean;
  /** The TCP/IP processor copies the data; a single processor copies it for the application. */
  readonly networkCopies: boolean;
  readonly applicationCopies: boolean;
}

export interface DesignRun {
  readonly way: DesignPath;
  /** Time shares of each processor, from 0 to 1, as in SHARES. */
  readonly cpus: readonly (readonly number[])[];
  readonly packets: number;
  /** Copies per packet that passed TCP/IP. */
  readonly copies: number;
  /** Picoseconds from the frame in its buffer to the completion by the application; null without packets. */
  readonly latency: { readonly mean: number; readonly most: number } | null;
  /** Response times of periodic tasks in picoseconds; null without any. */
  readonly response: { readonly mean: number; readonly most: number } | null;
  readonly jobs: number;
  readonly missed: number;
  readonly late: number;
  readonly lost: number;
}

/** Bytes of a frame that are not copied: Ethernet, IP and TCP headers. */
const HEADER = 54;

type Read = (part: number | null, name: string) => number;

function reader({ parts }: CompiledMachine, counters: readonly ArrayLike<number>[]): Read {
  return (part, name) => {
    const at = parts[part ?? -1]?.type.counters.findIndex((counter) => counter.name === name);
    return counters[part ?? -1]?.[at ?? -1] ?? 0;
  };
}

const meanOf = (read: Read, part: number | null, what: string, all: number) =>
  all > 0 ? { mean: read(part, what) / all, most: read(part, `${what}_most`) } : null;

/** Derived from processor times; the application runs on the first processor. */
function wayOf(read: Read, { cpus }: RealTimeRoles): DesignPath {
  const [own, ...others] = cpus.map(({ part }) => part);
  const does = (what: string) => others.some((part) => read(part, timeCounter(what)) > 0);
  const isOffloaded = does('protocol');
  const mainCopies = read(own ?? null, 'in_carry') > 0;
  return {
    isOffloaded,
    networkCopies: isOffloaded ? does('carry') : mainCopies,
    applicationCopies: isOffloaded && mainCopies,
  };
}

function madeBy(machine: CompiledMachine, roles: RealTimeRoles, row: RunRow): DesignRun | null {
  if (!row.counters) return null;
  const read = reader(machine, row.counters);
  const { stack, kernel, adapter } = roles;
  const [packets, jobs] = [read(stack, 'processed'), read(kernel, 'jobs')];
  const delivered = read(stack, 'delivered');
  const payload = read(adapter, 'bytes') / read(adapter, 'received') - HEADER;
  return {
    way: wayOf(read, roles),
    cpus: roles.cpus.map(({ part }) =>
      SHARES.map(({ states }) =>
        states.reduce((sum, state) => sum + read(part, timeCounter(state)) / machine.untilPs, 0),
      ),
    ),
    packets,
    copies: delivered > 0 ? Math.round(read(stack, 'copied') / payload / delivered) : 0,
    latency: meanOf(read, stack, 'latency', packets),
    response: meanOf(read, kernel, 'response', jobs),
    jobs,
    missed: read(kernel, 'missed'),
    late: read(stack, 'late'),
    lost: read(adapter, 'lost'),
  };
}

/** One column per design; the other axes keep the values of the open run. */
export function designColumns(
  { axes, rows }: RunTable,
  machine: CompiledMachine,
  roles: RealTimeRoles,
): DesignColumn[] {
  const axis = designAxis(axes);
  if (!axis) return [];
  const others = axes.filter((one) => one !== axis);
  const near = rows.filter(({ point: { at } }) =>
    others.every(({ name }) => at[name] === machine.variables[name]),
  );
  return axis.values.flatMap((value, i): DesignColumn[] => {
    const row = near.find(({ point: { at } }) => at[axis.name] === value);
    if (!row) return [];
    return [
      {
        title: axis.titles[i] ?? String(value),
        variables: row.point.variables,
        current: machine.variables[axis.name] === value,
        made: row.state === 'final' ? madeBy(machine, roles, row) : null,
      },
    ];
  });
}
