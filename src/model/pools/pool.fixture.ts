/** A part type with the views and events of a pooled allocator, for tests. */
import type { EventField, EventWord, MemberName, ViewField } from '../../engine/gen/names';
import type { EventSpec, PartType } from '../../engine/manifest';

const fields = (...names: ViewField[]) => names.map((name) => ({ name, bits: 32, as: 'count' }));

const event = (
  kind: number,
  name: EventWord,
  a: EventField,
  b: EventField,
  c: EventField,
): EventSpec => ({
  kind,
  name,
  fields: [
    { name: a, slot: 'a', as: 'count' },
    { name: b, slot: 'b', as: 'count' },
    { name: c, slot: 'c', as: 'count' },
  ],
  text: '',
  lane: null,
  level: 'notable',
});

export const EVENTS = {
  contend: 1,
  granted: 2,
  acquire: 3,
  release: 4,
  hypercall: 5,
  search: 6,
  map: 7,
  spill: 8,
  wrap: 9,
};

export const mapType: PartType = {
  id: 0,
  layer: 'os',
  name: 'iommu_map',
  title: 'DMA mapping',
  actor: 'os',
  doc: '',
  constants: {},
  enums: {
    ends: (['linux', 'powerpc', 'mended'] satisfies MemberName[]).map((name) => ({
      name,
      title: name,
      style: '',
      doc: '',
    })),
  },
  params: [],
  counters: [],
  tables: [],
  views: [
    { name: 'bitmap', doc: '', fields: fields('word') },
    { name: 'calls', doc: '', fields: fields('step') },
    { name: 'pools', doc: '', fields: fields('start', 'end', 'hint', 'acquisitions') },
    {
      name: 'last',
      doc: '',
      fields: fields('count', 'start', 'limit', 'pages', 'pool', 'words', 'cpu', 'result'),
    },
    { name: 'probes', doc: '', fields: fields('index', 'blocked') },
    { name: 'entries', doc: '', fields: fields('entry') },
  ],
  tracks: [],
  ports: [],
  events: [
    event(1, 'contend', 'owner', 'pool', 'cpu'),
    event(2, 'granted', 'waited', 'pool', 'cpu'),
    event(3, 'acquire', 'waiting', 'pool', 'cpu'),
    event(4, 'release', 'held', 'pool', 'cpu'),
    event(5, 'hypercall', 'time', 'locked', 'cpu'),
    event(6, 'search', 'start', 'pool', 'words'),
    event(7, 'map', 'address', 'pages', 'cpu'),
    event(8, 'spill', 'from', 'pool', 'cpu'),
    event(9, 'wrap', 'start', 'pool', 'cpu'),
  ],
};
