/**
 * Packets in a memory: in the buffers of a ring, and as copies, from the views of the part that passes them
 * on.
 */
import { count, integer } from '../../base/format';
import type { Rect } from '../../base/geometry';
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

interface RingCell {
  /** 0 for none. */
  readonly packet: number;
  readonly slot: number;
  readonly box: Rect;
}

const copiesText = ({ copies }: Packets): string =>
  copies > 0 ? `+ ${count(copies, 'copy', 'copies')}` : '';

/** A cell for each buffer of the ring; none without room. */
export function ringCells(layout: MachineLayout, { box }: PlacedPart, now: Moment): RingCell[] {
  const packets = packetsOf(layout, now);
  if (!packets || box.height < BELOW + CELL + 3) return [];
  const [x, y] = [box.x + PAD, box.y + BELOW];
  const copies = copiesText(packets);
  const room = box.width - 2 * PAD - (copies ? widthOf(copies, 10.5) + 6 : 0);
  const pitch = Math.min(27, room / packets.ring.length);
  return packets.ring.map((packet, slot) => ({
    packet,
    slot,
    box: { x: x + slot * pitch, y, width: pitch - 3, height: CELL },
  }));
}

/** The cells of the ring, with their packet numbers if there is room. */
export function packetShapes(layout: MachineLayout, part: PlacedPart, now: Moment): Shape[] {
  const cells = ringCells(layout, part, now);
  const shapes = cells.flatMap(({ packet, box: { x, y, width, height } }): Shape[] => {
    const fits = widthOf(String(packet), 10.5) <= width - 3;
    const cell = rect(x, y, width, height, packet === 0 ? 'slot' : fits ? 'inset' : 'ink2f');
    const middle = x + width / 2;
    return packet > 0 && fits ? [cell, words(middle, y + 10, String(packet), 't10 mid')] : [cell];
  });
  const packets = cells.length > 0 && packetsOf(layout, now);
  const copies = packets ? copiesText(packets) : '';
  const { x, y, width } = part.box;
  if (copies) shapes.push(words(x + width - PAD, y + BELOW + 10, copies, 't10 i2 end'));
  return shapes;
}
