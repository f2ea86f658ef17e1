/**
 * The books about mappings on their own, as wasm/host/contract.c offers them: who mapped what, who gave it back,
 * and which of that does not go together.
 */
import { EngineError } from './api';
import { FAULT } from './faults';
import { RECORDED_OP as OP, RECORDED_DIRECTORY as PLACES, RECORDED_OP_KIND } from './gen/abi';

interface Exports {
  readonly memory: WebAssembly.Memory;
  recorded_room(rows: number, nodes: number, ops: number): number;
  recorded_run(ops: number): void;
  recorded_live(from: number): number;
  _initialize?(): void;
}

const ROWS = 1 << 18;
const NODES = 1 << 22;

/** As the checker of a running machine numbers its findings. */
export const DOUBLE_UNMAP = 2;

export interface Returned {
  /** Bytes of the mapping that was given back; 0 where none begins there. */
  readonly bytes: bigint;
  readonly finding: number;
  /** Where the other call was that does not go with this one; 0 where there is none. */
  readonly first: number;
}

export interface LiveMapping {
  readonly address: bigint;
  readonly bytes: bigint;
  readonly place: number;
}

export class ContractBooks {
  readonly #exports: Exports;
  readonly #places: number;

  /** @throws {EngineError} where there is no memory */
  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.#exports._initialize?.();
    this.#places = this.#exports.recorded_room(ROWS, NODES, 1);
    if (!this.#places) throw new EngineError('There is not enough memory.', FAULT.badParam, -1);
  }

  #word(place: number): number {
    return new Uint32Array(this.#exports.memory.buffer)[this.#places / 4 + place] ?? 0;
  }

  #op(): DataView {
    return new DataView(this.#exports.memory.buffer, this.#word(PLACES.opsAt), OP.size * 4);
  }

  #run(kind: number, address: bigint, bytes: bigint, place: number): Returned {
    const op = this.#op();
    op.setBigUint64(OP.address * 4, address, true);
    op.setBigUint64(OP.bytes * 4, bytes, true);
    op.setUint32(OP.kind * 4, kind, true);
    op.setUint32(OP.place * 4, place, true);
    this.#exports.recorded_run(1);
    return {
      bytes: op.getBigUint64(OP.bytes * 4, true),
      finding: op.getUint32(OP.finding * 4, true),
      first: op.getUint32(OP.first * 4, true),
    };
  }

  map(address: bigint, bytes: bigint, place: number): void {
    this.#run(RECORDED_OP_KIND.map, address, bytes, place);
  }

  unmap(address: bigint, place: number): Returned {
    return this.#run(RECORDED_OP_KIND.unmap, address, 0n, place);
  }

  /** Mappings that were not given back. */
  *live(): Generator<LiveMapping> {
    for (
      let row = this.#exports.recorded_live(0);
      row > 0;
      row = this.#exports.recorded_live(row)
    ) {
      const op = this.#op();
      yield {
        address: op.getBigUint64(OP.address * 4, true),
        bytes: op.getBigUint64(OP.bytes * 4, true),
        place: op.getUint32(OP.place * 4, true),
      };
    }
  }

  /** Mappings for which the books had no room. */
  get beyond(): number {
    return this.#word(PLACES.beyond);
  }

  /** Most mappings at a time. */
  get most(): number {
    return this.#word(PLACES.most);
  }
}
