/**
 * An IOMMU in a machine drawing: its cached translations and, if it walks its table, pending accesses and
 * walks.
 */

import { address, count, integer, text, time } from '../../base/format';
import type { Rect } from '../../base/geometry';
import type { ViewField } from '../../engine/gen/names';
import type { PartType, ViewSpec } from '../../engine/manifest';
import { fitting } from '../glyph';
import type { Moment } from '../moment';
import { line, rect, type Shape, words } from '../shape';
import { isBeingRead } from './being-read';
import type { Look, PlacedPart } from './types';

const PAD = 9;
const [ROWS, HIGH, DOWN] = [3, 17, 19];

/** Parts that are wired to the memory with their table walk it. */
export const walksTable = (type: PartType): boolean =>
  type.tracks.some((track) => track.requiresWired !== undefined) &&
  type.views.some(({ name }) => name === 'walkers');

/** Whether a view shows the pages of cached translations. */
export const showsTranslations = ({ name, fields }: ViewSpec): boolean =>
  name === 'cache' && fields.some((field) => field.name === 'entry');

interface CachedTranslation {
  readonly entry: number;
  /** First entry of its page. */
  readonly page: number;
}

/** Cached translations, slot by slot; null for an empty slot. Pages are numbered as in the table. */
function cachedIn(part: PlacedPart, now: Moment): readonly (CachedTranslation | null)[] {
  const view = now.view(part.index, 'cache');
  const [entries, pages] = [view?.column('entry') ?? [], view?.column('page') ?? []];
  return Array.from(entries, (entry, place) =>
    entry > 0 ? { entry: entry - 1, page: (pages[place] ?? 0) - 1 } : null,
  );
}

interface PendingAccess {
  readonly state: string;
  readonly title: string;
  readonly address: number;
  readonly physical: number;
  readonly write: boolean;
  readonly number: number;
}

/** Pending accesses, in order of arrival. */
function pendingAccesses(part: PlacedPart, now: Moment): readonly PendingAccess[] {
  const view = now.view(part.index, 'accesses');
  const states = part.part.type.enums.access ?? [];
  const rows = Array.from({ length: view?.rows ?? 0 }, (_, row) => {
    const at = (name: ViewField) => view?.column(name)?.[row] ?? 0;
    const { name: state = 'free', title = '' } = states[at('state')] ?? {};
    const [bus, physical] = [at('address'), at('physical')];
    return { state, title, address: bus, physical, write: at('write') > 0, number: at('number') };
  });
  return rows.filter(({ state }) => state !== 'free').sort((a, b) => a.number - b.number);
}

interface Walk {
  readonly level: string;
  readonly title: string;
  readonly entry: number;
  readonly at: number;
  readonly since: number;
  readonly waitsForBus: boolean;
}

function walksOf(part: PlacedPart, now: Moment): readonly Walk[] {
  const view = now.view(part.index, 'walkers');
  const levels = part.part.type.enums.walk ?? [];
  return Array.from({ length: view?.rows ?? 0 }, (_, row) => {
    const at = (name: ViewField) => view?.column(name)?.[row] ?? 0;
    const { name: level = 'idle', title = '' } = levels[at('state')] ?? {};
    const [entry, where, since] = [at('entry'), at('at'), at('since')];
    return { level, title, entry, at: where, since, waitsForBus: at('wanted') > 0 };
  }).filter(({ level }) => level !== 'idle');
}

interface TranslationCell {
  readonly one: CachedTranslation | null;
  readonly box: Rect;
}

/** Columns of cells of at least `least`, and their pitch. */
function columnsOf(width: number, least: number): { columns: number; pitch: number } {
  const columns = Math.max(1, Math.floor(width / least));
  return { columns, pitch: width / columns };
}

/** Room for translations as cells. */
interface Room {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly rows: number;
}

/** Cells with entry and page; if there are too many, the last place stays free. */
function rowCells(
  held: readonly (CachedTranslation | null)[],
  { x, y, width, rows }: Room,
): TranslationCell[] {
  const { columns, pitch } = columnsOf(width, 62);
  const most = columns * rows;
  return held.slice(0, held.length > most ? most - 1 : most).map((one, place) => ({
    one,
    box: {
      x: x + (place % columns) * pitch,
      y: y + Math.floor(place / columns) * DOWN,
      width: pitch - 3,
      height: HIGH,
    },
  }));
}

/** A translation as a cell: "0: page 256". */
function rowShapes(held: readonly (CachedTranslation | null)[], room: Room): Shape[] {
  const cells = rowCells(held, room);
  const shapes = cells.flatMap(({ one, box: { x, y, width, height } }): Shape[] => {
    const box = rect(x, y, width, height, one ? 'inset' : 'slot');
    if (!one) return [box];
    const [entry, page] = [integer(one.entry), integer(one.page)];
    const label = fitting([`${entry}: page ${page}`, `${entry}: ${page}`], width - 8, 10.5) ?? '';
    return [box, words(x + 4, y + 12.3, label, 't10')];
  });
  if (held.length === cells.length) return shapes;
  const { columns, pitch } = columnsOf(room.width, 62);
  const left = room.x + (columns - 1) * pitch;
  const more = `+ ${count(held.length - cells.length, 'place')}`;
  return [...shapes, words(left + 4, room.y + (room.rows - 1) * DOWN + 12.3, more, 't10 i3')];
}

function accessShapes(
  accesses: readonly PendingAccess[],
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  look: Look,
): Shape[] {
  return Array.from({ length: ROWS }, (_, place): Shape[] => {
    const top = y + place * DOWN;
    const one = accesses[place];
    const box = rect(x, top, width, HIGH, one ? 'inset' : 'slot');
    if (!one) return [box];
    const last = place === ROWS - 1 && accesses.length > ROWS;
    const label = last ? `and ${integer(accesses.length - ROWS + 1)} more` : address(one.address);
    const marked = isBeingRead(look, one.physical || null, one.address);
    return [
      box,
      rect(x + 1, top + 1, marked && !last ? width - 2 : 0, HIGH - 2, 'markf'),
      words(x + 5, top + 12.3, label, 't10'),
      words(
        x + width - 5,
        top + 12.3,
        last ? '' : (fitting([one.title, one.state], width - 80, 10.5) ?? ''),
        one.state === 'missed' ? 't10 end tbad' : 't10 end i3',
      ),
    ];
  }).flat();
}

function walkShapes(
  walks: readonly Walk[],
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  now: Moment,
  look: Look,
): Shape[] {
  const [walk] = walks;
  if (!walk) return [words(x, y + 12.3, 'no walk', 't10 i3')];
  const since = text(time(now.timePs - walk.since, 3));
  const marked = isBeingRead(look, walk.at, null);
  const waits = walk.waitsForBus ? 'waits for the bus' : 'waits for memory';
  return [
    words(x, y + 12.3, `entry ${integer(walk.entry)}`, 't10 b6'),
    words(x + width, y + 12.3, since, 't10 end tbad'),
    rect(x, y + DOWN, width, HIGH, 'inset'),
    rect(x + 1, y + DOWN + 1, marked ? width - 2 : 0, HIGH - 2, 'markf'),
    words(x + 5, y + DOWN + 12.3, `${walk.title} ${address(walk.at)}`, 't10'),
    words(x, y + 2 * DOWN + 12.3, walks.length > 1 ? `${walks.length} walks` : waits, 't10 i2'),
  ];
}

/** Room of a page number in a small box: "2E" to "1 FFF". */
const PAGE_CELL = 29;

/** Cells with the page only. Where these do not fit, each slot is a small box, occupied or not. */
function placeCells(
  held: readonly (CachedTranslation | null)[],
  { x, y, width, height }: Rect,
): { readonly cells: TranslationCell[]; readonly labelled: boolean } {
  if (height < 60) return { cells: [], labelled: false };
  const columns = Math.floor((width - 2 * PAD + 2) / PAGE_CELL);
  const labelled = held.length <= columns * Math.floor((height - 42) / DOWN);
  const pitch = Math.min(15, Math.max(5, (width - 2 * PAD + 3) / held.length));
  const fits = labelled ? held : held.slice(0, Math.floor((width - 2 * PAD + 3) / pitch));
  const cells = fits.map((one, place) => ({
    one,
    box: labelled
      ? {
          x: x + PAD + (place % columns) * PAGE_CELL,
          y: y + 40 + Math.floor(place / columns) * DOWN,
          width: PAGE_CELL - 2,
          height: HIGH,
        }
      : { x: x + PAD + place * pitch, y: y + 42, width: pitch - 3, height: 13 },
  }));
  return { cells, labelled };
}

/** The pages of the cached translations, as in hexadecimal addresses; the occupied slots where they do not fit. */
function placeShapes(held: readonly (CachedTranslation | null)[], box: Rect): Shape[] {
  const { cells, labelled } = placeCells(held, box);
  return cells.flatMap(({ one, box: { x, y, width, height } }): Shape[] => {
    if (!labelled) return [rect(x, y, width, height, one ? 'ink2f' : 'slot')];
    const label = one ? one.page.toString(16).toUpperCase() : '';
    return [
      rect(x, y, width, height, one ? 'inset' : 'slot'),
      words(x + width / 2, y + 12.3, label, 'm10 mid'),
    ];
  });
}

/** Where the translations have cells with entry and page; null where only pages or slots have room. */
function rowRoom({ part, box }: PlacedPart): Room | null {
  const { x, y, width, height } = box;
  if (walksTable(part.type))
    return width < 420 || height < 80
      ? null
      : { x: x + PAD, y: y + 25, width: width - 300 - 2 * PAD, rows: ROWS };
  const rows = Math.floor((height - 44) / DOWN);
  return width < 200 || rows < 2 ? null : { x: x + PAD, y: y + 42, width: width - 2 * PAD, rows };
}

/** The cells of the cached translations of a unit. */
export function translationCells(part: PlacedPart, now: Moment): readonly TranslationCell[] {
  const held = part.part.type.views.some(showsTranslations) ? cachedIn(part, now) : [];
  const room = rowRoom(part);
  return room ? rowCells(held, room) : placeCells(held, part.box).cells;
}

/** Translations of a unit that holds its table itself: below its present action, as far as there is room. */
export function translationShapes(part: PlacedPart, now: Moment): Shape[] {
  const held = part.part.type.views.some(showsTranslations) ? cachedIn(part, now) : [];
  const room = rowRoom(part);
  return held.length === 0 || !room ? placeShapes(held, part.box) : rowShapes(held, room);
}

/** The unit's translations and present action; in a small box only its occupied slots. */
export function iommuShapes(part: PlacedPart, now: Moment, look: Look): Shape[] {
  const { x, y, width, height } = part.box;
  const held = cachedIn(part, now);
  const room = rowRoom(part);
  if (!room) return placeShapes(held, part.box);
  const [top, wants, walks] = [y + 25, x + width - 300, x + width - 138];
  return [
    words(x + 96, y + 19, 'translations held', 't11 i2'),
    ...rowShapes(held, room),
    line(wants - 8, y + 10, wants - 8, y + height - 8, 'hair'),
    words(wants, y + 19, 'accesses', 't11 i2'),
    ...accessShapes(pendingAccesses(part, now), { x: wants, y: top, width: 150 }, look),
    line(walks - 6, y + 10, walks - 6, y + height - 8, 'hair'),
    words(walks, y + 19, 'walk', 't11 i2'),
    ...walkShapes(walksOf(part, now), { x: walks, y: top, width: 129 }, now, look),
  ];
}

/** The unit's translations in words. */
export function translationFacts(part: PlacedPart, now: Moment): string[] {
  if (!part.part.type.views.some(showsTranslations)) return [];
  const held = cachedIn(part, now).flatMap((one) =>
    one ? [`entry ${integer(one.entry)} is page ${integer(one.page)}`] : [],
  );
  return [held.length > 0 ? `holds ${held.join(', ')}` : 'holds no translation'];
}

/** The same in words. */
export function iommuFacts(part: PlacedPart, now: Moment): string[] {
  const wanted = pendingAccesses(part, now).map(
    (one) => `${one.write ? 'write' : 'read'} at ${address(one.address)} ${one.title}`,
  );
  const walks = walksOf(part, now).map(
    (walk) => `walks for entry ${integer(walk.entry)}: ${walk.title} at ${address(walk.at)}`,
  );
  return [...translationFacts(part, now), ...wanted, ...walks];
}
