/** Checks recorded calls of the DMA interface: each mapping is unmapped once, by its device, as it was mapped. */
import { Sorted } from '../../base/sorted';
import type { MappingEvent } from './ftrace';

export type CallFault = 'double_unmap' | 'unknown_address' | 'wrong_direction' | 'wrong_size';

export interface CallFinding {
  readonly finding: CallFault;
  /** The line of the conflicting call. */
  readonly first_line: number;
  readonly detail?: string;
}

/** Maximum number of remembered unmaps, at about 100 bytes each. */
const MAX_UNMAPPED = 1 << 22;

interface Device {
  /** Live mappings by key. An address without an I/O page may be mapped twice. */
  readonly live: Map<string, MappingEvent[]>;
  /** Lines of unmaps. */
  readonly unmapped: Map<string, number>;
  /** The unmaps by address, rounded to a double. */
  unmappedByAddress: Sorted<MappingEvent>;
  /** Live mappings by address, rounded to a double. */
  readonly byAddress: Sorted<MappingEvent>;
}

function forgetUnmapped(device: Device): void {
  device.unmapped.clear();
  device.unmappedByAddress = new Sorted();
}

const keyOf = ({ listKey, address }: MappingEvent) =>
  listKey ? `list ${listKey}` : address.toString(16);

const known = (direction: string) => direction !== '' && direction !== 'NONE';

export class RecordedCalls {
  readonly #devices = new Map<string, Device>();
  #live = 0;
  most = 0;
  notFollowed = 0;

  #of(name: string): Device {
    const device = this.#devices.get(name);
    if (device) return device;
    const made: Device = {
      live: new Map(),
      unmapped: new Map(),
      unmappedByAddress: new Sorted(),
      byAddress: new Sorted(),
    };
    this.#devices.set(name, made);
    return made;
  }

  map(event: MappingEvent): void {
    if (this.#live >= MAX_UNMAPPED) {
      this.notFollowed++;
      return;
    }
    const { live, byAddress } = this.#of(event.device);
    const key = keyOf(event);
    const same = live.get(key);
    if (same) same.push(event);
    else live.set(key, [event]);
    byAddress.set(Number(event.address), event);
    this.most = Math.max(this.most, ++this.#live);
  }

  /**
   * Conflicts of an unmap with its mapping; null if the mapping is unknown. Calls before `since` cause no findings.
   */
  unmap(event: MappingEvent, since: number): readonly CallFinding[] | null {
    const device = this.#of(event.device);
    const key = keyOf(event);
    const same = device.live.get(key) ?? [];
    const fits = same.findLastIndex(
      (one) => one.bytes === event.bytes && one.direction === event.direction,
    );
    const [mapping] = same.splice(fits < 0 ? same.length - 1 : fits, 1);
    if (!mapping) return this.#notLive(device, event, key, since);
    const [rest] = same;
    if (rest) device.byAddress.set(Number(rest.address), rest);
    else {
      device.live.delete(key);
      device.byAddress.delete(Number(mapping.address));
    }
    this.#live--;
    if (device.unmapped.size >= MAX_UNMAPPED) forgetUnmapped(device);
    device.unmapped.set(key, event.line);
    const { address, bytes } = mapping;
    device.unmappedByAddress.set(Number(address), { ...event, address, bytes });
    return mapping.line > since ? this.#compared(mapping, event) : [];
  }

  #compared(mapping: MappingEvent, event: MappingEvent): CallFinding[] {
    const found: CallFinding[] = [];
    const first_line = mapping.line;
    const differ = (finding: CallFault, was: string, is: string) =>
      found.push({ finding, first_line, detail: `${was} there, ${is} here` });
    const [was, is] = [mapping.direction, event.direction];
    if (known(was) && known(is) && was !== is) differ('wrong_direction', was, is);
    if (!event.listKey && mapping.bytes !== event.bytes)
      differ('wrong_size', `${mapping.bytes} B`, `${event.bytes} B`);
    return found;
  }

  #notLive(device: Device, event: MappingEvent, key: string, since: number) {
    const before = device.unmapped.get(key);
    if (before) return [{ finding: 'double_unmap', first_line: before } as const];
    if (event.listKey) return null;
    const below = device.byAddress.below(Number(event.address) + 1);
    const around = below && !below.listKey && below.line > since ? below : null;
    return around && event.address < around.address + around.bytes
      ? [{ finding: 'unknown_address', first_line: around.line } as const]
      : null;
  }

  /** The line that unmapped an address of a device; 0 if it is mapped, or was not unmapped. */
  unmappedAt(name: string, address: bigint): number {
    const device = this.#devices.get(name);
    const holds = (one: MappingEvent | undefined) =>
      one !== undefined && address >= one.address && address < one.address + one.bytes;
    if (!device || holds(device.byAddress.below(Number(address) + 1))) return 0;
    const before = device.unmappedByAddress.below(Number(address) + 1);
    return before && holds(before) ? before.line : 0;
  }

  /** Drops the remembered unmaps: their addresses may have been mapped again. */
  forget(): void {
    for (const device of this.#devices.values()) forgetUnmapped(device);
  }

  get lines(): number[] {
    return [...this.#devices.values()].flatMap(({ live }) =>
      [...live.values()].flatMap((events) => events.map(({ line }) => line)),
    );
  }
}
