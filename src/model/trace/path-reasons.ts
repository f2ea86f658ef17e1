/** What the time on a critical path is spent on, by state and by part. */
import type { EventWord } from '../../engine/gen/names';

export const REASONS = [
  'queue',
  'arbitration',
  'translation',
  'snoop',
  'data',
  'interrupt',
  'software',
  'device',
] as const;

/** What time was spent on. `device`: a device works on its own. */
export type Reason = (typeof REASONS)[number];

/** States by type of part, and what they spend time on. */
const STATES: Readonly<Record<string, Readonly<Partial<Record<Reason, string>>>>> = {
  processor: {
    queue: 'stall spin',
    translation: 'table',
    snoop: 'miss order',
    data: 'store load copy fill access carry',
    interrupt: 'interrupt',
    software:
      'idle work call switch wake api driver finish poll locked hypercall kernel stack serve protocol message decode',
  },
  bridge: { queue: 'empty posting' },
  pci: { data: 'read write read_line read_multiple completion write_invalidate' },
  pcix: { data: 'read write read_block write_block completion' },
  hsc: { queue: 'idle', data: 'read write data register answer', interrupt: 'interrupt' },
  memory_bus: { queue: 'idle', data: 'read write' },
  runway: {
    queue: 'nothing',
    snoop: 'read_shared read_private flush purge',
    data: 'write32 write16_purge write_back c2c_data read_noncoherent write_noncoherent short_read short_write short_return return',
  },
  memory_controller: { data: 'idle busy' },
  io_adapter: {
    queue: 'idle hold',
    translation: 'lookup fetch',
    data: 'read write',
    snoop: 'merge',
    interrupt: 'interrupt',
  },
  iommu: { queue: 'idle', translation: 'upper entry' },
  gt: { device: 'idle start', queue: 'ring', data: 'data' },
  dma_device: { device: 'idle pause', queue: 'send', data: 'wait' },
  bus_master: { device: 'idle', data: 'moving' },
  peer: { device: 'idle', data: 'data script' },
  pio_device: { device: 'empty', queue: 'waiting full' },
  network_link: { device: 'idle', data: 'frame' },
  net_adapter: { device: 'idle', data: 'sending' },
  lan_card: { device: 'idle work', data: 'descriptor data' },
  tcp_receiver: { device: 'idle protocol', data: 'copy' },
  ethernet: { device: 'idle gap', queue: 'held', data: 'frame fetch' },
  offload_engine: { device: 'idle protocol', queue: 'full', data: 'frame' },
  lba: { device: 'idle', data: 'fetching', queue: 'blocked' },
  pcix_bridge: { device: 'idle', data: 'fetching', queue: 'blocked' },
  hsc_pci: { device: 'idle', data: 'fetching' },
};

const byState = new Map<string, Reason>(
  Object.entries(STATES).flatMap(([type, reasons]) =>
    Object.entries(reasons).flatMap(([reason, names]) =>
      (names ?? '').split(' ').map((name) => [`${type}.${name}`, reason as Reason] as const),
    ),
  ),
);

/** What a state spends time on; undefined if it has not been said. */
export const reasonOfState = (type: string, state: string): Reason | undefined =>
  byState.get(`${type}.${state}`);

/** Without a state: by what the part is. */
export const ACTOR_REASONS: Readonly<Record<string, Reason>> = {
  cpu: 'software',
  os: 'software',
  bus: 'queue',
  adapter: 'queue',
  mem: 'data',
};

/** Answers to the cause of a link, and what the time up to them was spent on. */
export const ANSWERS: Readonly<Partial<Record<EventWord, Reason>>> = {
  response: 'snoop',
  access: 'data',
  miss: 'translation',
};

/** Events with which a bus is taken: the time before is the wait for it. */
export const TAKES: readonly string[] = ['start'] satisfies EventWord[];

/** With this answer a part begins to serve the cause, and does until its next answer. */
export const SERVES: EventWord = 'access';

/** Events with which a cache answers a bus. */
export const SNOOPED: readonly string[] = ['row'] satisfies EventWord[];

interface Repeated {
  /** The event with which it was refused before, in the same part or in another. */
  readonly by: EventWord;
  readonly same: boolean;
  /** The event that makes it succeed; an operation of the part ends with it if none is named. */
  readonly ready?: EventWord;
}

/** Answers to what is repeated until it succeeds. */
export const REPEATED: Readonly<Partial<Record<EventWord, Repeated>>> = {
  answer: { by: 'answer', same: true },
  given: { by: 'retried', same: false, ready: 'here' },
};
