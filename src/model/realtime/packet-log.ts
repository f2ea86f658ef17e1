/**
 * The stories of packets, from the record: when each came in, who took it, what was copied, when its buffer went back.
 */
import type { EventField } from '../../engine/gen/names';
import type { EventSpec } from '../../engine/manifest';
import { lastAt } from '../trace/lane';
import type { TraceRecord } from '../trace/trace';

/** The events of a packet, whichever part reports them. */
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
  /** Where the packet lies: a buffer of the ring, or 64 and the number of a copy. */
  readonly place: number;
  readonly cpu: number;
}

export interface PacketStory {
  readonly packet: number;
  /** Its first bit was on the wire. */
  readonly from: number;
  readonly seq: number;
  /** When it lay in its buffer, and in which; null while it comes in. */
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
  /** The packet that came last into each buffer. */
  private readonly inSlot = new Map<number, number>();
  /** What each processor took up, in order. */
  private readonly hands = new Map<string, { times: number[]; packets: number[] }>();

  /** Takes in a record of the adapter or of what passes packets on. */
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

  /** The packet that a processor has taken up last at a time, for TCP/IP or for an application. */
  lastTaken(cpu: number, name: 'taken' | 'accepted', timePs: number): number | null {
    const hand = this.hands.get(`${cpu} ${name}`);
    return hand?.packets[lastAt(hand.times, timePs)] ?? null;
  }

  /** In the order in which they came. */
  get packets(): readonly PacketStory[] {
    return [...this.stories.values()];
  }

  story(packet: number): PacketStory | null {
    return this.stories.get(packet) ?? null;
  }
}

export const stepOf = ({ steps }: PacketStory, name: PacketStep['name']): PacketStep | undefined =>
  steps.find((step) => step.name === name);
