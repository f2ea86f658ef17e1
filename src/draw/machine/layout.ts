/**
 * Layout of a machine's parts. A scenario gives positions for a sheet of 860 by 366; without them, parts are
 * placed in rows by their distance from the processors. A phone gets rows of its own in the same order, so
 * that text need not shrink.
 */
import type { Rect } from '../../base/geometry';
import type { PartType } from '../../engine/manifest';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { actorOf } from '../glyph';
import { contentHeight } from './facts';
import type { DrawnMachine, DrawnPart, MachineLayout, PlacedPart } from './types';
import { routeWires } from './wires';

export const SHEET = { width: 860, height: 366 };
const MARGIN = 24;
const GAP = 14;
const RAIL = 38;
/** The same in the compact drawing. */
const COMPACT_RAIL = 34;
const BOX = 74;

const isRail = (machine: DrawnMachine, part: number): boolean =>
  machine.parts[part]?.type.actor === 'bus';

const within = ({ at: inner }: DrawnPart, { at: outer }: DrawnPart): boolean =>
  inner !== null &&
  outer !== null &&
  inner[0] >= outer[0] &&
  inner[1] >= outer[1] &&
  inner[0] + inner[2] <= outer[0] + outer[2] &&
  inner[1] + inner[3] <= outer[1] + outer[3];

/** The part that contains this one; null if it has a position of its own. */
function hostOf({ parts }: DrawnMachine, part: DrawnPart): number | null {
  const found = parts.findIndex((other) => other !== part && within(part, other));
  return found < 0 ? null : found;
}

function placed(machine: DrawnMachine, boxes: readonly Rect[]): PlacedPart[] {
  return machine.parts.flatMap((part, index) => {
    const box = boxes[index];
    const [actor, host] = [actorOf(machine.parts, index), hostOf(machine, part)];
    return box ? [{ index, part, box, actor, rail: isRail(machine, index), host }] : [];
  });
}

/**
 * Distance from the nearest processor along required wires. Parts that no such wire leads to go below,
 * starting with the first.
 */
function ranks(machine: DrawnMachine): number[] {
  const needed = machine.wires.filter(({ ends }) =>
    ends.some(({ part, port }) =>
      machine.parts[part]?.type.ports.some((spec) => spec.name === port && spec.required),
    ),
  );
  const ends = needed.map(({ ends: [a, b] }) => [a.part, b.part] as const);
  const starts: number[] = machine.parts.map((part) => (part.type.actor === 'cpu' ? 0 : -1));
  const rank = starts.includes(0) ? starts : starts.map((_, index) => (index === 0 ? 0 : -1));
  const follow = () => {
    for (let step = 0; step <= Math.max(...rank); step++)
      for (const [a, b] of ends) {
        if (rank[a] === step && rank[b] === -1) rank[b] = step + 1;
        if (rank[b] === step && rank[a] === -1) rank[a] = step + 1;
      }
  };
  follow();
  const below = Math.max(...rank) + 1;
  rank.forEach((value, index) => {
    if (value !== -1 || isRail(machine, index)) return;
    rank[index] = below;
    follow();
  });
  return rank.map((value) => (value === -1 ? below : value));
}

/** Rows of parts from top to bottom: the boxes of a rank, then each of its buses alone. */
function rowsByRank(machine: DrawnMachine): number[][] {
  const rank = ranks(machine);
  const rows: number[][] = [];
  for (let level = 0; level <= Math.max(...rank); level++) {
    const here = rank.flatMap((value, index) => (value === level ? [index] : []));
    const boxes = here.filter((index) => !isRail(machine, index));
    if (boxes.length > 0) rows.push(boxes);
    for (const index of here) if (isRail(machine, index)) rows.push([index]);
  }
  return rows;
}

/** A bus beside the parts that it joins, no wider than they are. */
const isUpright = ({ at }: DrawnPart): boolean => at !== null && at[2] < 2 * at[3];

/** Rows by position: boxes whose heights overlap share a row, and so do buses; a bus beside boxes is one of them. */
function rowsByPlace(machine: DrawnMachine): number[][] {
  const order = machine.parts
    .map((part, index) => ({ index, at: part.at ?? ([0, 0, 0, 0] as const) }))
    .filter(({ index }) => hostOf(machine, machine.parts[index] as DrawnPart) === null)
    .sort((a, b) => a.at[1] - b.at[1] || a.at[0] - b.at[0]);
  const rows: { isBus: boolean; bottom: number; members: { index: number; x: number }[] }[] = [];
  for (const { index, at } of order) {
    const row = rows.at(-1);
    const isBus = isRail(machine, index) && !isUpright(machine.parts[index] as DrawnPart);
    if (row?.isBus === isBus && at[1] + at[3] / 2 < row.bottom)
      row.members.push({ index, x: at[0] });
    else rows.push({ isBus, bottom: at[1] + at[3], members: [{ index, x: at[0] }] });
  }
  return rows.map(({ members }) => members.sort((a, b) => a.x - b.x).map(({ index }) => index));
}

interface RowStyle {
  readonly width: number;
  readonly margin: number;
  readonly gap: number;
  readonly most: number;
  /** Room below a row. */
  below(row: readonly number[]): number;
  /** Widest box; only buses take a whole row. */
  readonly widest: number;
  isWide(part: number): boolean;
  heightOf(row: readonly number[]): number;
  /** A crowd of processors: small cells, whatever `most` and `gap` say. */
  isCrowd?(row: readonly number[]): boolean;
}

/** From this many on, processors without caches are cells with numbers in a compact drawing. */
const CROWD = 32;
const CELL = { most: 16, gap: 3, height: 20 };

/** Stacks rows; each row shares the width evenly. Returns a box for every part, and the height used. */
function stack(rows: readonly (readonly number[])[], count: number, style: RowStyle) {
  const boxes = new Array<Rect>(count);
  let y = style.margin / 2;
  let below = 0;
  for (const whole of rows) {
    const cell = style.isCrowd?.(whole) ? CELL : null;
    // Four boxes of three at most in a row are two and two: none is left alone.
    const pieces = Math.ceil(whole.length / (cell?.most ?? style.most));
    const most = Math.ceil(whole.length / pieces);
    for (let first = 0; first < whole.length; first += most) {
      const row = whole.slice(first, first + most);
      const height = cell?.height ?? style.heightOf(row);
      const room = style.width - 2 * style.margin - (row.length - 1) * (cell?.gap ?? style.gap);
      const width = Math.min(room / row.length, row.every(style.isWide) ? room : style.widest);
      const pitch = (style.width - 2 * style.margin - width) / Math.max(1, row.length - 1);
      row.forEach((index, place) => {
        boxes[index] = { x: style.margin + place * pitch, y, width, height };
      });
      below = cell?.gap ?? style.below(row);
      y += height + below;
    }
  }
  return { boxes, height: y - below + style.margin / 2 };
}

const heightOf = (
  machine: DrawnMachine,
  row: readonly number[],
  least: number,
  scripts = true,
): number =>
  Math.max(
    least,
    ...row.map((part) => contentHeight(machine.parts[part]?.type as PartType, scripts)),
  );

/** A monitor: it has no ports, or only those that report mappings to it. */
const isMonitor = ({ at, type }: DrawnPart): boolean =>
  at === null && type.ports.every(({ protocol }) => protocol === 'contract');

/** The machine without its trailing monitors, which are not drawn. */
function wired({ parts, wires }: DrawnMachine): DrawnMachine {
  const last = parts.findLastIndex((part) => !isMonitor(part));
  return { parts: parts.slice(0, last + 1), wires };
}

/** A bus is a rail, whatever the room for it: as a high box it would look like a part without contents. */
function railWithin({ x, y, width, height }: Rect, most: number): Rect {
  const high = Math.min(height, most);
  return { x, y: y + (height - high) / 2, width, height: high };
}

/**
 * The full drawing, for desktops and projectors; `snug` cuts the empty space below the lowest part, and `tall` makes
 * given places higher by this factor.
 */
export function layoutMachine(whole: DrawnMachine, snug = false, tall = 1): MachineLayout {
  const machine = wired(whole);
  const given = machine.parts.every((part) => part.at !== null);
  if (given) {
    const boxes = machine.parts.map(({ at }, index) => {
      const [x, y, width, height] = at ?? [0, 0, 0, 0];
      const box = { x, y: y * tall, width, height: height * tall };
      return isRail(machine, index) ? railWithin(box, RAIL) : box;
    });
    const width = Math.max(SHEET.width, ...boxes.map((box) => box.x + box.width + MARGIN));
    const least = snug ? 0 : SHEET.height * tall;
    const height = Math.max(least, ...boxes.map((box) => box.y + box.height + 8));
    return finish(machine, boxes, width, height, false);
  }
  const isWide = (part: number) => isRail(machine, part);
  const rows = rowsByRank(machine);
  const { boxes, height } = stack(rows, machine.parts.length, {
    width: SHEET.width,
    margin: MARGIN,
    gap: GAP * 2,
    most: 5,
    below: () => 20,
    widest: 340,
    isWide,
    heightOf: (row) => (row.every(isWide) ? RAIL : heightOf(machine, row, BOX)),
  });
  return finish(machine, boxes, SHEET.width, height, false);
}

/** Margins and height of a part drawn inside another. */
const NEST = { side: 6, height: 36 };

/** From this many rows on, a phone shows no programs in processors, and rows are closer. */
const MANY = 6;

/** Height of an adapter with all rows of its TLB, on a phone. */
const ADAPTER = 94;

/** Places nested parts at the foot of their hosts. */
function placeGuests(machine: DrawnMachine, boxes: Rect[]): void {
  machine.parts.forEach((part, index) => {
    const host = boxes[hostOf(machine, part) ?? -1];
    if (!host) return;
    const { side, height } = NEST;
    const y = host.y + host.height - height - side / 2;
    boxes[index] = { x: host.x + side, y, width: host.width - 2 * side, height };
  });
}

/**
 * On a phone, software that is alone in a row joins the row below the next bus if there is room, since it is
 * wired to neither side.
 */
function joined(
  { parts }: DrawnMachine,
  rows: readonly (readonly number[])[],
  isWide: (part: number) => boolean,
  most: number,
): readonly (readonly number[])[] {
  const below = (at: number) => (rows[at + 1]?.every(isWide) ? rows[at + 2] : undefined);
  const moves = (at: number) => {
    const [only, ...others] = rows[at] ?? [];
    const next = below(at) ?? [];
    const hasRoom = next.length > 1 && next.length < most && !next.some(isWide);
    return others.length === 0 && parts[only ?? -1]?.type.layer === 'os' && hasRoom;
  };
  return rows.flatMap((row, at) =>
    moves(at) ? [] : [moves(at - 2) ? [...(rows[at - 2] ?? []), ...row] : row],
  );
}

/** Boxes side by side in a row of the compact drawing, and the width that each needs for its words. */
const [MOST_IN_ROW, LEAST_BOX] = [8, 78];
/** Widest box of a phone; a wider compact drawing gives a box this share of its width. */
const WIDEST_BOX = 220;

/** The compact drawing with as few boxes in a row as let it fit into the height. */
export function layoutFitting(machine: DrawnMachine, width: number, height: number): MachineLayout {
  let layout = layoutCompact(machine, width);
  for (let most = 4; most <= MOST_IN_ROW && layout.height > height; most++) {
    if ((width - 32 - (most - 1) * 8) / most < LEAST_BOX) break;
    const next = layoutCompact(machine, width, most);
    if (next.height < layout.height) layout = next;
    if (layout.height <= height) break;
    const merged = layoutCompact(machine, width, most, true);
    if (merged.height < layout.height) layout = merged;
  }
  return layout;
}

/** The rows, each with its neighbours that fit in beside it. */
function mergedRows(
  rows: readonly (readonly number[])[],
  isWide: (part: number) => boolean,
  most: number,
): readonly (readonly number[])[] {
  const merged: (readonly number[])[] = [];
  for (const row of rows) {
    const last = merged.at(-1);
    const fits = last && last.length + row.length <= most && ![...last, ...row].some(isWide);
    if (fits) merged.splice(-1, 1, [...last, ...row]);
    else merged.push(row);
  }
  return merged;
}

/** The drawing for a phone: narrow rows, one line of text per part. */
export function layoutCompact(
  whole: DrawnMachine,
  width: number,
  inRow?: number,
  merges = false,
): MachineLayout {
  const machine = wired(whole);
  const given = machine.parts.every((part) => part.at !== null);
  const isWide = (part: number) => isRail(machine, part);
  const byPlace = given ? rowsByPlace(machine) : rowsByRank(machine);
  const { tlb } = coherentMachine(machine);
  const hasTlb = (part: number) => part === tlb?.part;
  const hosts = new Set(machine.parts.map((part) => hostOf(machine, part)));
  const most = inRow ?? (hosts.size > 1 ? 4 : 3);
  const own = joined(machine, byPlace, isWide, most);
  const processors = machine.parts.filter(({ type }) => type.actor === 'cpu');
  const isCrowd = (row: readonly number[]) =>
    processors.length >= CROWD && row.every((part) => machine.parts[part]?.type.actor === 'cpu');
  const rows = merges ? mergedRows(own, isWide, most) : own;
  const isHigh = own.reduce((sum, row) => sum + Math.ceil(row.length / most), 0) >= MANY;
  const { boxes, height } = stack(rows, machine.parts.length, {
    width,
    margin: 16,
    gap: 8,
    most,
    // The responses of caches are between them and their bus.
    below: (row) =>
      row.some((part) => hosts.has(part)) ? 20 : inRow ? 4 : isHigh ? 11 : hosts.size > 1 ? 13 : 16,
    widest: Math.max(WIDEST_BOX, width / 2.6),
    isWide,
    isCrowd,
    heightOf: (row) => {
      if (row.every(isWide)) return COMPACT_RAIL;
      if (row.some((part) => hosts.has(part))) return 26 + NEST.height;
      return heightOf(
        machine,
        row,
        row.some(hasTlb) ? ADAPTER : inRow ? 36 : isHigh ? 46 : 48,
        !isHigh,
      );
    },
  });
  placeGuests(machine, boxes);
  const drawn = boxes.map((box, index) => (isWide(index) ? railWithin(box, COMPACT_RAIL) : box));
  return finish(machine, drawn, width, height, true);
}

/** A free place at the lower left; null if there is none. */
function legendPlace(parts: readonly PlacedPart[], height: number): Rect | null {
  const place = { x: MARGIN, y: height - 40, width: 286, height: 36 };
  const isTaken = ({ box }: PlacedPart) =>
    box.x < place.x + place.width &&
    box.x + box.width > place.x &&
    box.y + box.height > place.y &&
    box.y < place.y + place.height;
  return parts.some(isTaken) ? null : place;
}

/** Room for the legend in one line below the lowest part. */
const LEGEND_LINE = 24;

function finish(
  machine: DrawnMachine,
  boxes: readonly Rect[],
  width: number,
  height: number,
  compact: boolean,
): MachineLayout {
  const parts = placed(machine, boxes);
  const roles = coherentMachine(machine);
  const whole = { width, compact, parts, wires: routeWires(machine, parts, width), roles };
  if (compact || roles.caches.length === 0) return { ...whole, height, legend: null };
  const corner = legendPlace(parts, height);
  if (corner) return { ...whole, height, legend: corner };
  const below = { x: MARGIN, y: height + 2, width: width - 2 * MARGIN, height: LEGEND_LINE - 6 };
  return { ...whole, height: height + LEGEND_LINE, legend: below };
}
