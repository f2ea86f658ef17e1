/**
 * A bus: two rails over a sunken strip, name and constants at the left, utilisation at the right. Along the
 * lower edge are its last cycles as an exact tape. The packet of the present transaction travels on it,
 * pointing in the direction of the data.
 */
import { clamp, lerp, type Rect } from '../../base/geometry';
import {
  fitting,
  narrowed,
  PACKET_HEIGHT,
  type PacketInput,
  packet,
  packetWidth,
  signOf,
} from '../glyph';
import type { Moment } from '../moment';
import { line, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import { isBeingRead } from './being-read';
import { cycleOf, type Transaction, transactionOn } from './bus-transaction';
import { busyShare, constantsOf, percentText } from './facts';
import { LEAST_TRAVEL } from './stubs';
import type { Look, MachineLayout, PlacedPart } from './types';

/** Cycles on the tape. */
const TAPE = 116;
/** Length of the tape of a bus without a clock, in picoseconds. */
const TAPE_PS = 4_000_000;
/** The name is set in the wider face, which at this size is as wide as the condensed one. */
const TITLE = 17;
/** Rails this far apart have room for a tape. */
const TALL = 32;

/** Width of a packet with its name and its beats. */
const USUAL_PACKET = 140;

/** Constants are left out if they would leave no room for packets. */
const factsOf = ({ part, box }: PlacedPart): string =>
  box.width < LEAST_TRAVEL + USUAL_PACKET
    ? ''
    : (fitting([constantsOf(part)], box.width * 0.2, 11.5) ?? '');

/** Where the text at the left of a bus ends. */
export function nameEnd(placed: PlacedPart): number {
  const facts = factsOf(placed);
  const name = 18 + widthOf(placed.part.title, TITLE);
  return placed.box.x + name + (facts ? widthOf(facts, 11.5) + 8 : 6);
}

export function railShapes(placed: PlacedPart): Shape[] {
  const { part, box } = placed;
  const { x, y, width, height } = box;
  const [right, low] = [x + width, y + height];
  const name = height >= TALL ? y + 17 : y + height / 2 + 4.5;
  const shapes = [
    rect(x, y, width, height, 'rail'),
    line(x, y, right, y, 'heavy'),
    line(x, low, right, low, 'heavy'),
    words(x + 10, name, part.title, 's12'),
  ];
  const facts = factsOf(placed);
  if (facts) shapes.push(words(x + 18 + widthOf(part.title, TITLE), name, facts, 't11 i3'));
  if (height >= TALL) shapes.push(line(x + 10, low - 3.5, right - 10, low - 3.5, 'rule'));
  return shapes;
}

const actorAt = (layout: MachineLayout, by: number | null): string =>
  layout.parts.find((part) => part.index === by)?.actor ?? 'bus';

function tape(layout: MachineLayout, bus: PlacedPart, now: Moment): Shape[] {
  const { part, box, index } = bus;
  const track = part.type.tracks[0];
  if (!track || box.height < TALL) return [];
  const cycle = cycleOf(bus);
  const length = cycle ? TAPE * cycle : TAPE_PS;
  const start = now.timePs - length;
  const [left, width, y] = [box.x + 10, box.width - 20, box.y + box.height - 11];
  const at = (time: number) => left + clamp((time - start) / length, 0, 1) * width;
  return now.past(index, track.name, start).map((stretch) => {
    const [from, to] = [at(stretch.from), at(Math.min(stretch.to, now.timePs))];
    const light = stretch.state.style === 'light';
    const filled = `a-${signOf(actorAt(layout, stretch.origin ?? stretch.by)).hue}`;
    return rect(from, y, Math.max(0.8, to - from - 0.6), 7, filled, light ? 0.5 : 1);
  });
}

/** Where the stub between two parts meets the bus. */
function stubAt(layout: MachineLayout, bus: number, other: number): number | null {
  const wire = layout.wires.find(({ ends: [a, b] }) =>
    a.part === bus ? b.part === other : a.part === other && b.part === bus,
  );
  if (!wire) return null;
  const first = wire.ends[0].part === bus || wire.corners[1] === undefined;
  const box = layout.parts.find((part) => part.index === bus)?.box;
  const touches = (y: number | undefined) =>
    box !== undefined && y !== undefined && y >= box.y - 1 && y <= box.y + box.height + 1;
  const { corners } = wire;
  if (touches(corners[1]) && !touches(corners.at(-1))) return corners[0] ?? null;
  if (touches(corners.at(-1)) && !touches(corners[1])) return corners.at(-2) ?? null;
  return (first ? corners[0] : corners.at(-2)) ?? null;
}

interface Shown {
  /** Packets do not move (reduced motion). */
  readonly still: boolean;
  readonly look: Look;
}

/** Where data come from and go to along the bus. */
function endsOf(layout: MachineLayout, bus: PlacedPart, what: Transaction): [number, number] {
  const { by } = what.stretch;
  const requester = by === null ? null : stubAt(layout, bus.index, by);
  const target = what.target === null ? null : stubAt(layout, bus.index, what.target);
  const [from, to] = what.reading ? [target, requester] : [requester, target];
  const middle = bus.box.x + bus.box.width / 2;
  return [from ?? to ?? middle, to ?? from ?? middle];
}

/** Room for the utilisation at the right of a bus; on a short bus a packet takes it. */
const UTILISATION = 64;

/**
 * First and last position of a packet's left edge. It leaves one stub with its tip and reaches the other with its tail.
 * If that is too short for the eye, it runs further to both sides, as far as the bus goes.
 */
function travel(
  { compact }: MachineLayout,
  bus: PlacedPart,
  [from, to]: readonly [number, number],
  width: number,
): [number, number] {
  const { box } = bus;
  const least = nameEnd(bus);
  const end = box.x + box.width - width;
  const isShort = compact || end - UTILISATION - least < LEAST_TRAVEL;
  const most = Math.max(least, end - (isShort ? 4 : UTILISATION));
  const [left, right] = [Math.min(from, to) - width, Math.max(from, to)];
  const length = Math.min(Math.max(right - left, LEAST_TRAVEL), most - least);
  const start = clamp((left + right - length) / 2, least, most - length);
  return to < from ? [start + length, start] : [start, start + length];
}

/** The packet of the present transaction, and its place. */
export interface TravellingPacket {
  readonly what: Transaction;
  readonly input: PacketInput;
  readonly box: Rect;
}

/** The packet of the present transaction, between its two ends; null while the bus is idle. */
export function packetOn(
  layout: MachineLayout,
  bus: PlacedPart,
  now: Moment,
  { still, look }: Shown,
): TravellingPacket | null {
  const what = transactionOn(layout, bus, now);
  if (!what) return null;
  const { box } = bus;
  const ends = endsOf(layout, bus, what);
  const whole = {
    actor: actorAt(layout, what.stretch.origin ?? what.stretch.by),
    label: what.label,
    beats: what.beats,
    done: what.done,
    toLeft: ends[1] < ends[0],
    scale: look.scale,
  };
  const input = narrowed(whole, box.x + box.width - 4 - nameEnd(bus));
  const width = packetWidth(input);
  const [from, to] = travel(layout, bus, ends, width);
  const x = lerp(from, to, still ? 0.5 : what.share);
  const y = box.y + (box.height >= TALL ? 2 : (box.height - PACKET_HEIGHT) / 2);
  return { what, input, box: { x, y, width, height: PACKET_HEIGHT } };
}

function packetShapes(
  layout: MachineLayout,
  bus: PlacedPart,
  { what, input, box: { x, y, width } }: TravellingPacket,
  look: Look,
): readonly Shape[] {
  const isIo = bus.index === layout.roles.tlb?.bus;
  const marked = isBeingRead(look, isIo ? null : what.address, isIo ? what.address : null);
  const mark = rect(x - 4, y - 2, marked ? width + 8 : 0, 26, 'markf');
  return [mark, ...packet(x, y, input)];
}

/** The utilisation at the right of a bus, and its place; null without a count, or without room beside the packet. */
export function utilisationOf(
  { box, part, index }: PlacedPart,
  now: Moment,
  left: number,
): { readonly label: string; readonly box: Rect } | null {
  const busy = busyShare(part, index, now);
  if (busy === null) return null;
  const y = box.height >= TALL ? box.y + 17 : box.y + box.height / 2 + 4.5;
  const right = box.x + box.width - 8;
  const label = fitting([`${percentText(busy)} busy`, percentText(busy)], right - 4 - left, 11);
  if (label === undefined) return null;
  const width = widthOf(label, 11);
  return { label, box: { x: right - width, y: y - 10, width, height: 13 } };
}

/** Where the room for the utilisation begins. */
export const utilisationFrom = (bus: PlacedPart, going: TravellingPacket | null): number =>
  Math.max(nameEnd(bus), going ? going.box.x + going.box.width : 0);

export function busNow(layout: MachineLayout, bus: PlacedPart, now: Moment, shown: Shown): Shape[] {
  const shapes = tape(layout, bus, now);
  const going = packetOn(layout, bus, now, shown);
  if (going) shapes.push(...packetShapes(layout, bus, going, shown.look));
  const busy = utilisationOf(bus, now, utilisationFrom(bus, going));
  if (busy) {
    const { x, y, width, height } = busy.box;
    shapes.push(words(x + width, y + height - 3, busy.label, 't11 i2 end'));
  }
  return shapes;
}
