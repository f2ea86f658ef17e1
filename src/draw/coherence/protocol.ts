/**
 * The protocol of a cache as a table: a row for each state of a line, a column for each event. A cell has the
 * next state and the response on the bus.
 */

import { count } from '../../base/format';
import { clamp } from '../../base/geometry';
import type { ViewField } from '../../engine/gen/names';
import type { EnumMember } from '../../engine/manifest';
import type { CacheRole, CoherentMachine } from '../../model/coherence/coherence-roles';
import type { Moment } from '../moment';
import { path, rect, type Shape, words } from '../shape';
import { stateCell, stateOf } from '../state-cell';

export interface ProtocolRow {
  /** Row of the view. */
  readonly index: number;
  readonly state: number;
  readonly protocolEvent: number;
  readonly response: EnumMember;
  readonly action: EnumMember;
  readonly next: EnumMember;
  readonly taken: number;
  readonly last: number;
}

export interface Protocol {
  readonly states: readonly EnumMember[];
  readonly protocolEvents: readonly EnumMember[];
  readonly rows: readonly ProtocolRow[];
  /** The row taken last; null before the first. */
  readonly latest: ProtocolRow | null;
}

const NOBODY: EnumMember = { name: 'clear', title: '', style: '', doc: '' };

/** Of rows taken at the same moment, the one with an effect ranks first. */
const weight = ({ next, response, action, state }: ProtocolRow, states: readonly EnumMember[]) =>
  Number(next.name !== states[state]?.name) * 4 +
  Number(response.name !== 'ok') * 2 +
  Number(action.name !== 'none');

export function protocolOf(coherent: CoherentMachine, cache: CacheRole, now: Moment): Protocol {
  const { enums = {} } = coherent.machine.parts[cache.part]?.type ?? {};
  const {
    line: states = [],
    protocol_event: protocolEvents = [],
    response = [],
    action = [],
  } = enums;
  const view = now.view(cache.part, 'rows');
  const at = (field: ViewField, row: number) => view?.column(field)?.[row] ?? 0;
  const rows = Array.from(
    { length: view?.rows ?? 0 },
    (_, index): ProtocolRow => ({
      index,
      state: at('state', index),
      protocolEvent: at('protocol_event', index),
      response: response[at('response', index)] ?? NOBODY,
      action: action[at('action', index)] ?? NOBODY,
      next: states[at('next', index)] ?? NOBODY,
      taken: at('taken', index),
      last: at('last', index),
    }),
  );
  const taken = rows.filter((row) => row.taken > 0);
  const latest = taken.reduce<ProtocolRow | null>((best, row) => {
    if (!best || row.last > best.last) return row;
    return row.last === best.last && weight(row, states) > weight(best, states) ? row : best;
  }, null);
  return { states, protocolEvents, rows, latest };
}

/** The cache with the latest protocol transition, shown by default. */
export function busiestRow(coherent: CoherentMachine, now: Moment): CacheRole | null {
  let best: { cache: CacheRole; last: number; weight: number } | null = null;
  for (const cache of coherent.caches) {
    const { latest, states } = protocolOf(coherent, cache, now);
    const found = { cache, last: latest?.last ?? -1, weight: latest ? weight(latest, states) : -1 };
    if (!best || found.last > best.last || (found.last === best.last && found.weight > best.weight))
      best = found;
  }
  return best?.cache ?? null;
}

export const rowAt = ({ rows }: Protocol, state: number, protocolEvent: number) =>
  rows.find((row) => row.state === state && row.protocolEvent === protocolEvent) ?? null;

const RESPONSE_TEXTS: Readonly<Record<string, string>> = {
  ok: 'answers COH_OK',
  shared: 'answers COH_SHR',
  copy: 'answers COH_CPY',
  wait: 'gives no answer yet',
};

/** Bus events have a response; processor events have none. */
const isSnoop = (member: EnumMember | undefined): boolean =>
  member?.name.startsWith('snoop') ?? false;

const conditionOf = (
  { states, protocolEvents }: Protocol,
  state: number,
  protocolEvent: number,
): string => `${states[state]?.title ?? ''}, ${protocolEvents[protocolEvent]?.title ?? ''}`;

/** "private dirty, READ shared seen: answers COH_CPY, copy to the requester and memory, becomes shared" */
export function protocolSentence(protocol: Protocol, row: ProtocolRow): string {
  const [state, protocolEvent] = [
    protocol.states[row.state],
    protocol.protocolEvents[row.protocolEvent],
  ];
  const does: string[] = [];
  if (isSnoop(protocolEvent)) does.push(RESPONSE_TEXTS[row.response.name] ?? row.response.title);
  if (row.action.name !== 'none') does.push(row.action.title);
  does.push(row.next.name === state?.name ? 'stays as it is' : `becomes ${row.next.title}`);
  const often = row.taken === 0 ? 'not taken yet' : `taken ${count(row.taken, 'time')}`;
  return `${conditionOf(protocol, row.state, row.protocolEvent)}: ${does.join(', ')}; ${often}.`;
}

/** A combination without a row cannot happen. */
export const noRowSentence = (protocol: Protocol, state: number, protocolEvent: number): string =>
  `${conditionOf(protocol, state, protocolEvent)}: cannot happen.`;

export interface ProtocolGrid {
  readonly left: number;
  readonly top: number;
  readonly across: number;
  readonly down: number;
  /** States that have a row, by value. */
  readonly states: readonly number[];
  readonly columns: number;
}

const TOP = 28;
const LEAST_DOWN = 13;
const NARROW = 300;
const NAMES = 92;

/** On a low sheet only stable states, and the state of the latest row. */
function statesShown({ states, latest }: Protocol, room: number): number[] {
  const all = [...states.keys()];
  if (all.length <= room) return all;
  const resting = all.filter((state) => stateOf(states[state]?.name ?? '') !== 'flight');
  const moving = latest && !resting.includes(latest.state) ? [latest.state] : [];
  return [...resting, ...moving];
}

export function protocolGrid(width: number, height: number, protocol: Protocol): ProtocolGrid {
  const columns = protocol.protocolEvents.length;
  const left = width < NARROW ? 32 : NAMES;
  const across = clamp((width - left - 8) / Math.max(1, columns), 22, 64);
  const room = height - TOP - 2;
  const states = statesShown(protocol, Math.floor(room / LEAST_DOWN));
  const down = clamp(room / Math.max(5, states.length), LEAST_DOWN, 26);
  return { left, top: TOP, across, down, states, columns };
}

export function protocolCellAt(grid: ProtocolGrid, x: number, y: number) {
  const column = Math.floor((x - grid.left) / grid.across);
  const row = Math.floor((y - grid.top) / grid.down);
  const inside = column >= 0 && column < grid.columns && row >= 0 && row < grid.states.length;
  return inside ? { row, column } : null;
}

/** A title in two lines: its first word, and the rest; a single word is in the lower line. */
function twoLines({ short, title }: EnumMember): readonly [string, string] {
  const [first = '', ...rest] = (short ?? title).split(' ');
  return rest.length === 0 ? ['', first] : [first, rest.join(' ')];
}

function headings({ left, top, across, down, states }: ProtocolGrid, protocol: Protocol): Shape[] {
  const columns = protocol.protocolEvents.flatMap((protocolEvent, column) => {
    const [above, below] = twoLines(protocolEvent);
    const x = left + (column + 0.5) * across;
    return [words(x, top - 15, above, 't10 i3 mid'), words(x, top - 4, below, 't10 i3 mid')];
  });
  const rows = states.flatMap((state, row) => {
    const { name = '', title = '', short = title } = protocol.states[state] ?? {};
    const y = top + row * down;
    const cell = stateCell(10, y, 14, down - 1, stateOf(name));
    return left > 64 ? [...cell, words(28, y + down / 2 + 3, short, 't10 i2')] : cell;
  });
  return [...columns, ...rows];
}

interface ProtocolMarks {
  /** The selected row, and the highlighted one. */
  readonly selected: number | null;
  readonly marked: number | null;
}

export function protocolShapes(
  grid: ProtocolGrid,
  protocol: Protocol,
  { selected, marked }: ProtocolMarks,
): Shape[] {
  const { left, top, across, down } = grid;
  const cells = protocol.rows.flatMap((row): Shape[] => {
    const place = grid.states.indexOf(row.state);
    if (place < 0) return [];
    const [x, y] = [left + row.protocolEvent * across, top + place * down];
    const isLatest = row === protocol.latest;
    const answer = isSnoop(protocol.protocolEvents[row.protocolEvent])
      ? (row.response.short ?? row.response.title)
      : '';
    const wide = across >= 30;
    const tone = row.taken === 0 ? 'i3' : isLatest ? 'b6' : '';
    return [
      rect(
        x + 1,
        y,
        across - 2,
        down - 1,
        row.index === selected || row.index === marked || isLatest ? 'same' : 'clear',
      ),
      ...stateCell(wide ? x + 2 : x + across / 2 - 6, y, 12, down - 1, stateOf(row.next.name)),
      words(x + 16, y + down / 2 + 3, wide ? answer : '', `t10 ${tone}`),
      isLatest ? rect(x + 1, y, across - 2, down - 1, 'cursor-box') : path('', 'cursor-box'),
    ];
  });
  return [...headings(grid, protocol), ...cells];
}

export const protocolCursor = (grid: ProtocolGrid, row: number, column: number): Shape =>
  rect(
    grid.left + column * grid.across,
    grid.top + row * grid.down - 1,
    grid.across,
    grid.down + 1,
    'cursor-box',
  );
