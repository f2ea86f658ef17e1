/** Machines of parts of several systems, run to their end with the rows of a program. */

import { Core } from '../../src/engine/core';
import { shapesOf } from '../../src/engine/engine-code';
import { inlineChecks } from '../../src/engine/engine-code-inline';
import { PART_TYPES } from '../../src/engine/gen/layout';
import type { CompiledMachine, CompiledPart } from '../../src/model/scenario/compiled';
import { compiled, scenarioFrom } from './scenarios';

const code = { module: await inlineChecks(), parts: shapesOf(PART_TYPES) };

/** The beginning of the card's memory, and of the tracked host memory. */
export const CARD = 0x8000_0000;
export const HOST = 0x10_0000;

interface Asked {
  readonly machine: string;
  readonly rows?: readonly object[];
  readonly parts?: object;
  readonly wires?: readonly (readonly [string, string])[];
  /** Work of processors by their names; without it the first does the rows. */
  readonly workload?: Readonly<Record<string, readonly (readonly object[])[]>>;
  readonly watched?: boolean;
}

export class Run {
  readonly core = new Core(code);
  readonly machine: CompiledMachine;

  constructor({ machine, rows = [], parts = {}, wires = [], watched = true, ...asked }: Asked) {
    const first = machine === 'hp-gt' ? { cpu0: [rows], cpu1: [[IDLE]] } : { cpu: [rows] };
    const workload = asked.workload ?? first;
    const file = {
      ...{ busyard: 1, title: 'T', summary: 'S', system: 'one', until: '50 ms' },
      ...{ machine: { extends: machine, parts, wires }, workload, view: { kind: 'machine' } },
    };
    this.machine = compiled(scenarioFrom(JSON.stringify(file), 'test.json'), { watched });
    this.core.open(this.machine.config);
    this.core.run(50e9, 2_000_000);
  }

  #part(name: string): CompiledPart {
    const part = this.machine.parts.find((one) => one.name === name);
    if (!part) throw new Error(name);
    return part;
  }

  name(index: number): string {
    return this.machine.parts.find((one) => one.index === index)?.name ?? 'nobody';
  }

  counter(part: string, name: string): number {
    const { index, type } = this.#part(part);
    const at = type.counters.findIndex((counter) => counter.name === name);
    return this.core.counters(index)[at] ?? Number.NaN;
  }

  column(part: string, view: string, field: string): Float64Array {
    const { index, type } = this.#part(part);
    const at = type.views.findIndex(({ name }) => name === view);
    const column = type.views[at]?.fields.findIndex(({ name }) => name === field) ?? -1;
    return this.core.view({ part: index, view: at }).columns[column] ?? new Float64Array();
  }

  /** Records of an event, in order. */
  events(part: string, name: string) {
    const { index, type } = this.#part(part);
    const kind = type.events.findIndex((event) => event.name === name);
    const first = type.events[kind];
    const trace = this.core.trace(1, 200_000);
    return Array.from({ length: trace.length }, (_, i) => i)
      .filter((i) => trace.part[i] === index && trace.kind[i] === (first?.kind ?? kind))
      .map((i) => ({
        seq: trace.firstSeq + i,
        ps: trace.timePs[i] ?? 0,
        a: Number(trace.a[i]),
        b: trace.b[i] ?? 0,
        c: trace.c[i] ?? 0,
      }));
  }

  member(part: string, choice: string, name: string): number {
    return this.#part(part).type.enums[choice]?.findIndex((one) => one.name === name) ?? -1;
  }

  /** Newest write of each followed half line of the HP machine's memory, and what memory holds. */
  newest(address: number): number {
    return this.column('memory', 'cells', 'newest')[(address - HOST) / 16] ?? Number.NaN;
  }

  word(address: number): number {
    return this.column('gt', 'cells', 'write')[(address - CARD) / 4] ?? Number.NaN;
  }
}

export const IDLE = { do: 'spend', time: '1 ns' };
export const hex = (value: number) => `0x${value.toString(16)}`;
export const out = (from: number, to: number, bytes: number) => ({
  do: 'dma_write',
  from: hex(from),
  to: hex(to),
  bytes,
});
export const back = (from: number, to: number, bytes: number) => ({
  do: 'dma_read',
  from: hex(from),
  to: hex(to),
  bytes,
});
export const store = (to: number, bytes: number) => ({ do: 'store', to: hex(to), bytes, width: 4 });

interface Described {
  readonly params?: object;
}

/** The GT card behind HSC, with an IOMMU that walks its table in the place of the I/O adapter. */
const WALKED: Readonly<Record<string, object | null>> = {
  ...{ services: null, adapter: null },
  map: {
    type: 'iommu_map',
    params: { entries: 1024, page: '4 KiB', base: '0x40000000', spread: false },
  },
  memory: { params: { directory: '0x110000', directory_bytes: '16 KiB', two_values: true } },
  iommu: { type: 'iommu', params: { table: '0x110000', cached: 8 } },
};

/** That machine with other parts; a part named in both has the parameters of both. */
export function walked({ parts = {}, wires = [], ...asked }: Omit<Asked, 'machine'>): Run {
  const all: Record<string, object | null> = { ...WALKED };
  for (const [name, part] of Object.entries<Described | null>({ ...parts })) {
    const params = { ...(all[name] as Described | null)?.params, ...part?.params };
    all[name] = part && { ...all[name], ...part, params };
  }
  return new Run({
    ...asked,
    machine: 'hp-gt',
    parts: all,
    wires: [
      ...('driver' in parts ? [] : [['driver.map', 'map.cpu0'] as const]),
      ['map.iommu', 'iommu.map'],
      ['iommu.bus', 'runway.agent8'],
      ['iommu.hsc', 'hsc.adapter'],
      ...wires,
    ],
  });
}
