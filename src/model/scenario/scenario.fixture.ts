/** Two small part types and a scenario with them, for tests of the model without an engine. */
import type { PartType } from '../../engine/manifest';
import { type Catalogue, catalogueOf } from './catalogue';
import { type CompileOptions, compile } from './compile';
import type { CompiledMachine } from './compiled';
import { loadScenario } from './load';
import type { Result } from './problems';
import type { Scenario } from './scenario-types';

/** A name that no manifest has. */
const invented = (name: string) => name as never;

const U64 = '18446744073709551615';

const worker: PartType = {
  id: 0,
  layer: 'parts',
  name: invented('worker'),
  title: 'Worker',
  actor: 'cpu',
  doc: 'Runs programs.',
  constants: {},
  enums: {
    state: [
      { name: 'idle', title: 'idle', style: 'none', doc: '' },
      { name: 'work', title: 'own work', style: 'solid', doc: '' },
      { name: 'wait', title: 'waiting for the bus', style: 'hatch', doc: '' },
    ],
    op: ['end', 'thread', 'pio_write', 'dma_write'].map((name) => ({
      name: invented(name),
      title: name.replace('_', ' '),
      style: 'solid',
      doc: '',
    })),
  },
  params: [
    {
      name: invented('call'),
      title: 'per call',
      type: 'time',
      default: '128500',
      min: '1000',
      max: '10000000',
      change: 'live',
      doc: 'Work around a call.',
      basis: 'calibrated',
      source: 'rows 4 and 8',
    },
    {
      name: 'mode',
      title: 'mode',
      type: 'state',
      default: '0',
      min: '0',
      max: '2',
      change: 'restart',
      doc: 'How it begins.',
      basis: 'assumed',
      source: 'a choice of the fixture',
    },
  ],
  counters: [
    { name: 'laps', title: 'laps', unit: 'laps', doc: '' },
    { name: 'lap_time', title: 'lap time', unit: 'ps', doc: '' },
  ],
  tables: [
    {
      name: 'program',
      doc: '',
      rules: ['bytes', 'from', 'to'].map((field) => ({
        ops: ['dma_write', 'dma_read'],
        field,
        min: '0',
        max: '4294967295',
        rule: { of: ['4'], powerOfTwo: false, mask: false, atMost: [] },
        doc: 'The card transfers whole, aligned 32-bit words.',
      })),
      fields: [
        { name: 'do', type: 'op', doc: '', default: '0' },
        { name: 'from', type: 'address', doc: '', default: '0' },
        { name: 'to', type: 'address', doc: '', default: '0' },
        { name: 'bytes', type: 'bytes', doc: '', default: '0' },
        { name: 'width', type: 'bytes', doc: '', default: '4' },
      ],
    },
  ],
  views: [],
  tracks: [{ name: 'cpu', title: 'CPU', states: 'state' }],
  ports: [
    {
      name: 'bus',
      first: 0,
      count: 1,
      protocol: 'bus',
      role: 'client',
      required: true,
      doc: 'To the bus.',
      sends: { word: null },
      receives: {},
      needs: [],
    },
  ],
  events: [
    {
      kind: 1,
      name: 'state',
      fields: [{ name: 'state', slot: 'b', as: 'enum:state' }],
      text: '{part} is now in: {state}.',
      lane: { track: 'cpu', set: '{state}' },
      level: 'detail',
    },
    {
      kind: 2,
      name: 'store',
      fields: [
        { name: 'address', slot: 'a', as: 'address' },
        { name: 'bytes', slot: 'b', as: 'bytes' },
        { name: 'write', slot: 'c', as: 'write' },
      ],
      text: '{part} stores {bytes} at {address}.',
      lane: null,
      level: 'notable',
    },
  ],
};

const bus: PartType = {
  id: 1,
  layer: 'parts',
  name: invented('bus'),
  title: 'Bus',
  actor: 'bus',
  doc: 'Carries words.',
  constants: {},
  enums: {
    state: [
      { name: 'idle', title: 'idle', style: 'none', doc: '' },
      { name: 'data', title: 'moving data', style: 'solid', doc: '' },
    ],
  },
  params: [
    {
      name: 'clock',
      title: 'clock',
      type: 'clock',
      default: '66666667',
      min: '1000000',
      max: U64,
      change: 'restart',
      doc: 'Bus clock.',
      basis: 'derived',
      source: 'peak rate',
    },
  ],
  counters: [{ name: 'busy', title: 'busy', unit: 'ps', doc: '' }],
  tables: [],
  views: [],
  tracks: [{ name: 'bus', title: 'bus', states: 'state' }],
  ports: [
    {
      name: 'slot',
      first: 0,
      count: 3,
      protocol: 'bus',
      role: 'server',
      required: false,
      doc: 'To agents.',
      sends: {},
      receives: { word: '' },
      needs: [],
    },
  ],
  events: [
    {
      kind: 3,
      name: 'start',
      fields: [
        { name: 'address', slot: 'a', as: 'address' },
        { name: 'master', slot: 'c', as: 'port' },
      ],
      text: '{part}: {master} starts at {address}.',
      lane: { track: 'bus', set: 'data' },
      level: 'detail',
    },
    {
      kind: 4,
      name: 'end',
      fields: [{ name: invented('took'), slot: 'a', as: 'time' }],
      text: '{part} is free again after {took}.',
      lane: { track: 'bus', set: null },
      level: 'detail',
    },
  ],
};

export const FIXTURE: Catalogue = catalogueOf(0xfeed, [worker, bus]);

export const MACHINE = `{
  "busyard": 1,
  "title": "Two workers on a bus",
  "parts": {
    "cpu": { "type": "worker", "params": { "call": { "value": "130 ns", "basis": "measured", "source": "row 4" } } },
    "peer": { "type": "worker" },
    "bus": { "type": "bus" }
  },
  "wires": [["cpu.bus", "bus.slot"], ["peer.bus", "bus.slot"]]
}`;

const machines = new Map([['pair', MACHINE]]);

/** A scenario as an object, so that a test can change one thing. */
export const scenarioFile = () => ({
  busyard: 1,
  title: 'PIO or DMA',
  summary: 'Which is faster?',
  system: 'gt',
  machine: { extends: 'pair' } as Record<string, unknown>,
  variables: { size: 512, method: 'pio_write' } as Record<string, unknown>,
  programs: {
    pio_write: [{ do: 'pio_write', from: '0x1000', to: '0x80000000', bytes: '$size' }],
    dma_write: [{ do: 'dma_write', from: '0x1000', to: '0x80000000', bytes: '$size' }],
  } as Record<string, unknown>,
  workload: { cpu: '$method' } as Record<string, unknown>,
  until: '1 ms',
  seed: 7,
  metrics: {
    throughput: {
      title: 'Throughput',
      unit: 'MB/s',
      product: ['$size', 'cpu.laps', 1e6],
      over: ['cpu.lap_time'],
    },
  } as Record<string, unknown>,
  experiment: {
    axes: { size: [4, 8, 16], method: ['pio_write', 'dma_write'] },
    metrics: ['throughput'],
  } as Record<string, unknown>,
  expect: [] as unknown[],
  view: { kind: 'lab' } as Record<string, unknown>,
});

export type File = ReturnType<typeof scenarioFile>;

export const load = (file: unknown): Result<Scenario> =>
  loadScenario(typeof file === 'string' ? file : JSON.stringify(file, null, 1), {
    file: 'test.json',
    machines,
    catalogue: FIXTURE,
  });

export function loaded(change: (file: File) => void = () => {}): Scenario {
  const file = scenarioFile();
  change(file);
  const result = load(file);
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1));
  return result.value;
}

export function compiled(scenario: Scenario, options: CompileOptions = {}): CompiledMachine {
  const result = compile(scenario, { catalogue: FIXTURE, ...options });
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1));
  return result.value;
}
