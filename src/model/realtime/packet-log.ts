/** The stages of each packet, from the trace: arrival, pick-up, copies, and release of its buffer. */
import type { EventField } from '../../engine/gen/names';
import type { EventSpec } from '../../engine/manifest';
import { lastAt } from '../trace/lane';
import type { TraceRecord } from '../trace/trace';

/** Events of packets, from any part. */
const NAMES = [
  'taken',
  'purged',
  'flushed',
  'delivered',
  'copied',
  'accepted',
  'sum',
  'finished',
] as const;

export interface PacketStep {
  readonly name: (typeof NAMES)[number] | 'released';
  readonly timePs: number;
  readonly seq: number;
  /** Location of the packet: a buffer of the ring, or 64 plus the number of a copy. */
  readonly place: number;
  readonly cpu: number;
}

export interface PacketStory {
  readonly packet: number;
  /** Its first bit was on the wire. */
  readonly from: number;
  readonly seq: number;
  /** When it was complete in its buffer, and which; null while it arrives. */
  arrived: { readonly timePs: number; readonly seq: number; readonly slot: number } | null;
  readonly steps: PacketStep[];
  isLost: boolean;
  isWrong: boolean;
  isLate: boolean;
}

/** First place that is a copy. */
export const COPIES = 64;

const STEPS = new Set<string>(NAMES);

export class PacketLog {
  private readonly stories = new Map<number, PacketStory>();
  /** The latest packet in each buffer. */
  private readonly inSlot = new Map<number, number>();
  /** Packets picked up by each processor, in order. */
  private readonly hands = new Map<string, { times: number[]; packets: number[] }>();

  /** Reads a record of the adapter or of the network stack. */
  take(event: EventSpec, record: TraceRecord): void {
    const { name } = event;
    const read = (field: EventField): number => {
      const slot = event.fields.find((one) => one.name === field)?.slot;
      return slot ? record[slot as 'a' | 'b' | 'c'] : -1;
    };
    if (name === 'released') this.step(this.inSlot.get(read('slot')), 'released', record);
    const packet = read('packet');
    if (name === 'state' && !this.stories.has(packet) && packet > 0) this.begin(packet, record);
    const story = this.stories.get(packet);
    if (!story) return;
    if (name === 'lost') story.isLost = true;
    if (name === 'wrong') story.isWrong = true;
    if (name === 'late') story.isLate = true;
    if (name === 'received') {
      const slot = read('slot');
      story.arrived = { timePs: record.timePs, seq: record.seq, slot };
      this.inSlot.set(slot, packet);
    }
    if (STEPS.has(name))
      this.step(packet, name as PacketStep['name'], record, read('place'), read('cpu'));
  }

  private begin(packet: number, { timePs, seq }: TraceRecord): void {
    const flags = { isLost: false, isWrong: false, isLate: false };
    this.stories.set(packet, { packet, from: timePs, seq, arrived: null, steps: [], ...flags });
  }

  private step(
    packet: number | undefined,
    name: PacketStep['name'],
    { timePs, seq }: TraceRecord,
    place = -1,
    cpu = -1,
  ): void {
    const story = this.stories.get(packet ?? -1);
    if (!story) return;
    story.steps.push({ name, timePs, seq, place, cpu });
    if (name !== 'taken' && name !== 'accepted') return;
    const key = `${cpu} ${name}`;
    const hand = this.hands.get(key) ?? { times: [], packets: [] };
    this.hands.set(key, hand);
    hand.times.push(timePs);
    hand.packets.push(story.packet);
  }

  /** The last packet picked up by a processor at a time, for TCP/IP or for an application. */
  lastTaken(cpu: number, name: 'taken' | 'accepted', timePs: number): number | null {
    const hand = this.hands.get(`${cpu} ${name}`);
    return hand?.packets[lastAt(hand.times, timePs)] ?? null;
  }

  /** In order of arrival. */
  get packets(): readonly PacketStory[] {
    return [...this.stories.values()];
  }

  story(packet: number): PacketStory | null {
    return this.stories.get(packet) ?? null;
  }
}

export const stepOf = ({ steps }: PacketStory, name: PacketStep['name']): PacketStep | undefined =>
  steps.find((step) => step.name === name);
