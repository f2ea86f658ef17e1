/** How fast recorded operation traces are replayed: a trace is made once, then read and compared as a file is. */
import { inlineChecks } from '../src/engine/engine-code-inline';
import {
  MAP_OP as OP,
  MAP_OP_KIND as OP_KIND,
  MAP_OUTCOME as OUTCOME,
} from '../src/engine/gen/abi';
import { MapTable } from '../src/engine/maps';
import { replayMaps } from '../src/model/pools/map-replay';
import { sourceOf } from '../src/model/pools/map-trace';

const module = await inlineChecks();
const SETUP = { entries: 262144, shift: 13, base: 0n, pools: 16, rules: 0, boundary: 0xffffffffn };
const CPUS = 10;
const HELD = 64;

interface Area {
  readonly entry: number;
  readonly pages: number;
}

/** Writes operations as the allocator answers them. */
class Recorder {
  readonly #table = new MapTable(module, SETUP, 1, true);
  readonly #lines = [
    '{"t":"init","num_entries":262144,"table_shift":13,"table_map_base":0,"npools":16}',
  ];

  get operations(): number {
    return this.#lines.length - 1;
  }

  take(cpu: number, pages: number): Area | null {
    const { ops, outcomes } = this.#table;
    ops.fill(0);
    ops[OP.cpu] = cpu;
    ops[OP.hash] = Math.imul(cpu, 0x9e370001) >>> 28;
    ops[OP.pages] = pages;
    ops[OP.mask] = ops[OP.mask + 1] = 0xffffffff;
    this.#table.run(1);
    const found = outcomes[OUTCOME.result + 1] === 0;
    const entry = found ? (outcomes[OUTCOME.result] ?? 0) : -1;
    const pool = found ? `,"p":${outcomes[OUTCOME.pool]}` : '';
    this.#lines.push(
      `{"t":"a","c":${cpu},"n":${pages},"r":${entry}${pool},"l":${outcomes[OUTCOME.locks]},"f":0}`,
    );
    return found ? { entry, pages } : null;
  }

  give({ entry, pages }: Area): void {
    const { ops, outcomes } = this.#table;
    ops.fill(0);
    ops[OP.kind] = OP_KIND.free;
    ops[OP.pages] = pages;
    ops[OP.handle] = entry;
    this.#table.run(1);
    this.#lines.push(`{"t":"f","e":${entry},"n":${pages},"p":${outcomes[OUTCOME.pool]}}`);
  }

  bytes(): Uint8Array {
    return new TextEncoder().encode(this.#lines.join('\n'));
  }
}

/**
 * Ten CPUs that map and unmap in rings, over long-lived single entries.
 * @param among one entry in so many stays taken; 0 for none
 */
export function recorded(operations: number, sizes: readonly number[], among: number): Uint8Array {
  const recorder = new Recorder();
  if (among > 0) {
    const taken = Array.from({ length: SETUP.entries / 2 }, (_, i) => recorder.take(i % CPUS, 1));
    taken.forEach((area, i) => {
      if (area && Math.imul(i, 0x9e3779b1) >>> 8 >= (2 / among) * 2 ** 24) recorder.give(area);
    });
  }
  const rings = Array.from({ length: CPUS }, (): Area[] => []);
  for (let i = 0; recorder.operations < operations; i++) {
    const ring = rings[i % CPUS] ?? [];
    const oldest = ring.length < HELD ? undefined : ring.shift();
    if (oldest) recorder.give(oldest);
    const area = recorder.take(i % CPUS, sizes[i % sizes.length] ?? 1);
    if (area) ring.push(area);
  }
  return recorder.bytes();
}

/** Millions of operations per second, reading and comparing included. */
export function replayed(trace: Uint8Array): number {
  const start = performance.now();
  const { operations, mismatches } = replayMaps(module, sourceOf(trace));
  if (mismatches > 0) throw new Error('The trace does not replay.');
  return operations / (performance.now() - start) / 1000;
}
