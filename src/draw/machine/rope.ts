/** The queue of a rope that waits for the bus, in a local bus adapter's box. Its head is next to the bus. */

import { address, integer } from '../../base/format';
import type { ViewField } from '../../engine/gen/names';
import type { PortSpec } from '../../engine/manifest';
import { fitting } from '../glyph';
import type { Moment } from '../moment';
import { path, rect, type Shape, words } from '../shape';
import type { MachineLayout, PlacedPart } from './types';

/** Names of queue items by PCI's ordering rules. */
const ITEMS: Readonly<Record<string, { readonly short: string; readonly title: string }>> = {
  store: { short: 'PW', title: 'posted write' },
  load: { short: 'RR', title: 'read request' },
  line: { short: 'RC', title: 'read completion behind a store,' },
};

const [WIDE, PITCH, HIGH] = [26, 30, 15];
/** Between the bottom of the packages and the belt's rollers. */
const ROLLERS = 2.5;
/** Below this width the read buffer needs the box for itself. */
const ROOM = 420;

/** Share of the box's width at which the belt begins. */
const BELT = 0.62;
/** Between the contents at the left and the belt. */
const APART = 20;

const hasBelt = ({ part, box: { width, height } }: PlacedPart): boolean =>
  part.type.enums.item !== undefined && width >= ROOM && height >= 60;

/** The system bus adapter's ends of the ropes, side by side: pitch, width and height of one. */
const [END_PITCH, END_WIDE, END_HIGH] = [22, 18, 18];
/** Entries that an end shows as bars, and their height. */
const [MOST_BARS, BAR] = [4, 3];

/** The port for local bus adapters; undefined without room to draw its ropes. */
const ropePort = ({ part, box: { width, height } }: PlacedPart): PortSpec | undefined =>
  width < ROOM || height < 60
    ? undefined
    : part.type.ports.find(({ name, role }) => name === 'rope' && role === 'server');

const endsWidth = ({ count }: PortSpec): number => count * END_PITCH + 12;

/** Width for other contents of the box: up to the belt or the ends of the ropes, if it has them. */
export function widthToRope(placed: PlacedPart): number {
  const { width } = placed.box;
  if (hasBelt(placed)) return width * BELT - APART;
  const port = ropePort(placed);
  return port ? width - endsWidth(port) - APART : width;
}

interface Item {
  readonly short: string;
  readonly title: string;
  readonly address: number;
  /** It has arrived at the end of the rope. */
  readonly here: boolean;
}

/** The queue from its head; null for a part that has none. */
function ropeQueue({ part, index }: PlacedPart, now: Moment): readonly Item[] | null {
  const view = part.type.enums.item && now.view(index, 'queue');
  if (!view) return null;
  const at = (field: ViewField, row: number) => view.column(field)?.[row] ?? 0;
  const found: Item[] = [];
  for (let row = 0; row < view.rows && (at('addr', row) > 0 || at('bytes', row) > 0); row++) {
    const named = ITEMS[part.type.enums.item?.[at('item', row)]?.name ?? ''];
    if (named) found.push({ ...named, address: at('addr', row), here: at('here', row) > 0 });
  }
  return found;
}

/** Data that is ready and may pass the stores in the queue: reads with relaxed ordering. */
function overtaking({ part, index }: PlacedPart, now: Moment): boolean {
  const view = now.view(index, 'lines');
  const [states, relaxed] = [view?.column('state'), view?.column('relaxed')];
  const members = part.type.enums.line ?? [];
  return Array.from(
    states ?? [],
    (state, row) => members[state]?.name === 'here' && (relaxed?.[row] ?? 0) > 0,
  ).includes(true);
}

/** An arrow over the packages between two places of the belt; barred where it may not go. */
function passShapes(from: number, to: number, y: number, may: boolean): Shape[] {
  const top = y - 7;
  const bend = `M${from} ${y}C${from} ${top} ${to} ${top} ${to} ${y}`;
  const head = `M${to - 3} ${y - 4}L${to} ${y}L${to + 3} ${y - 4}`;
  const middle = (from + to) / 2;
  const bar = may ? '' : `M${middle - 3} ${y - 9}l6 6M${middle + 3} ${y - 9}l-6 6`;
  return [path(bend + head + bar, may ? 'flow' : 'bad-line')];
}

/**
 * The queue as packages on a belt, the head on the left, next to the bus: faint while still on the rope, red if it
 * waits for a store. An arrow shows who passes a store, or would if ordering were relaxed.
 */
export function ropeShapes(placed: PlacedPart, now: Moment): Shape[] {
  const { x, y, width } = placed.box;
  const queue = hasBelt(placed) ? ropeQueue(placed, now) : null;
  if (!queue) return [];
  const left = x + width * BELT;
  const right = x + width - 12;
  const most = Math.floor((right - left - 20) / PITCH);
  const shown = queue.slice(0, queue.length > most ? most - 1 : most);
  const top = y + 38;
  const middle = (place: number) => left + place * PITCH + WIDE / 2;
  const shapes = shown.flatMap(({ short, here }, place): Shape[] => {
    const cls = short === 'RC' ? 'badf' : here ? 'inset' : 'slot-d';
    const at = left + place * PITCH;
    return [
      rect(at, top, WIDE, HIGH, cls),
      words(middle(place), top + 11.5, short, here ? 't10 mid' : 't10 i3 mid'),
    ];
  });
  const store = shown.findIndex(({ short }) => short === 'PW');
  const blocked = shown.findLastIndex(({ short }) => short === 'RC');
  const passes = store >= 0 && overtaking(placed, now);
  const arrow =
    blocked > store && store >= 0
      ? passShapes(middle(blocked), middle(store), top - 1, false)
      : passes
        ? passShapes(middle(shown.length - 1) + PITCH, left - 8, top - 1, true)
        : [];
  const belt = top + HIGH + ROLLERS;
  const rollers = Array.from(
    { length: Math.floor((right - left) / 12) },
    (_, at) => `M${left + at * 12 + 2} ${belt + 2}h4`,
  ).join('');
  const more = queue.length - shown.length;
  const label = passes
    ? 'ready data passes the store'
    : blocked > store && store >= 0
      ? 'may not pass the store'
      : queue.length > 0
        ? 'rope, next to the bus first'
        : 'rope: nothing waits';
  return [
    words(left, y + 19, label, blocked > store && store >= 0 ? 't11 tbad' : 't11 i2'),
    path(`M${left - 4} ${belt}H${right}`, 'thin'),
    path(rollers, 'brace'),
    ...shapes,
    ...arrow,
    ...(more > 0 ? [words(left + shown.length * PITCH, top + 11.5, `+${more}`, 't10 i2')] : []),
  ];
}

/**
 * The ropes of a system bus adapter, by number: what waits at the other end of each as bars, the oldest at the bottom.
 * Those without a local bus adapter are dashed.
 */
export function ropeEndShapes(layout: MachineLayout, placed: PlacedPart, now: Moment): Shape[] {
  const rope = ropePort(placed);
  if (!rope) return [];
  const { x, y, width } = placed.box;
  const left = x + width - endsWidth(rope);
  const top = y + 25;
  const wired = layout.wires.flatMap(({ ends: pair }) => {
    const own = pair.find(({ part, port }) => part === placed.index && port === rope.name);
    const other = pair.find(({ part }) => part !== placed.index);
    const adapter = layout.parts.find(({ index }) => index === other?.part);
    return own && adapter ? [{ slot: own.slot, adapter }] : [];
  });
  const waiting: string[] = [];
  const shapes = Array.from({ length: rope.count }, (_, place): Shape[] => {
    const at = left + place * END_PITCH;
    const end = wired.find(({ slot }) => slot - rope.first === place);
    const number = words(at + END_WIDE / 2, top + END_HIGH + 11.5, String(place), 't10 i3 mid');
    if (!end) return [rect(at, top, END_WIDE, END_HIGH, 'slot-d'), number];
    const queue = ropeQueue(end.adapter, now) ?? [];
    if (queue.length > 0) waiting.push(`rope ${place}: ${integer(queue.length)} waiting`);
    const bars = queue.slice(0, MOST_BARS).map(({ short, here }, row) => {
      const bottom = top + END_HIGH - 1.5 - row * (BAR + 1);
      return rect(at + 2, bottom - BAR, END_WIDE - 4, BAR, barClass(short, here));
    });
    return [rect(at, top, END_WIDE, END_HIGH, 'inset'), ...bars, number];
  }).flat();
  const label = fitting([waiting.join(', ') || 'ropes', 'ropes'], endsWidth(rope) - 12, 11);
  return [words(left, y + 19, label ?? '', 't11 i2'), ...shapes];
}

/** Red if it waits for a store; lighter while it is on its way. */
const barClass = (short: string, here: boolean): string =>
  short === 'RC' ? 'badf' : here ? 'ink2f' : 'ink3f';

/** "queue to the bus: posted write 0xF0000000; read completion behind a store, 0x40104A00" */
export function ropeFacts(placed: PlacedPart, now: Moment): string[] {
  const queue = ropeQueue(placed, now);
  if (!queue || queue.length === 0) return [];
  const items = queue.map(
    (one) => `${one.title} ${address(one.address)}${one.here ? '' : ', on its way'}`,
  );
  return [`queue to the bus: ${items.join('; ')}`];
}
