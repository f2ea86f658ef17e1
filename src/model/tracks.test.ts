import { describe, expect, test } from 'vitest';
import type { TraceChunk } from '../engine/api';
import type { PartType } from '../engine/manifest';
import { Tracks } from './tracks';

const member = (name: string, style = 'solid') => ({ name, title: name, style, doc: '' });

const BUS: PartType = {
  id: 0,
  layer: 'parts',
  name: 'bus',
  title: 'Bus',
  actor: 'bus',
  doc: '',
  enums: { state: [member('idle', 'none'), member('read'), member('write')] },
  params: [],
  counters: [],
  tables: [],
  views: [],
  tracks: [{ name: 'bus', title: 'Bus', states: 'state' }],
  ports: [],
  events: [
    {
      kind: 1,
      name: 'start',
      fields: [
        { name: 'state', slot: 'b', as: 'enum:state' },
        { name: 'master', slot: 'c', as: 'port' },
      ],
      sentence: '',
      lane: { track: 'bus', set: '{state}' },
      level: 'detail',
    },
    {
      kind: 2,
      name: 'end',
      fields: [],
      sentence: '',
      lane: { track: 'bus', set: null },
      level: 'detail',
    },
    {
      kind: 3,
      name: 'forced',
      fields: [],
      sentence: '',
      lane: { track: 'bus', set: 'read' },
      level: 'detail',
    },
    { kind: 4, name: 'aside', fields: [], sentence: '', lane: null, level: 'detail' },
  ],
};

type Row = readonly [time: number, kind: number, state?: number, port?: number];

const chunk = (firstSeq: number, ...rows: Row[]): TraceChunk => ({
  firstSeq,
  lost: 0,
  length: rows.length,
  timePs: Float64Array.from(rows, (row) => row[0]),
  cause: new Uint32Array(rows.length),
  part: new Uint16Array(rows.length),
  kind: Uint16Array.from(rows, (row) => row[1]),
  a: new Float64Array(rows.length),
  b: Uint32Array.from(rows, (row) => row[2] ?? 0),
  c: Uint32Array.from(rows, (row) => row[3] ?? 0),
});

const WIRES = [
  {
    ends: [
      { part: 0, slot: 3 },
      { part: 7, slot: 0 },
    ] as const,
  },
];

function tracked(...chunks: TraceChunk[]) {
  const tracks = new Tracks([{ type: BUS }], WIRES);
  for (const one of chunks) tracks.take(one);
  const spans = tracks.track(0, 'bus')?.spans ?? [];
  return {
    tracks,
    spans: spans.map(({ from, to, state, seq, by }) => [from, to, state.name, seq, by]),
  };
}

const open = Number.POSITIVE_INFINITY;

describe('a track', () => {
  test('is in a state from one event to the next, for the one whose port is named', () => {
    const { spans } = tracked(chunk(1, [10, 1, 2, 3], [30, 2], [40, 1, 1, 5]));
    expect(spans).toEqual([
      [10, 30, 'write', 1, 7],
      [40, open, 'read', 3, null],
    ]);
  });

  test('goes on over the seam of two pieces of the record', () => {
    const whole = tracked(chunk(1, [10, 1, 2], [20, 4], [30, 3], [50, 2]));
    const pieces = tracked(chunk(1, [10, 1, 2], [20, 4]), chunk(3, [30, 3], [50, 2]));
    expect(pieces.spans).toEqual(whole.spans);
  });

  test('has no stretches of no length, and none that count as idle', () => {
    const { spans } = tracked(chunk(1, [10, 1, 2], [10, 3], [20, 1, 0], [30, 3]));
    expect(spans).toEqual([
      [10, 20, 'read', 2, null],
      [30, open, 'read', 4, null],
    ]);
  });
});

describe('at a moment', () => {
  const { tracks } = tracked(chunk(1, [10, 1, 2], [30, 3], [50, 2]));
  const stateAt = (time: number, seq: number) => tracks.at(0, 'bus', time, seq)?.state.name ?? null;

  test('a track is in the state of its newest stretch, or idle', () => {
    expect([5, 10, 29, 30, 49, 50].map((time) => stateAt(time, 9))).toEqual([
      null,
      'write',
      'write',
      'read',
      'read',
      null,
    ]);
  });

  test('records of the same time that have not happened yet do not count', () => {
    expect(stateAt(10, 0)).toBeNull();
    expect(stateAt(30, 1)).toBe('write');
    expect(stateAt(30, 2)).toBe('read');
  });
});
