/** A coherent machine of the engine's part types, and moments of it written as rows, for tests. */
import type { PartType } from '../../engine/manifest';
import {
  type CoherentMachine,
  coherentMachine,
  type RoleMachine,
} from '../../model/coherence/coherence-roles';
import { ENGINE_PARTS } from '../../model/scenario/catalogue';
import type { Moment, Rows } from '../moment';

const typeOf = (name: string): PartType => {
  const type = ENGINE_PARTS.types.get(name);
  if (!type) throw new Error(`The engine has no ${name}.`);
  return type;
};

function part(name: string, title: string, values: Readonly<Record<string, number>> = {}) {
  const type = typeOf(name);
  const params = type.params.map((spec) => ({
    value: BigInt(values[spec.name] ?? spec.default),
  }));
  return { title, type, params };
}

/** Indices of the parts below. */
export const PART = {
  cache0: 0,
  cache1: 1,
  bus: 2,
  memory: 3,
  adapter: 4,
  hsc: 5,
  disk: 6,
  lan: 7,
};

/** First tracked address; the page of the tests. */
export const PAGE = 0x100000;

const slotOf = (part: number, port: string, index: number): number => {
  const spec = PARTS[part]?.type.ports.find(({ name }) => name === port);
  return (spec?.first ?? 0) + index;
};

const PARTS = [
  part('snoop_cache', 'Cache 0'),
  part('snoop_cache', 'Cache 1'),
  part('runway', 'Runway'),
  part('memory_controller', 'Memory', {
    tracked_from: PAGE,
    tracked: 0x10000,
    directory: 0x200000,
  }),
  part('io_adapter', 'I/O adapter', { rows: 256, chain_shift: 18 }),
  part('hsc', 'HSC'),
  part('dma_device', 'Disk'),
  part('dma_device', 'LAN'),
];

const end = (place: number, port: string, index = 0) => ({
  part: place,
  port,
  index,
  slot: slotOf(place, port, index),
});

export const MACHINE: RoleMachine = {
  parts: PARTS,
  wires: [
    { ends: [end(PART.cache0, 'bus'), end(PART.bus, 'agent', 0)] },
    { ends: [end(PART.cache1, 'bus'), end(PART.bus, 'agent', 1)] },
    { ends: [end(PART.adapter, 'bus'), end(PART.bus, 'agent', 8)] },
    { ends: [end(PART.adapter, 'hsc'), end(PART.hsc, 'adapter')] },
    { ends: [end(PART.hsc, 'slot', 0), end(PART.disk, 'hsc')] },
    { ends: [end(PART.hsc, 'slot', 1), end(PART.lan, 'hsc')] },
  ],
};

export const COHERENT: CoherentMachine = coherentMachine(MACHINE);

/** Value of a member of a part's enum. */
export const member = (place: number, name: string, memberName: string): number =>
  PARTS[place]?.type.enums[name]?.findIndex((one) => one.name === memberName) ?? -1;

/** Number of an event of a part's type in trace records. */
export const kindOf = (place: number, name: string): number =>
  PARTS[place]?.type.events.find((event) => event.name === name)?.kind ?? -1;

/** Rows by part and view: field values; missing ones are zero. */
export type Written = Readonly<
  Record<string, readonly Readonly<Record<string, number>>[] | undefined>
>;

/** A moment from rows under keys such as "0 lines". */
export function moment(rows: Written): Moment {
  return {
    timePs: 0,
    whole: true,
    counters: [],
    track: () => null,
    past: () => [],
    view(place, name): Rows | null {
      const written = rows[`${place} ${name}`];
      if (!written) return null;
      return {
        rows: written.length,
        column: (field) => Float64Array.from(written, (row) => row[field] ?? 0),
      };
    },
  };
}

/** Rows of a view `lines`: the states of the page's lines. */
export function held(
  place: number,
  states: Readonly<Record<number, string>>,
): readonly Readonly<Record<string, number>>[] {
  return Object.entries(states).map(([line, state]) => ({
    tag: PAGE / 32 + Number(line) + 1,
    state: member(place, 'line', state),
  }));
}
