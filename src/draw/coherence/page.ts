/**
 * One page of memory, line by line: the holders and states of each line, read from the caches, the adapter
 * and memory at one moment. A column is a line of 32 bytes; a row is a possible holder.
 */
import { address as addressText, integer } from '../../base/format';
import { RUNWAY_HALF, RUNWAY_LINE } from '../../engine/gen/constants';
import {
  type CacheRole,
  type CoherentMachine,
  type MemoryRole,
  PAGE_LINES,
} from '../../model/coherence/coherence-roles';
import { actorOf } from '../glyph';
import type { Moment, Rows } from '../moment';
import { type LineState, STATE_NAMES, stateOf } from '../state-cell';

interface LineCell {
  /** Null for memory with the newest data. */
  readonly state: LineState | null;
  /** The part's own term: "in the write-back buffer". */
  readonly title: string;
}

interface LineRow {
  readonly part: number;
  readonly title: string;
  readonly actor: string;
  readonly cells: readonly LineCell[];
}

/** What a run of columns has in common, from the fullest wording to the shortest. */
interface LineRun {
  readonly from: number;
  readonly to: number;
  readonly texts: readonly string[];
}

export interface PageLines {
  /** Address of the page, and line number of the first column. */
  readonly page: number;
  readonly first: number;
  readonly rows: readonly LineRow[];
  readonly runs: readonly LineRun[];
}

export interface PageWindow {
  readonly page: number;
  readonly first: number;
  readonly count: number;
  /** Title of the device that made a write; null for a processor's. */
  maker(write: number): string | null;
}

const ABSENT: LineCell = { state: 'invalid', title: STATE_NAMES.invalid };
const CURRENT: LineCell = { state: null, title: 'up to date' };
const BEHIND: LineCell = { state: 'stale', title: 'stale: a newer write is elsewhere' };
const HALVES = RUNWAY_LINE / RUNWAY_HALF;

/** Titles of an enum's members by value. */
const membersOf = (coherent: CoherentMachine, part: number, name: string) =>
  coherent.machine.parts[part]?.type.enums[name] ?? [];

/** The newest write of each half line of the window; undefined outside tracked memory. */
type Newest = (line: number, half: number) => number | undefined;

function newestIn(memory: MemoryRole | null, cells: Rows | null, start: number): Newest {
  const newest = cells?.column('newest');
  if (!memory || !newest) return () => undefined;
  const offset = ((start - memory.from) / RUNWAY_LINE) * HALVES;
  return (line, half) => newest[offset + line * HALVES + half];
}

interface Filling {
  readonly coherent: CoherentMachine;
  readonly now: Moment;
  readonly start: number;
  readonly count: number;
  readonly newest: Newest;
}

const cellsOf = (count: number): LineCell[] => Array.from({ length: count }, () => ABSENT);

/** A copy that is not the newest is stale, whatever state its holder has it in. */
function held(
  title: string,
  state: LineState,
  line: number,
  halves: readonly (number | undefined)[],
  newest: Newest,
): LineCell {
  const old = halves.some((write, half) => {
    const now = newest(line, half);
    return write !== undefined && now !== undefined && write !== now;
  });
  return old ? { state: 'stale', title: `${title}, but stale` } : { state, title };
}

function cacheCells(
  { coherent, now, start, count, newest }: Filling,
  cache: CacheRole,
): LineCell[] {
  const cells = cellsOf(count);
  const lines = now.view(cache.part, 'lines');
  const [tags, states] = [lines?.column('tag'), lines?.column('state')];
  const data = now.view(cache.part, 'data')?.column('write');
  const members = membersOf(coherent, cache.part, 'line');
  const put = (at: number, cell: LineCell) => {
    const column = Math.floor((at - start) / RUNWAY_LINE);
    if (column >= 0 && column < count) cells[column] = cell;
  };
  const end = start + count * RUNWAY_LINE;
  for (let i = 0; tags && states && i < tags.length; i++) {
    const tag = tags[i] ?? 0;
    const at = (tag - 1) * cache.lineBytes;
    if (tag === 0 || at < start || at >= end) continue;
    const member = members[states[i] ?? 0];
    if (!member || stateOf(member.name) === 'invalid') continue;
    const halves = [data?.[i * HALVES], data?.[i * HALVES + 1]];
    const line = Math.floor((at - start) / RUNWAY_LINE);
    put(at, held(member.title, stateOf(member.name), line, halves, newest));
  }
  const misses = now.view(cache.part, 'misses');
  const stages = membersOf(coherent, cache.part, 'stage');
  for (let i = 0; i < (misses?.rows ?? 0); i++) {
    const stage = misses?.column('stage')?.[i] ?? 0;
    const title = `under way: ${stages[stage]?.title ?? 'asked for'}`;
    if (stage !== 0) put(misses?.column('addr')?.[i] ?? -1, { state: 'flight', title });
  }
  const leaving = now.view(cache.part, 'write_backs')?.column('addr');
  const waiting = now.view(cache.part, 'now')?.column('write_backs')?.[0] ?? 0;
  for (let i = 0; i < waiting; i++)
    put(leaving?.[i] ?? -1, { state: 'flight', title: 'in the write-back buffer' });
  return cells;
}

/** The adapter's one line, and its prefetch buffer, which is not coherent. */
function adapterCells({ coherent, now, start, count, newest }: Filling, part: number): LineCell[] {
  const cells = cellsOf(count);
  const columnOf = (at: number) => {
    const column = Math.floor((at - start) / RUNWAY_LINE);
    return column >= 0 && column < count ? column : -1;
  };
  const prefetch = now.view(part, 'prefetch');
  for (let i = 0; i < (prefetch?.rows ?? 0); i++) {
    const state = prefetch?.column('state')?.[i] ?? 0;
    const column = columnOf(prefetch?.column('physical')?.[i] ?? -1);
    if (state === 0 || column < 0) continue;
    const halves = [prefetch?.column('half_0')?.[i], prefetch?.column('half_1')?.[i]];
    cells[column] =
      state === 3
        ? held('in the prefetch buffer', 'shared', column, halves, newest)
        : { state: 'flight', title: 'being prefetched' };
  }
  const line = now.view(part, 'line');
  const member = membersOf(coherent, part, 'line')[line?.column('state')?.[0] ?? 0];
  const column = columnOf(line?.column('addr')?.[0] ?? -1);
  if (member && member.name !== 'empty' && column >= 0)
    cells[column] = {
      state: member.name === 'held' ? 'dirty' : 'flight',
      title: `one-line cache: ${member.title}`,
    };
  return cells;
}

function memoryCells(memory: MemoryRole, cells: Rows | null, start: number, count: number) {
  const [write, newest] = [cells?.column('write'), cells?.column('newest')];
  const offset = ((start - memory.from) / RUNWAY_LINE) * HALVES;
  return Array.from({ length: count }, (_, line): LineCell => {
    const at = offset + line * HALVES;
    const old = [at, at + 1].some((half) => write?.[half] !== newest?.[half]);
    return old ? BEHIND : CURRENT;
  });
}

/** Describes a column by its holders and states. */
function columnTexts(rows: readonly LineRow[], column: number, maker: string | null): string[] {
  const holders = (state: LineState) =>
    rows.filter((row) => row.cells[column]?.state === state).map((row) => row.title);
  const [stale, flight] = [holders('stale'), holders('flight')];
  const [dirty, clean, shared] = [holders('dirty'), holders('clean'), holders('shared')];
  const copies = [...dirty, ...clean, ...shared];
  const listed = (titles: readonly string[]) => titles.join(' and ');
  const memoryBehind = stale.includes(rows.at(-1)?.title ?? '');
  const behind = stale.filter((title) => title !== rows.at(-1)?.title);
  if (flight.length > 0) return [`under way: ${listed(flight)}`, 'under way'];
  if (behind.length > 0) return [`stale in ${listed(behind)}`, 'stale'];
  if (dirty.length > 0) return [`newest only in ${listed(dirty)}`, `only in ${listed(dirty)}`];
  if (memoryBehind && copies.length === 0) return ['the newest data is lost', 'lost'];
  if (shared.length > 1) return [`shared by ${listed(shared)}`, 'shared'];
  if (copies.length > 0) return [`copy in ${listed(copies)}`, 'a copy'];
  if (maker) return [`written by ${maker}, no copies`, `written by ${maker}`, maker];
  return [];
}

function runsOf(texts: readonly (readonly string[])[]): LineRun[] {
  const runs: LineRun[] = [];
  texts.forEach((words, column) => {
    const last = runs.at(-1);
    if (words.length === 0) return;
    if (last && last.to === column - 1 && last.texts[0] === words[0])
      runs[runs.length - 1] = { ...last, to: column };
    else runs.push({ from: column, to: column, texts: words });
  });
  return runs;
}

export function pageLines(coherent: CoherentMachine, now: Moment, window: PageWindow): PageLines {
  const { page, count } = window;
  const first = Math.max(0, Math.min(window.first, PAGE_LINES - count));
  const start = page + first * RUNWAY_LINE;
  const { memory, tlb, machine } = coherent;
  const cells = memory ? now.view(memory.part, 'cells') : null;
  const newest = newestIn(memory, cells, start);
  const filling = { coherent, now, start, count, newest };
  const row = (part: number, columns: readonly LineCell[]): LineRow => {
    const title = machine.parts[part]?.title ?? '';
    return { part, title, actor: actorOf(machine.parts, part), cells: columns };
  };
  const rows = [
    ...coherent.caches.map((cache) => row(cache.part, cacheCells(filling, cache))),
    ...(tlb ? [row(tlb.part, adapterCells(filling, tlb.part))] : []),
    ...(memory ? [row(memory.part, memoryCells(memory, cells, start, count))] : []),
  ];
  const texts = Array.from({ length: count }, (_, column) => {
    const write = Math.max(newest(column, 0) ?? 0, newest(column, 1) ?? 0);
    return columnTexts(rows, column, window.maker(write));
  });
  return { page, first, rows, runs: runsOf(texts) };
}

/** "Line 51, 0x3A417660, in Cache 1: private dirty" */
export function cellSentence(lines: PageLines, row: number, column: number): string {
  const { title = '', cells } = lines.rows[row] ?? {};
  const line = lines.first + column;
  const at = addressText(lines.page + line * RUNWAY_LINE);
  return `Line ${integer(line)}, ${at}, in ${title}: ${cells?.[column]?.title ?? ''}`;
}

/** The page as sentences, one for each run of lines that have something in common. */
export function pageSentences({ first, runs }: PageLines): string[] {
  return runs.map(({ from, to, texts }) => {
    const lines = from === to ? `Line ${first + from}` : `Lines ${first + from} to ${first + to}`;
    return `${lines}: ${texts[0]}.`;
  });
}
