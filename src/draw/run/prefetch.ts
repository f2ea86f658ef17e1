/**
 * Lines fetched by a bridge, over time: a bar for each, from request to release, in as many lanes as are in
 * flight or held at once, under the device that reads.
 *
 *   Storage adapter  ┌ ─ ─ ─ ┐──■      requested and in flight, held, delivered
 *                    └ ─ ─ ─ ┘────✕    ... discarded
 */
import { address, count, integer, text, time } from '../../base/format';
import { clamp } from '../../base/geometry';
import type { FetchedLine } from '../../model/coherence/prefetch';
import { type Axis, linearAxis, type Tick } from '../axis';
import { signOf } from '../glyph';
import { path, rect, line as rule, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import { type Window, windowTicks } from './timeline-axis';

export interface PrefetchDevice {
  readonly part: number | null;
  readonly title: string;
  readonly actor: string;
}

interface PlacedLine {
  readonly line: FetchedLine;
  readonly x: number;
  readonly end: number;
  readonly y: number;
}

export interface PrefetchModel {
  readonly axis: Axis;
  readonly ticks: readonly Tick[];
  readonly placed: readonly PlacedLine[];
  readonly bands: readonly { readonly device: PrefetchDevice; readonly y: number }[];
  /** Height of a bar. */
  readonly bar: number;
  readonly height: number;
}

interface PrefetchInput {
  readonly lines: readonly FetchedLine[];
  readonly devices: readonly PrefetchDevice[];
  readonly window: Window;
  readonly left: number;
  readonly width: number;
  /** Room for the lanes, which are higher if there is more. */
  readonly room: number;
}

const [TOP, GAP] = [18, 10];
/** Least and greatest height of a lane, and the part of it that is not its bar. */
const [LOWEST, HIGHEST, APART] = [13, 26, 3];
const MOST_LANES = 12;
/** Least width of a bar that can be hovered. */
const LEAST = 5;

/** Puts each line in the first lane that is free at its request. */
function laned(lines: readonly FetchedLine[]): number[] {
  const free: number[] = [];
  return lines.map(({ requestedPs, left }) => {
    const until = left ?? Number.POSITIVE_INFINITY;
    const found = free.findIndex((at) => at <= requestedPs);
    const lane = found < 0 ? Math.min(free.length, MOST_LANES - 1) : found;
    free[lane] = Math.max(free[lane] ?? 0, until);
    return lane;
  });
}

export function prefetchModel(input: PrefetchInput): PrefetchModel {
  const { lines, devices, window, left, width, room } = input;
  const axis = linearAxis(window.from, window.to, left, width);
  const reads = devices.flatMap((device) => {
    const own = lines.filter((line) => line.device === device.part);
    const lanes = laned(own);
    return own.length > 0 ? [{ device, own, lanes, amount: Math.max(...lanes) + 1 }] : [];
  });
  const amount = reads.reduce((all, one) => all + one.amount, 0);
  const free = room - TOP - reads.length * GAP;
  const high = clamp(Math.floor(free / Math.max(1, amount)), LOWEST, HIGHEST);
  const placed: PlacedLine[] = [];
  const bands: { device: PrefetchDevice; y: number }[] = [];
  let y = TOP;
  for (const { device, own, lanes, amount: deep } of reads) {
    bands.push({ device, y });
    for (const [i, line] of own.entries()) {
      const x = Math.max(axis.at(line.requestedPs), left);
      const end = Math.min(axis.at(line.left ?? window.to), width);
      placed.push({ line, x, end: Math.max(end, x + LEAST), y: y + (lanes[i] ?? 0) * high });
    }
    y += deep * high + GAP;
  }
  placed.sort((a, b) => a.line.requestedPs - b.line.requestedPs || a.line.address - b.line.address);
  return { axis, ticks: windowTicks(axis, 8), placed, bands, bar: high - APART, height: y };
}

/** The state of a line at a time. */
export type PrefetchFate = 'flight' | 'held' | 'used' | 'wasted';

export function prefetchFateAt({ here, left, used }: FetchedLine, timePs: number): PrefetchFate {
  if (left !== null && left <= timePs) return used ? 'used' : 'wasted';
  return here !== null && here <= timePs ? 'held' : 'flight';
}

/** A line: dashed in flight, a thin line while held, a block if delivered, a cross if discarded. */
function lineShapes(model: PrefetchModel, at: PlacedLine, untilPs: number, actor: string): Shape[] {
  const { axis, bar } = model;
  const { line, x, end, y } = at;
  const middle = y + bar / 2;
  const stop = Math.min(end, Math.max(x, axis.at(Math.min(untilPs, axis.high))));
  const came = line.here === null ? stop : Math.min(Math.max(axis.at(line.here), x), stop);
  const shapes: Shape[] = [rect(x, y, came - x, bar, 'st st-flight')];
  const fate = prefetchFateAt(line, untilPs);
  if (stop > came) shapes.push(rule(came, middle, stop, middle, 'thin'));
  if (fate === 'used') shapes.push(rect(stop - 5, y, 6, bar, `a-${signOf(actor).hue}`));
  if (fate === 'wasted')
    shapes.push(path(`M${stop - 5} ${middle - 4}l8 8m0 -8l-8 8`, 'bad-line waste'));
  return shapes;
}

/** Everything up to a time; later parts are left out. */
export function prefetchShapes(model: PrefetchModel, untilPs: number): Shape[] {
  const { axis, ticks, bands, placed, height } = model;
  const edge = axis.at(axis.high);
  const actorOf = ({ device }: FetchedLine) =>
    bands.find((band) => band.device.part === device)?.device.actor ?? 'other';
  return [
    ...ticks.flatMap(({ at, label }) => [
      rule(at, TOP - 6, at, height - GAP, 'hair'),
      // A number at the very edge would be cut.
      ...(at + 3 + widthOf(label, 10.5) <= edge ? [words(at + 3, TOP - 8, label, 't10 i3')] : []),
    ]),
    ...bands.map(({ device, y }) => words(10, y + 9, device.title, 't11 i2')),
    ...placed
      .filter(({ line }) => line.requestedPs <= untilPs)
      .flatMap((at) => lineShapes(model, at, untilPs, actorOf(at.line))),
  ];
}

/** The line at a point; null if there is none. */
export function lineAt({ placed, bar }: PrefetchModel, x: number, y: number): number | null {
  const found = placed.findIndex(
    (at) => x >= at.x - 2 && x <= at.end + 4 && y >= at.y && y < at.y + bar + APART,
  );
  return found < 0 ? null : found;
}

const span = (ps: number): string => text(time(ps, 3));

/** The line as known at a time, as a sentence. */
export function lineSentence(line: FetchedLine, timePs: number, device: string): string {
  const { requestedPs, here, left, isDemanded } = line;
  const what = `Line ${address(line.address)}, ${isDemanded ? 'demanded' : 'prefetched'} by ${device}: requested at ${span(requestedPs)}`;
  const fate = prefetchFateAt(line, timePs);
  if (here === null || here > timePs)
    return fate === 'wasted' ? `${what}, no longer needed.` : `${what}, in flight.`;
  const flight = `${what}, arrived after ${span(here - requestedPs)}`;
  if (fate === 'held') return `${flight}, in the bridge.`;
  const stay = span((left ?? here) - here);
  return fate === 'used' ? `${flight}, used ${stay} later.` : `${flight}, discarded ${stay} later.`;
}

export interface PrefetchTotal {
  readonly device: PrefetchDevice;
  readonly fetched: number;
  readonly ahead: number;
  readonly used: number;
  readonly wasted: number;
  readonly flight: number;
  readonly held: number;
  /** Mean time in flight of those that arrived; null before the first. */
  readonly latency: number | null;
}

/** By device, up to a time. */
export function prefetchTotals(
  lines: readonly FetchedLine[],
  devices: readonly PrefetchDevice[],
  timePs: number,
): PrefetchTotal[] {
  return devices.flatMap((device): PrefetchTotal[] => {
    const own = lines.filter((line) => line.device === device.part && line.requestedPs <= timePs);
    if (own.length === 0) return [];
    const fates = own.map((line) => prefetchFateAt(line, timePs));
    const of = (fate: PrefetchFate) => fates.filter((one) => one === fate).length;
    const flights = own.flatMap(({ requestedPs, here }) =>
      here !== null && here <= timePs ? [here - requestedPs] : [],
    );
    const sum = flights.reduce((all, one) => all + one, 0);
    return [
      {
        ...{
          device,
          fetched: own.length,
          ahead: own.filter(({ isDemanded }) => !isDemanded).length,
        },
        ...{ used: of('used'), wasted: of('wasted'), flight: of('flight'), held: of('held') },
        latency: flights.length === 0 ? null : sum / flights.length,
      },
    ];
  });
}

/** "Storage adapter: 9 lines fetched, 7 of them ahead; 8 used, 1 discarded; 0 in flight. A line takes 976 ns." */
export function totalSentence(total: PrefetchTotal): string {
  const { device, fetched, ahead, used, wasted, flight, held, latency } = total;
  const took = latency === null ? '' : ` A line takes ${span(latency)}.`;
  return `${device.title}: ${count(fetched, 'line')} fetched, ${integer(ahead)} of them ahead; ${integer(used)} used, ${integer(wasted)} discarded, ${integer(held)} in the bridge, ${integer(flight)} in flight.${took}`;
}
