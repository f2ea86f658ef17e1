/**
 * Packets in a memory: in the buffers of a ring, and as copies, from the views of the part that passes them
 * on.
 */
import { count, integer } from '../../base/format';
import type { PartType } from '../../engine/manifest';
import type { Moment } from '../moment';
import { rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import type { MachineLayout, PlacedPart } from './types';

/** Buffers of a ring, and copies. A part with both views passes packets on. */
const HOLDS = ['slots', 'messages'] as const;

export const passesPackets = ({ views }: PartType): boolean =>
  HOLDS.every((required) => views.some(({ name }) => name === required));

interface Packets {
  /** The packet in each buffer of the ring, 0 for none. */
  readonly ring: readonly number[];
  readonly copies: number;
}

/** Packets in memory; null if no part passes packets on, or none has arrived. */
export function packetsOf({ parts }: MachineLayout, now: Moment): Packets | null {
  const part = parts.find((one) => passesPackets(one.part.type))?.index;
  if (part === undefined || now.masks?.(part, ...HOLDS)) return null;
  const [slots, copies] = HOLDS.map((name) => now.view(part, name)?.column('packet'));
  const ring = now.view(part, 'now')?.column('ring')?.[0] ?? 0;
  if (!slots || !copies || ring === 0) return null;
  return { ring: [...slots.slice(0, ring)], copies: copies.filter((packet) => packet > 0).length };
}

export function packetsText({ ring, copies }: Packets): string {
  const held = ring.filter((packet) => packet > 0);
  const label = held.length > 0 ? `packets ${held.map(integer).join(', ')}` : 'no packet';
  return `in the ring ${label}${copies > 0 ? `, and ${count(copies, 'copy', 'copies')}` : ''}`;
}

const [PAD, CELL, BELOW] = [9, 13, 42];

/** A cell for each buffer, with its packet number if there is room. */
export function packetShapes(layout: MachineLayout, { box }: PlacedPart, now: Moment): Shape[] {
  const packets = packetsOf(layout, now);
  if (!packets || box.height < BELOW + CELL + 3) return [];
  const [x, y] = [box.x + PAD, box.y + BELOW];
  const copies = packets.copies > 0 ? `+ ${count(packets.copies, 'copy', 'copies')}` : '';
  const room = box.width - 2 * PAD - (copies ? widthOf(copies, 10.5) + 6 : 0);
  const pitch = Math.min(27, room / packets.ring.length);
  const shapes = packets.ring.flatMap((packet, slot): Shape[] => {
    const fits = widthOf(String(packet), 10.5) <= pitch - 6;
    const look = packet === 0 ? 'slot' : fits ? 'inset' : 'ink2f';
    const cell = rect(x + slot * pitch, y, pitch - 3, CELL, look);
    const middle = x + slot * pitch + (pitch - 3) / 2;
    return packet > 0 && fits ? [cell, words(middle, y + 10, String(packet), 't10 mid')] : [cell];
  });
  if (copies) shapes.push(words(box.x + box.width - PAD, y + 10, copies, 't10 i2 end'));
  return shapes;
}
