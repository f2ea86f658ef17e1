/**
 * The path of one packet from the wire to the application over time. Rows show where its bytes are and which
 * part works on them.
 *
 *     application                      ▓▓▓▓▓▓▓  main          filled in its actor's hue: work
 *     message                     (──)                        a pill: only the address is passed on
 *     TCP/IP               ▓▓▓▓▓▓▓                io
 *     buffer 3      ▒▒▒▒▒▒████████████████████████            bytes: arriving, present, until the buffer is freed
 *     wire          ──────
 */
import { integer, text, time } from '../../base/format';
import { COPIES, type PacketStep, type PacketStory, stepOf } from '../../model/realtime/packet-log';
import type { RealTimeLog } from '../../model/realtime/realtime-log';
import { READY, type Task } from '../../model/realtime/task-log';
import { type Axis, linearAxis, timeTicks } from '../axis';
import { fitting, glyph, sealShapes } from '../glyph';
import { line, path, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

interface JourneyBar {
  readonly from: number;
  readonly to: number;
  readonly kind: 'wire' | 'filling' | 'bytes' | 'pointer' | 'work' | 'copy' | 'order';
}

interface JourneyRow {
  readonly title: string;
  readonly bars: readonly JourneyBar[];
  /** The part that works here, if any. */
  readonly by: string | null;
  readonly isIo: boolean;
  /** Cache operations in this row, in order, and the part that did each. */
  readonly orders?: readonly { readonly name: string; readonly by: string }[];
}

export interface Journey {
  readonly packet: number;
  readonly from: number;
  readonly to: number;
  /** From the application at the top down to the wire. */
  readonly rows: readonly JourneyRow[];
  readonly copies: number;
  readonly ended: boolean;
  /** Its rest is asked about, and sealed. */
  readonly isSealed: boolean;
}

/** Periods of a thread spent in one of these states. */
function workOf(
  task: Task | null,
  from: number,
  to: number,
  kind: (state: string) => JourneyBar['kind'] | null,
): JourneyBar[] {
  return (task?.lane.between(from, to) ?? []).flatMap((span) => {
    const what = span.state.name === READY.name ? null : kind(span.state.name);
    return what ? [{ from: Math.max(from, span.from), to: Math.min(to, span.to), kind: what }] : [];
  });
}

const ofNetwork = (state: string) => (state === 'carry' ? 'copy' : 'work');

/** The row of a step: the part that did it, its state and its time range. */
function workRow(
  log: RealTimeLog,
  title: string,
  step: PacketStep,
  from: number,
  to: number,
): JourneyRow {
  const task = log.tasks.runningBefore(step.cpu, step.timePs);
  const cpu = log.roles.cpus.find(({ number }) => number === step.cpu);
  return {
    title,
    bars: workOf(task, from, to, ofNetwork),
    by: cpu?.title ?? null,
    isIo: step.cpu > 0,
  };
}

const isOrder = ({ name }: PacketStep) => name === 'purged' || name === 'flushed';

/** Lines purged and flushed from caches for this packet; no row if there are none. */
function orderRows(log: RealTimeLog, { steps }: PacketStory): JourneyRow[] {
  const orders = steps.filter(isOrder);
  const bars = orders.flatMap((step): JourneyBar[] => {
    const from = steps[steps.indexOf(step) - 1]?.timePs ?? step.timePs;
    const task = log.tasks.runningBefore(step.cpu, step.timePs);
    return workOf(task, from, step.timePs, (state) => (state === 'order' ? 'order' : null));
  });
  const names = orders.map(({ name, cpu }) => {
    const by = log.roles.cpus.find(({ number }) => number === cpu)?.title ?? '';
    return { name, by };
  });
  if (bars.length === 0) return [];
  return [{ title: 'caches', bars, by: null, isIo: false, orders: names }];
}

const placeName = (place: number): string =>
  place < COPIES ? `buffer ${integer(place)}` : `copy ${integer(place - COPIES)}`;

/** Where its bytes were, and from when to when: each copy moves them on. */
function placeRows(story: PacketStory, end: number): JourneyRow[] {
  const { arrived } = story;
  const copies = story.steps.filter(({ name }) => name === 'copied');
  const slot = arrived?.slot ?? stepOf(story, 'taken')?.place ?? 0;
  const back = stepOf(story, 'released')?.timePs ?? end;
  const done = stepOf(story, 'finished')?.timePs ?? end;
  const first: JourneyBar[] = [{ from: story.from, to: arrived?.timePs ?? end, kind: 'filling' }];
  if (arrived) first.push({ from: arrived.timePs, to: back, kind: 'bytes' });
  const rows = [{ title: placeName(slot), bars: first, by: null, isIo: false }];
  copies.forEach(({ place, timePs }, i) => {
    const to = copies[i + 1]?.timePs ?? done;
    const bars: JourneyBar[] = [{ from: timePs, to, kind: 'bytes' }];
    rows.push({ title: placeName(place), bars, by: null, isIo: false });
  });
  return rows.toReversed();
}

/** Steps from which the journey is sealed, if the open question asks about copies or about its length. */
export type SealedFrom = 'taken' | 'delivered';

/** The journey of a packet up to a time; null while nothing of it is known. */
export function journeyOf(
  log: RealTimeLog,
  packet: number,
  recorded: number,
  sealedFrom: SealedFrom | null = null,
): Journey | null {
  const story = log.packets.story(packet);
  if (!story || story.from > recorded) return null;
  const sealed = sealedFrom === null ? undefined : stepOf(story, sealedFrom);
  const isSealed = sealed !== undefined && sealed.timePs <= recorded;
  const until = isSealed ? sealed.timePs : recorded;
  const isKnown = ({ timePs }: PacketStep) => (isSealed ? timePs < until : timePs <= until);
  const known = { ...story, steps: story.steps.filter(isKnown) };
  if (story.arrived && story.arrived.timePs > until) known.arrived = null;
  const [taken, delivered, accepted, finished] = (
    ['taken', 'delivered', 'accepted', 'finished'] as const
  ).map((name) => stepOf(known, name));
  const last = known.steps.at(-1)?.timePs ?? known.arrived?.timePs ?? story.from;
  const end = finished ? Math.max(finished.timePs, last) : until;
  const rows: JourneyRow[] = [];
  if (accepted) {
    const to = finished?.timePs ?? end;
    const step = finished ?? { ...accepted, timePs: end };
    // Copying into the application's buffer precedes the acceptance of the packet.
    rows.push(workRow(log, 'application', step, delivered?.timePs ?? accepted.timePs, to));
  }
  if (delivered)
    rows.push({
      title: 'message',
      bars: [{ from: delivered.timePs, to: accepted?.timePs ?? end, kind: 'pointer' }],
      by: null,
      isIo: false,
    });
  if (taken) {
    const to = delivered?.timePs ?? end;
    rows.push(workRow(log, 'TCP/IP', delivered ?? { ...taken, timePs: end }, taken.timePs, to));
  }
  rows.push(...orderRows(log, known), ...placeRows(known, end));
  rows.push({
    title: 'wire',
    bars: [{ from: story.from, to: known.arrived?.timePs ?? end, kind: 'wire' }],
    by: null,
    isIo: false,
  });
  const copies = known.steps.filter(({ name }) => name === 'copied').length;
  if (isSealed) rows.unshift({ title: 'application', bars: [], by: null, isIo: false });
  const ended = finished !== undefined;
  return { packet, from: story.from, to: end, rows, copies, ended, isSealed };
}

const LEFT = 82;
const RIGHT = 12;
const RULER = 16;
const MOST_ROW = 30;
/** Shortest axis: a journey that has just begun must be readable. */
const SHORTEST_PS = 1e6;

/** With a seal the axis reaches beyond what is known, by the same share whatever is under it. */
const SEALED_LENGTH = 1.6;

const CLASS: Readonly<Record<JourneyBar['kind'], string>> = {
  wire: 'o-lan',
  filling: 'o-lan',
  bytes: 'a-lan',
  pointer: 'flow',
  work: 'a-cpu',
  copy: 'a-lan',
  order: 'accf',
};

const span = (ps: number): string => text(time(ps, 3));

function barShape(bar: JourneyBar, axis: Axis, y: number, height: number, isIo: boolean): Shape {
  const [x1, x2] = [
    axis.at(bar.from),
    Math.max(axis.at(bar.from) + (bar.kind === 'order' ? 3 : 1.2), axis.at(bar.to)),
  ];
  if (bar.kind === 'pointer') {
    const middle = y + height / 2;
    const r = Math.min(5, height / 2, (x2 - x1) / 2);
    return path(
      `M${x1 + r} ${middle - r}H${x2 - r}a${r} ${r} 0 0 1 0 ${2 * r}H${x1 + r}a${r} ${r} 0 0 1 0 ${-2 * r}z`,
      'flow',
    );
  }
  if (bar.kind === 'wire') return rect(x1, y + height / 2 - 2, x2 - x1, 4, 'a-lan');
  const cls = bar.kind === 'work' && isIo ? 'ink3f' : CLASS[bar.kind];
  return rect(x1, y, x2 - x1, height, cls);
}

/** Total duration of the bars of a row, beside them if there is room. */
function lengthShape(
  { bars, by, orders }: JourneyRow,
  axis: Axis,
  y: number,
  right: number,
): Shape[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return [];
  const ran = bars.reduce((sum, { from, to }) => sum + to - from, 0);
  const copied = bars
    .filter(({ kind }) => kind === 'copy')
    .reduce((sum, { from, to }) => sum + to - from, 0);
  const lasted = [
    ...(by === null ? [span(ran)] : [`${by}, ${span(ran)}`]),
    ...(copied > 0 ? [`${span(copied)} of it a copy`] : []),
  ].join(', ');
  const label = orders?.map(({ name }) => name).join(', ') ?? lasted;
  const wide = widthOf(label, 10.5);
  const [from, to] = [axis.at(first.from), axis.at(last.to)];
  if (to + 5 + wide <= right) return [words(to + 5, y, label, 't10 i2 halo')];
  if (from - 5 - wide >= LEFT) return [words(from - 5, y, label, 't10 i2 end halo')];
  const isDark = first.kind === 'bytes' || first.kind === 'work';
  const room = axis.at(first.to) - from;
  return room > wide + 8 ? [words(from + 5, y, label, isDark ? 't10 on' : 't10')] : [];
}

export interface JourneySheet {
  readonly width: number;
  readonly height: number;
  /** Time of the playhead, drawn if it is on the sheet. */
  readonly playheadPs: number;
}

export function journeyShapes(journey: Journey, sheet: JourneySheet): Shape[] {
  const right = sheet.width - RIGHT;
  const known = Math.max(SHORTEST_PS, journey.to - journey.from);
  const length = journey.isSealed ? known * SEALED_LENGTH : known;
  const axis = linearAxis(journey.from, journey.from + length, LEFT, right);
  const relative = linearAxis(0, length, LEFT, right);
  const pitch = Math.min(MOST_ROW, (sheet.height - RULER - 2) / Math.max(1, journey.rows.length));
  const bottom = RULER + pitch * journey.rows.length;
  const height = Math.max(3, pitch - 8);
  const shapes: Shape[] = timeTicks(
    relative,
    Math.max(2, Math.floor((right - LEFT) / 70)),
    'last',
  ).flatMap(({ at, label }) => [
    line(at, RULER - 3, at, bottom, 'hair'),
    words(at, 10, label, at + 20 > right ? 't10 i3 end' : 't10 i3'),
  ]);
  journey.rows.forEach((row, index) => {
    const y = RULER + index * pitch;
    const middle = y + pitch / 2 + 3.5;
    shapes.push(words(LEFT - 8, middle, row.title, 't11 end'));
    if (row.by !== null) shapes.push(glyph(row.isIo ? 'os' : 'cpu', 8, middle - 3.5, 4));
    for (const bar of row.bars) shapes.push(barShape(bar, axis, y + 4, height, row.isIo));
    const end = journey.isSealed ? axis.at(journey.to) : right;
    shapes.push(...lengthShape(row, axis, middle, end));
  });
  if (journey.isSealed) {
    const [from, base] = [axis.at(journey.to) + 2, bottom - pitch];
    const text = fitting(['the rest: your guess?', 'your guess?'], right - from - 16, 11) ?? '?';
    const rest = { x: from, y: RULER, width: right - from, height: base - RULER };
    shapes.push(...sealShapes(rest, text));
  }
  const { playheadPs } = sheet;
  const until = journey.isSealed ? journey.to : axis.high;
  if (playheadPs >= axis.low && playheadPs <= until)
    shapes.push(line(axis.at(playheadPs), RULER - 3, axis.at(playheadPs), bottom, 'playhead'));
  return shapes;
}

const COUNTED = ['not copied', 'copied once', 'copied twice'];

/** The same in sentences, from the wire up. */
export function journeySentences(journey: Journey): string[] {
  const { rows, packet, copies, ended, isSealed, from, to } = journey;
  const sentences = rows.toReversed().flatMap(({ title, bars, by, orders = [] }) => {
    const [first, last] = [bars[0], bars.at(-1)];
    if (!first || !last) return [];
    const ran = bars.reduce((sum, bar) => sum + bar.to - bar.from, 0);
    const owner = by === null ? '' : `, on ${by}`;
    return [
      `${title}: from ${span(first.from - from)} to ${span(last.to - from)}${owner}, ${span(ran)} of work or stay.`,
      ...orders.map((order) => `It is ${order.name} by ${order.by}.`),
    ];
  });
  const times = COUNTED[copies] ?? `copied ${integer(copies)} times`;
  const how = ended
    ? `is ${times} and done ${span(to - from)} after its first bit`
    : 'is still on its way';
  if (isSealed)
    return [`The rest of packet ${integer(packet)} is sealed until you answer.`, ...sentences];
  return [`Packet ${integer(packet)} ${how}.`, ...sentences];
}
