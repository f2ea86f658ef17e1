/** A small machine for tests of the drawings: processor, bridge, memory, bus, card, driver, ring. */
import type { CounterName, MemberName, ParamName, ViewField } from '../../engine/gen/names';
import type { EnumMember, PartType } from '../../engine/manifest';
import type { Moment, TimeRange } from '../moment';
import type { DrawnMachine, DrawnPart } from './types';

const member = (name: MemberName, title: string = name, style = 'solid'): EnumMember => ({
  name,
  title,
  style,
  doc: '',
});

const blank: Omit<PartType, 'name' | 'title' | 'actor'> = {
  id: 0,
  layer: 'parts',
  doc: '',
  constants: {},
  enums: {},
  params: [],
  counters: [],
  tables: [],
  views: [],
  tracks: [],
  ports: [],
  events: [],
};

const port = (name: string, first: number, required = true, count = 1) => ({
  name,
  first,
  count,
  protocol: name,
  role: 'client',
  required,
  doc: '',
  sends: {},
  receives: {},
  needs: [],
});

const param = (name: ParamName, type: string) => ({
  name,
  title: name,
  type,
  default: '0',
  min: '0',
  max: '1000000',
  change: 'live',
  doc: '',
  basis: 'assumed',
  source: '',
});

const counter = (name: CounterName, unit: string) => ({ name, title: name, unit, doc: '' });
const fields = (...names: ViewField[]) => names.map((name) => ({ name, bits: 32, as: 'count' }));

const processor: PartType = {
  ...blank,
  name: 'processor',
  title: 'Processor',
  actor: 'cpu',
  enums: { state: [member('idle'), member('stall', 'stalled: posting buffer full', 'hatch')] },
  tracks: [{ name: 'cpu', title: 'CPU', states: 'state' }],
  ports: [port('front', 0), port('irq', 1, false), port('os', 2, false)],
};

const bridge: PartType = {
  ...blank,
  name: 'bridge',
  title: 'Host bridge',
  actor: 'adapter',
  params: [param('posts', 'count')],
  views: [
    { name: 'now', doc: '', fields: fields('head', 'waiting') },
    { name: 'posts', doc: '', fields: fields('addr') },
  ],
  ports: [port('cpu', 0, false, 4), port('memory', 4), port('pci', 5)],
};

const memory: PartType = {
  ...blank,
  name: 'memory',
  title: 'Memory',
  actor: 'mem',
  counters: [counter('reads', 'accesses'), counter('bytes_read', 'B')],
  ports: [port('bridge', 0)],
};

const bus: PartType = {
  ...blank,
  name: 'pci',
  title: 'PCI bus',
  actor: 'bus',
  enums: { state: [member('idle'), member('read', 'read', 'light'), member('write')] },
  params: [param('clock', 'clock'), param('width', 'bytes')],
  counters: [counter('busy', 'ps')],
  views: [{ name: 'now', doc: '', fields: fields('target', 'bytes', 'began', 'until') }],
  tracks: [{ name: 'bus', title: 'PCI bus', states: 'state' }],
  ports: [port('slot', 0, false, 8)],
};

const card: PartType = {
  ...blank,
  name: 'gt',
  title: 'GT card',
  actor: 'card',
  enums: {
    state: [member('idle'), member('data', 'moving data')],
    engine: [member('write', 'DMA write engine'), member('read', 'DMA read engine')],
  },
  views: [{ name: 'engines', doc: '', fields: fields('moved', 'left') }],
  tracks: [
    { name: 'write_engine', title: 'DMA write engine', states: 'state' },
    { name: 'read_engine', title: 'DMA read engine', states: 'state' },
  ],
  ports: [port('pci', 0), port('irq', 1, false), port('link', 2, false)],
};

const driver: PartType = {
  ...blank,
  name: 'gt_driver',
  title: 'GT driver',
  actor: 'os',
  layer: 'os',
  ports: [port('cpu', 0)],
};

const ring: PartType = {
  ...blank,
  name: 'ring',
  title: 'Ring',
  actor: 'bus',
  params: [param('rate', 'rate')],
  ports: [port('card', 0)],
};

const part = (
  type: PartType,
  at: DrawnPart['at'],
  params: readonly bigint[] = [],
  title = type.title,
): DrawnPart => ({ title, type, at, params: params.map((value) => ({ value })), tables: [] });

export const CPU = 0;
export const BRIDGE = 1;
export const MEMORY = 2;
export const BUS = 3;
export const CARD = 4;
const DRIVER = 5;
const RING = 6;

const end = (index: number, name: string, slot: number) => ({ part: index, port: name, slot });

export const MACHINE: DrawnMachine = {
  parts: [
    part(processor, [24, 4, 250, 74]),
    part(bridge, [24, 106, 250, 80], [8n]),
    part(memory, [560, 106, 276, 62]),
    part(bus, [24, 214, 812, 38], [66_666_667n, 8n]),
    part(card, [420, 276, 300, 84]),
    part(driver, [330, 4, 190, 62]),
    part(ring, [24, 300, 330, 30], [205_000_000n]),
  ],
  wires: [
    { ends: [end(CPU, 'front', 0), end(BRIDGE, 'cpu', 0)] },
    { ends: [end(BRIDGE, 'memory', 4), end(MEMORY, 'bridge', 0)] },
    { ends: [end(BRIDGE, 'pci', 5), end(BUS, 'slot', 0)] },
    { ends: [end(CARD, 'pci', 0), end(BUS, 'slot', 1)] },
    { ends: [end(CARD, 'irq', 1), end(CPU, 'irq', 1)] },
    { ends: [end(CARD, 'link', 2), end(RING, 'card', 0)] },
    { ends: [end(CPU, 'os', 2), end(DRIVER, 'cpu', 0)] },
  ],
};

export const stretch = (
  part: number,
  track: string,
  state: string,
  more: Partial<TimeRange> = {},
) => {
  const { type } = MACHINE.parts[part] as DrawnPart;
  const states = type.enums[type.tracks.find(({ name }) => name === track)?.states ?? ''];
  const found = states?.find(({ name }) => name === state) as EnumMember;
  return { state: found, from: 0, to: Number.POSITIVE_INFINITY, seq: 1, by: null, ...more };
};

interface Facts {
  readonly timePs?: number;
  readonly counters?: Readonly<Record<number, readonly number[]>>;
  readonly views?: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
  readonly tracks?: Readonly<Record<string, TimeRange>>;
  readonly past?: readonly TimeRange[];
}

/** A moment of that machine. Views and tracks are named "part name": "3 now". */
export function moment({ timePs = 0, counters = {}, views = {}, tracks = {}, past = [] }: Facts) {
  const now: Moment = {
    timePs,
    whole: true,
    counters: MACHINE.parts.map((_, index) => Float64Array.from(counters[index] ?? [])),
    view(index, name) {
      const columns = views[`${index} ${name}`];
      if (!columns) return null;
      const rows = Object.values(columns)[0]?.length ?? 0;
      return {
        rows,
        column: (field) => (columns[field] ? Float64Array.from(columns[field]) : undefined),
      };
    },
    track: (index, name) => tracks[`${index} ${name}`] ?? null,
    past: () => past,
  };
  return now;
}
