/** Facts about a part for drawings, read from its manifest, counters and views. */

import { bytes, fixed, integer, significant, text, time } from '../../base/format';
import { clamp } from '../../base/geometry';
import type { CounterName, ParamName, ViewField, ViewName } from '../../engine/gen/names';
import type { CounterSpec, EnumMember, PartType, ViewSpec } from '../../engine/manifest';
import type { Moment, Rows, TimeRange } from '../moment';
import { walksTable } from './iommu';
import type { DrawnPart } from './types';

/** The value of a parameter by name; null if the part has none of that name. */
export function paramOf(part: DrawnPart, name: ParamName | ViewName): number | null {
  const index = part.type.params.findIndex((spec) => spec.name === name);
  const value = part.params[index]?.value;
  return value === undefined ? null : Number(value);
}

function counterOf(part: DrawnPart, index: number, now: Moment, name: CounterName): number {
  const place = part.type.counters.findIndex((spec) => spec.name === name);
  return now.counters[index]?.[place] ?? 0;
}

/** A counter as drawings write it: "512 B", "8.3 µs", "16". */
export function counterText({ unit }: Pick<CounterSpec, 'unit'>, value: number): string {
  if (unit === 'ps') return text(time(value, 3));
  if (unit === 'B') return text(bytes(value));
  return integer(value);
}

/** "66.7 MHz" */
export function clockText(hertz: number): string {
  const mega = hertz / 1e6;
  return mega >= 1000
    ? `${significant(mega / 1000, 3)}\u00a0GHz`
    : `${significant(mega, 3)}\u00a0MHz`;
}

/** Constants of a bus, beside its name: "64 bit, 66.7 MHz". */
export function constantsOf(part: DrawnPart): string {
  const facts = part.type.params.flatMap((spec, index) => {
    const value = Number(part.params[index]?.value ?? 0);
    if (spec.name === 'width' && spec.type === 'bytes') return [`${integer(value * 8)}\u00a0bit`];
    if (spec.type === 'clock') return [clockText(value)];
    if (spec.name === 'rate' && spec.type === 'rate')
      return [`${significant(value / 1e6, 3)}\u00a0MB/s`];
    return [];
  });
  return facts.join(', ');
}

/** The present action of the part, from the fullest wording to the shortest. */
export function doing(part: DrawnPart, index: number, now: Moment): readonly string[] {
  if (movesBlocks(part.type)) return [];
  const [track, ...more] = part.type.tracks;
  if (more.length > 0) return [parallelActions(part, index, now)];
  if (!track) return tally(part, index, now);
  const state = now.track(index, track.name);
  if (!state) return [now.whole ? 'idle' : ''];
  return sentences(state, now.timePs);
}

/** "TCP/IP in hardware, a frame crosses": a part that does several things at once. */
function parallelActions({ type }: DrawnPart, index: number, now: Moment): string {
  const states = type.tracks.flatMap(({ name }) => now.track(index, name)?.state.title ?? []);
  return states.join(', ') || (now.whole ? 'idle' : '');
}

/** "waiting for a read, 120 ns": the duration matters for waiting. */
function sentences({ state, from }: TimeRange, timePs: number): readonly string[] {
  const [short = state.title] = state.title.split(':');
  if (state.style !== 'hatch') return [state.title, short];
  const since = text(time(timePs - from, 3));
  return [`${state.title}, ${since}`, `${short}, ${since}`, state.title, short];
}

/** Counters of a part that has no track. */
function tally(part: DrawnPart, index: number, now: Moment): readonly string[] {
  const isMasked = part.type.counters.some(({ name }) => now.masks?.(index, name));
  const facts = part.type.counters.flatMap((spec, place) => {
    const value = now.counters[index]?.[place] ?? 0;
    if (now.masks?.(index, spec.name)) return [`${spec.title}: hidden by the question`];
    return value > 0 && spec.unit !== 'ps' ? [`${spec.title} ${counterText(spec, value)}`] : [];
  });
  if (facts.length === 0) return ['not used yet'];
  const texts = [facts.slice(0, 3).join(', '), facts.slice(0, 2).join(', '), facts[0] ?? ''];
  return isMasked ? [...texts, 'hidden'] : texts;
}

/** A buffer: its name, capacity and fill level. */
export interface Queue {
  readonly title: string;
  readonly size: number;
  readonly waiting: number;
}

/** A part has such a buffer if a view lists its entries and the view `now` counts the waiting ones. */
export function queueOf(part: DrawnPart, index: number, now: Moment): Queue | null {
  const waiting = now.view(index, 'now')?.column('waiting')?.[0];
  const spec = part.type.views.find((view) => view.name !== 'now' && view.name in queueSizes(part));
  if (waiting === undefined || !spec) return null;
  const size = queueSizes(part)[spec.name] ?? 0;
  const title = part.type.params.find((param) => param.name === spec.name)?.title ?? spec.name;
  return { title, size, waiting };
}

/** The capacity is a parameter of the same name as the view. */
function queueSizes(part: DrawnPart): Readonly<Record<string, number>> {
  const names = part.type.views.map((view) => view.name);
  return Object.fromEntries(
    names.flatMap((name) => {
      const size = paramOf(part, name);
      return size === null ? [] : [[name, size]];
    }),
  );
}

/** A buffer whose slots have states: its name, and the state of each slot. */
export interface Places {
  readonly title: string;
  readonly states: readonly EnumMember[];
}

/** A view of such a buffer: it has a state field, and its name is a parameter. */
export const isPlaces = ({ params, enums }: PartType, { name, fields }: ViewSpec): boolean =>
  name !== 'now' &&
  params.some((param) => param.name === name) &&
  stateEnum(enums, fields) !== null;

function stateEnum(enums: PartType['enums'], fields: ViewSpec['fields']) {
  const as = fields.find((field) => field.name === 'state')?.as ?? '';
  return as.startsWith('enum:') ? (enums[as.slice('enum:'.length)] ?? null) : null;
}

export function placesOf({ type }: DrawnPart, index: number, now: Moment): Places | null {
  const spec = type.views.find((view) => isPlaces(type, view));
  const column = spec && now.view(index, spec.name)?.column('state');
  const members = spec && stateEnum(type.enums, spec.fields);
  if (!column || !members) return null;
  const title = type.params.find((param) => param.name === spec.name)?.title ?? spec.name;
  return { title, states: [...column].flatMap((state) => members[state] ?? []) };
}

/** A block transfer: its name, state and progress. */
export interface Engine {
  readonly title: string;
  readonly state: string;
  readonly moved: number;
  readonly total: number;
}

/**
 * The line of its program that a part carries out, and its progress. A view has for each thread the `row` of
 * its program and how much of it is `done`; the view `now` names the thread.
 */
export function lineOf(part: DrawnPart, index: number, now: Moment): Engine | null {
  const spec = part.type.views.find(isScript);
  const view = spec && now.view(index, spec.name);
  const thread = now.view(index, 'now')?.column('thread')?.[0] ?? 0;
  const row = view?.column('row')?.[thread];
  const place = part.type.tables.findIndex(({ fields }) => fields.some(isOperation));
  const fields = part.type.tables[place]?.fields ?? [];
  const values = row === undefined ? undefined : part.tables[place]?.[row]?.values;
  if (!values) return null;
  const value = (name: string) => Number(values[fields.findIndex((at) => at.name === name)] ?? 0);
  const operations = part.type.enums[fields.find(isOperation)?.type ?? ''] ?? [];
  const title = operations[value('do')]?.title ?? '';
  const total = value('bytes');
  const moved = Math.min(total, view?.column('done')?.[thread] ?? 0);
  return { title, state: '', moved, total };
}

/** A view of threads and the rows of their programs. */
export const isScript = ({ name, fields }: ViewSpec): boolean =>
  name !== 'now' && ['row', 'done'].every((name) => fields.some((field) => field.name === name));

const isOperation = (field: { readonly name: string }): boolean => field.name === 'do';

/** A view of engines: what each has moved, and what is left. */
export const isMoving = ({ fields }: ViewSpec): boolean =>
  ['moved', 'left'].every((name) => fields.some((field) => field.name === name));

/** A part with several engines, which show its action. */
const movesBlocks = ({ tracks, views }: PartType): boolean =>
  tracks.length > 1 && views.some(isMoving);

/** The engines of a part, from its view of bytes moved and left. */
export function enginesOf(part: DrawnPart, index: number, now: Moment): readonly Engine[] {
  const spec = part.type.views.find(isMoving);
  const rows = spec && now.view(index, spec.name);
  if (!spec || !rows) return [];
  const titles = part.type.enums[spec.name.replace(/s$/, '')] ?? [];
  return Array.from({ length: rows.rows }, (_, row) => engineRow(part, index, now, rows, row)).map(
    (engine, row) => ({ ...engine, title: titles[row]?.title ?? engine.title }),
  );
}

function engineRow(part: DrawnPart, index: number, now: Moment, rows: Rows, row: number): Engine {
  const moved = rows.column('moved')?.[row] ?? 0;
  const left = rows.column('left')?.[row] ?? 0;
  const track = part.type.tracks[row];
  const state = track ? (now.track(index, track.name)?.state.title ?? 'idle') : '';
  return { title: track?.title ?? part.title, state, moved, total: moved + left };
}

/** Height of the contents of a box, by its views. */
export function contentHeight(type: PartType, scripts = true): number {
  const lines = movesBlocks(type) ? 0 : 18;
  const script = scripts && type.views.some(isScript) ? 25 : 0;
  const queue = type.views.some((view) => isQueue(view) || isPlaces(type, view)) ? 20 : 0;
  const engines = type.views.some(isMoving) ? 21 * Math.max(1, type.tracks.length) : 0;
  const held = walksTable(type) ? 20 : 0;
  return 28 + lines + script + queue + engines + held;
}

const isQueue = ({ name, fields }: ViewSpec): boolean =>
  name === 'now' && fields.some((field) => field.name === 'waiting');

/** The counter of a bus's busy time, and the picoseconds per count; null if there is none. */
export function busyCounter(
  part: DrawnPart,
): { readonly name: CounterName; readonly ps: number } | null {
  const unitOf = (counter: CounterName) =>
    part.type.counters.find(({ name }) => name === counter)?.unit;
  if (unitOf('busy') === 'ps') return { name: 'busy', ps: 1 };
  const hertz = paramOf(part, 'clock');
  return unitOf('busy_cycles') && hertz ? { name: 'busy_cycles', ps: 1e12 / hertz } : null;
}

/**
 * Picoseconds of the present transaction that the counter lacks, below 0 if it has them in advance: time is counted when
 * a transaction ends, cycles when it begins.
 */
function uncounted(part: DrawnPart, index: number, now: Moment, inCycles: boolean): number {
  const view = now.view(index, 'now');
  const at = (field: ViewField) => view?.column(field)?.[0];
  if (inCycles) return Math.min(0, now.timePs - (at('until') ?? 0));
  const track = part.type.tracks[0];
  const isTaken = track && now.track(index, track.name) !== null;
  return isTaken ? Math.max(0, now.timePs - (at('since') ?? at('began') ?? now.timePs)) : 0;
}

/** Share of the elapsed time in which a bus was busy; null if it does not count that. */
export function busyShare(part: DrawnPart, index: number, now: Moment): number | null {
  const counter = busyCounter(part);
  if (!counter || now.timePs <= 0 || now.masks?.(index, counter.name)) return null;
  const counted = counterOf(part, index, now, counter.name) * counter.ps;
  const present = uncounted(part, index, now, counter.name === 'busy_cycles');
  return clamp((counted + present) / now.timePs, 0, 1);
}

export const percentText = (share: number): string => `${fixed(share * 100, 0)}\u00a0%`;
