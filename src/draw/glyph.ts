/**
 * Small signs of the drawings: actors (shape and hue), packets, the selection (corner ticks), causes
 * (numbered marks), seals.
 */
import type { Rect } from '../base/geometry';
import { circle, path, polyline, rect, type Shape, words } from './shape';
import { widthOf } from './text-width';

type Form = 'disc' | 'square' | 'triangle' | 'diamond' | 'bar' | 'hexagon' | 'ring' | 'dash';

interface Sign {
  readonly form: Form;
  /** Suffix of the CSS classes `a-` (filled) and `o-` (outlined). */
  readonly hue: 'cpu' | 'disk' | 'lan' | 'adapter' | 'mem';
}

/** A new kind of actor takes the next shape, then the next hue; hue alone never distinguishes actors. */
const SIGNS: Readonly<Record<string, Sign>> = {
  cpu: { form: 'disc', hue: 'cpu' },
  disk: { form: 'square', hue: 'disk' },
  lan: { form: 'triangle', hue: 'lan' },
  adapter: { form: 'diamond', hue: 'adapter' },
  mem: { form: 'bar', hue: 'mem' },
  card: { form: 'hexagon', hue: 'disk' },
  os: { form: 'ring', hue: 'cpu' },
  bus: { form: 'dash', hue: 'mem' },
};
const OTHER: Sign = { form: 'square', hue: 'adapter' };

export const signOf = (actor: string): Sign => SIGNS[actor] ?? OTHER;

/** Devices take these signs in their order in the machine. */
const DEVICE_SIGNS = ['disk', 'lan', 'card'];

interface Signed {
  readonly title: string;
  readonly type: { readonly actor: string };
}

/** The sign of a part. If there are more devices than signs, "Disk 0" and "Disk 1" share one. */
export function actorOf(parts: readonly Signed[], part: number | null): string {
  const own = parts[part ?? -1];
  if (own?.type.actor !== 'device') return own?.type.actor ?? 'other';
  const titles = parts.filter(({ type }) => type.actor === 'device').map(({ title }) => title);
  const family = (title: string) =>
    titles.length > DEVICE_SIGNS.length ? title.replace(/\s*\d+$/, '') : title;
  const order = [...new Set(titles.map(family))].indexOf(family(own.title));
  return DEVICE_SIGNS[order] ?? 'other';
}

/** Corners of a sign in half widths from its centre: x, y, x, y ... Discs have none. */
const CORNERS: Readonly<Partial<Record<Form, readonly number[]>>> = {
  square: [-1, -1, 1, -1, 1, 1, -1, 1],
  bar: [-1, -0.6, 1, -0.6, 1, 0.6, -1, 0.6],
  dash: [-1, -0.25, 1, -0.25, 1, 0.25, -1, 0.25],
  triangle: [0, -1.15, 1.15, 0.95, -1.15, 0.95],
  diamond: [0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0],
  hexagon: [-0.6, -1, 0.6, -1, 1.15, 0, 0.6, 1, -0.6, 1, -1.15, 0],
};

/** The sign of an actor around a centre; `r` is half its width. */
export function glyph(actor: string, x: number, y: number, r = 4): Shape {
  const { form, hue } = signOf(actor);
  if (form === 'ring') return circle(x, y, r * 0.8, `o-${hue}`);
  const corners = CORNERS[form];
  if (!corners) return circle(x, y, r, `a-${hue}`);
  return path(polyline(corners.map((share, i) => (i % 2 === 0 ? x : y) + r * share)), `a-${hue}`);
}

/** Boxes for the beats of a transfer; finished beats are filled. */
function beats(x: number, y: number, amount: number, done: number, hue: string): Shape[] {
  return Array.from({ length: amount }, (_, index) =>
    rect(x + index * BEAT, y, 5, 10, index < done ? `a-${hue}` : 'slot'),
  );
}

export interface PacketInput {
  readonly actor: string;
  readonly label: string;
  /** Number of boxes, and how many are filled. */
  readonly beats: number;
  readonly done: number;
  readonly toLeft: boolean;
  /** Scale of the drawing: letters do not become smaller with it. */
  readonly scale?: number | undefined;
}

export const PACKET_HEIGHT = 22;
/** Advance of its letters, which have 10 px at any smaller scale and a little more on a projector. */
const MONO = 6.45;
const BEAT = 7;

const labelWidth = ({ label, scale = 1 }: PacketInput): number =>
  (label.length * MONO) / Math.min(1, scale);

export const packetWidth = (input: PacketInput): number =>
  26 + labelWidth(input) + 8 + input.beats * BEAT + 5;

/** The same packet with as many boxes as fit into a width. */
export function narrowed(input: PacketInput, width: number): PacketInput {
  const boxes = Math.floor((width - packetWidth({ ...input, beats: 0 })) / BEAT);
  if (boxes >= input.beats) return input;
  const beats = Math.max(0, boxes);
  return { ...input, beats, done: Math.floor((input.done * beats) / input.beats) };
}

/** A flag pointing in the direction of travel: sign, name, one box per beat. `x` is its left edge. */
export function packet(x: number, y: number, input: PacketInput): Shape[] {
  const { actor, label, toLeft } = input;
  const width = packetWidth(input);
  const { hue } = signOf(actor);
  const [tip, low, mid] = [7, y + PACKET_HEIGHT, y + PACKET_HEIGHT / 2];
  const [left, right] = [x, x + width];
  const outline = toLeft
    ? [left, mid, left + tip, y, right, y, right, low, left + tip, low]
    : [left, y, right - tip, y, right, mid, right - tip, low, left, low];
  const start = toLeft ? x : x - 5;
  const boxes = start + 26 + labelWidth(input) + 8;
  return [
    path(polyline(outline), `raisedf o-${hue} packet`),
    glyph(actor, start + 17, mid, 4),
    words(start + 26, y + 14.8, label, 'm10 b6'),
    ...beats(boxes, y + 6, input.beats, input.done, hue),
  ];
}

/** Four corner ticks around the selected part. */
export function selectionTicks({ x, y, width, height }: Rect): Shape[] {
  const [gap, arm] = [5, 8];
  const corner = (cx: number, cy: number, dx: number, dy: number) =>
    path(polyline([cx, cy + dy * arm, cx, cy, cx + dx * arm, cy], false), 'sel-tick');
  const [left, right, top, low] = [x - gap, x + width + gap, y - gap, y + height + gap];
  return [
    corner(left, top, 1, 1),
    corner(right, top, -1, 1),
    corner(left, low, 1, -1),
    corner(right, low, -1, -1),
  ];
}

/** A numbered mark, with the number of the list of causes. */
export const reasonMark = (x: number, y: number, number: number): Shape[] => [
  circle(x, y, 7.5, 'reason'),
  words(x, y + 3.4, String(number), 'reason-number'),
];

/** The first wording that fits, or none: a truncated address or unit would be wrong. */
export const fitting = (
  wordings: readonly string[],
  width: number,
  size: number,
): string | undefined => wordings.find((text) => widthOf(text, size) <= width);

/** What an open question asks about, in place of the drawing of it. */
export const sealShapes = ({ x, y, width, height }: Rect, text: string): Shape[] => [
  rect(x, y, width, height, 'seal'),
  words(x + width / 2, y + height / 2 + 4, text, 't11 b6 mid acc'),
];
