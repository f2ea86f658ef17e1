/** Crossings: strips above the plot that show the faster method, and handles on lines down to the ring. */
import { clamp } from '../../base/geometry';
import { shortened, widthOf } from '../text-width';
import { type Along, sizeText } from './along-curve';
import type {
  Box,
  ChartCrossing,
  ChartSeries,
  Label,
  Marker,
  Quantity,
  Reading,
  Strip,
} from './chart-types';
import { type Axes, valueBetween } from './curves';

const ADVANTAGES: Readonly<Record<Quantity, string>> = {
  throughput: 'faster',
  time: 'faster',
  cpu: 'less CPU',
  amount: 'ahead',
};

/** Position of the crossing on the sheet; a side of the plot if there is none. */
function changeAt(axes: Axes, { exact, grid }: ChartCrossing['now']): number {
  const { size } = axes;
  if (exact !== null) return clamp(size.at(exact), size.at(size.low), size.at(size.high));
  return size.at(grid === null ? size.high : size.low);
}

export interface StripPlace {
  readonly y: number;
  readonly height: number;
  readonly step: number;
  readonly compact: boolean;
  /** `above`: the titles are too long for the margin. */
  readonly titles: 'beside' | 'above';
}

const TITLE_SIZE = 11;
/** Share of the room that is used, since text widths are estimates. */
const SURE = 0.94;

/** Whether all titles fit between the edge of the sheet and the plot. */
export const placeLabelsApart = (crossings: readonly ChartCrossing[], left: number): boolean =>
  crossings.every(({ title }) => widthOf(title, TITLE_SIZE) <= left - 10);

/** Title beside the strip, empty if the strip's labels include it; or above the strip. */
function stripTitle(title: string, y: number, spans: Strip['spans'], span: Span, above: boolean) {
  if (above) {
    const text = shortened(title, TITLE_SIZE, (span.to - span.from) * SURE);
    return { x: span.from, y: y - 4, text, anchor: 'start' as const };
  }
  const isInLabels = spans.every(({ label }) => label.startsWith(title));
  return { x: span.from - 8, y: y + 11.5, text: isInLabels ? '' : title, anchor: 'end' as const };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

export function stripsOf(
  axes: Axes,
  crossings: readonly ChartCrossing[],
  place: StripPlace,
  quantity: Quantity,
): Strip[] {
  const [left, right] = [axes.size.at(axes.size.low), axes.size.at(axes.size.high)];
  return crossings.map((crossing, row) => {
    const at = changeAt(axes, crossing.now);
    const span = (from: number, to: number, winner: ChartCrossing['more']) => {
      const name = place.compact ? winner.title : `${winner.title} ${ADVANTAGES[quantity]}`;
      const label =
        place.compact && place.titles === 'beside' ? `${crossing.title}: ${name}` : name;
      const room = to - from - 10;
      const fits = [label, name].find((one) => widthOf(one, 11.5) <= room) ?? '';
      return { x: from, width: to - from, hue: winner.hue, text: name, label: fits };
    };
    const spans = [span(left, at - 1, crossing.than), span(at + 1, right, crossing.more)].filter(
      (one) => one.width > 0,
    );
    const y = place.y + row * place.step;
    const whole = { from: left, to: right };
    return {
      id: crossing.id,
      title: stripTitle(crossing.title, y, spans, whole, place.titles === 'above'),
      y,
      height: place.height,
      spans,
    };
  });
}

/** "write: DMA from 1 024 B", "curves cross at 775 B". Both, because they differ. */
export function crossingSentences(
  crossing: ChartCrossing,
  quantity: Quantity,
  along: Along,
): string[] {
  const { title, more, than, now } = crossing;
  const better = quantity === 'cpu' ? 'costs less CPU' : 'wins';
  if (now.grid === null && now.exact === null) return [`${title}: ${more.title} never ${better}`];
  if (now.exact === null) return [`${title}: ${than.title} never ${better}`];
  const grid = now.grid === null ? 'beyond the table' : `from ${sizeText(along, now.grid)}`;
  return [`${title}: ${more.title} ${grid}`, `curves cross at ${sizeText(along, now.exact)}`];
}

/** The first of the two in few words: "read 128 B". */
function shortSentence(crossing: ChartCrossing, along: Along): string {
  const { title, more, than, now } = crossing;
  if (now.grid !== null && now.exact !== null) return `${title} ${sizeText(along, now.grid)}`;
  return `${title}: ${(now.grid === null ? than : more).title}`;
}

interface MarkerPlace {
  /** Top of the grips, top of the plot, and the limits of labels. */
  readonly grip: number;
  readonly left: number;
  readonly right: number;
  readonly compact: boolean;
}

/** Beside a handle a title wider than this is left out. */
const TITLE_ROOM = 110;

const GRIP = { width: 18, height: 16 };
const LINE = 14.5;

interface Placed {
  readonly box: Box;
  readonly anchor: 'start' | 'end';
}

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Beside the handle, outwards if there is room; a line lower if the position is taken. */
function labelPlace(
  x: number,
  lines: readonly string[],
  outward: 'start' | 'end',
  place: MarkerPlace,
  taken: readonly Box[],
): Placed {
  const width = Math.max(...lines.map((line, row) => widthOf(line, row === 0 ? 12.5 : 11.5)));
  const height = lines.length * LINE;
  const boxAt = (anchor: 'start' | 'end', level: number): Box => ({
    x: anchor === 'start' ? x + 13 : x - 13 - width,
    y: place.grip + 3 + level * (2 * LINE + 4),
    width,
    height,
  });
  const inwards = outward === 'start' ? 'end' : 'start';
  for (const level of [0, 1, 2]) {
    for (const anchor of [outward, inwards] as const) {
      const box = boxAt(anchor, level);
      const fits = box.x >= place.left && box.x + box.width <= place.right;
      if (fits && !taken.some((other) => overlap(other, box))) return { box, anchor };
    }
  }
  return { box: boxAt(outward, 2), anchor: outward };
}

function labelsIn(placed: Placed, lines: readonly string[]): Label[] {
  const { box, anchor } = placed;
  return lines.map((line, row) => ({
    x: anchor === 'start' ? box.x : box.x + box.width,
    y: box.y + 11 + row * LINE,
    text: line,
    anchor,
  }));
}

function beforeOf(
  axes: Axes,
  crossing: ChartCrossing,
  readings: readonly Reading[],
  along: Along,
): Marker['before'] {
  const was = crossing.before;
  if (!was || was.exact === null) return null;
  const { exact } = crossing.now;
  const still = exact !== null && Math.abs(was.exact / exact - 1) < 0.002;
  const value = valueBetween(axes, readings, was.exact);
  if (still || value === null) return null;
  const [x, y] = [axes.size.at(was.exact), axes.value.at(value)];
  const same = was.grid === null || was.grid === crossing.now.grid;
  const words = same
    ? `before: ${sizeText(along, was.exact)}`
    : `before: ${crossing.more.title} from ${sizeText(along, was.grid)}`;
  return { x, y, label: { x: x + 6, y: y + 26, text: words, anchor: 'start' } };
}

export function markersOf(
  axes: Axes,
  crossings: readonly ChartCrossing[],
  series: readonly ChartSeries[],
  place: MarkerPlace,
  quantity: Quantity,
  along: Along,
): Marker[] {
  const inOrder = crossings
    .map((crossing) => ({ crossing, x: changeAt(axes, crossing.now) }))
    .sort((a, b) => a.x - b.x);
  const gripAt = (x: number): Box => ({ x: x - GRIP.width / 2, y: place.grip, ...GRIP });
  const taken: Box[] = inOrder.map(({ x }) => gripAt(x));
  return inOrder.map(({ crossing, x }, row) => {
    const than = series.find((one) => one.id === crossing.than.id);
    const value =
      crossing.now.exact === null
        ? null
        : valueBetween(axes, than?.simulated ?? [], crossing.now.exact);
    const sentences = crossingSentences(crossing, quantity, along);
    const short = { ...crossing, title: shortened(crossing.title, 12.5, TITLE_ROOM) };
    const words = place.compact
      ? [shortSentence(short, along)]
      : crossingSentences(short, quantity, along);
    const lines = crossing.solving === null ? words : [...words, crossing.solving];
    const outward = row === 0 && inOrder.length > 1 ? 'end' : 'start';
    const placed = labelPlace(x, lines, outward, place, taken);
    taken.push(placed.box);
    const readings = than?.before.length ? than.before : (than?.simulated ?? []);
    return {
      id: crossing.id,
      title: crossing.title,
      x,
      ring: value === null ? null : axes.value.at(value),
      grip: gripAt(x),
      lines: labelsIn(placed, lines),
      text: sentences.join('; '),
      draggable: crossing.solves !== null,
      before: beforeOf(axes, crossing, readings, along),
    };
  });
}
