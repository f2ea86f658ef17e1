/** Edits of a program: a list of rows and loops, in which an item is named by its path. */
import type { PartType } from '../../engine/manifest';
import { Addresses } from '../scenario/address-map';
import {
  type ItemFile,
  type ItemPath,
  isLoop,
  isSameItem,
  type LoopFile,
  type RowFile,
} from '../scenario/program-loops';
import type { Value } from '../scenario/scenario-types';
import { addressText } from '../scenario/values';
import { fieldsOf, newRow } from './build-file';
import type { Draft, DraftPart } from './draft';

type Items = readonly ItemFile[];

const itemAt = (items: Items, [first = 0, ...rest]: ItemPath): ItemFile | undefined => {
  const item = items[first];
  if (rest.length === 0 || !item) return item;
  return isLoop(item) ? itemAt(item.rows, rest) : undefined;
};

/** The list with another list in place of the one that holds a path. */
function within(items: Items, path: ItemPath, make: (own: Items, at: number) => Items): Items {
  const [first = 0, ...rest] = path;
  if (rest.length === 0) return make(items, first);
  const loop = items[first];
  if (!loop || !isLoop(loop)) return items;
  return items.with(first, { ...loop, rows: [...within(loop.rows, rest, make)] });
}

export const withItem = (items: Items, path: ItemPath, item: ItemFile): Items =>
  within(items, path, (own, at) => own.with(at, item));

export const inserted = (items: Items, path: ItemPath, item: ItemFile): Items =>
  within(items, path, (own, at) => own.toSpliced(at, 0, item));

export const removed = (items: Items, path: ItemPath): Items =>
  within(items, path, (own, at) => own.toSpliced(at, 1));

const lastOf = (path: ItemPath): number => path.at(-1) ?? 0;
export const beside = (path: ItemPath, by: number): ItemPath => [
  ...path.slice(0, -1),
  lastOf(path) + by,
];

const listOf = (path: ItemPath): ItemPath => path.slice(0, -1);

const isWithin = (path: ItemPath, list: ItemPath): boolean =>
  path.length > list.length && isSameItem(path.slice(0, list.length), list);

const shifted = (path: ItemPath, depth: number, by: number): ItemPath =>
  path.with(depth, (path[depth] ?? 0) + by);

/** A program after a move, and where the moved item is in it. */
interface Moved {
  readonly items: Items;
  readonly path: ItemPath;
}

/**
 * Moves an item before the place `to` of any list, also into a loop or out of one. Null if that changes nothing, or
 * would put a loop into itself or leave a loop without a row.
 */
export function moved(items: Items, from: ItemPath, to: ItemPath): Moved | null {
  const item = itemAt(items, from);
  const isSameList = isSameItem(listOf(from), listOf(to));
  const isSamePlace = isSameList && [0, 1].includes(lastOf(to) - lastOf(from));
  const loop = from.length > 1 ? itemAt(items, listOf(from)) : undefined;
  const isOnlyRow = loop !== undefined && isLoop(loop) && loop.rows.length === 1;
  const list = to.length > 1 ? itemAt(items, listOf(to)) : undefined;
  const length = to.length === 1 ? items.length : list && isLoop(list) ? list.rows.length : -1;
  const isPlace = lastOf(to) >= 0 && lastOf(to) <= length;
  if (!item || !isPlace || isSamePlace || isWithin(to, from) || (isOnlyRow && !isSameList))
    return null;
  const depth = to.length - 1;
  const isAfter = isWithin(from, listOf(to)) && lastOf(to) <= (from[depth] ?? 0);
  const left = isAfter ? shifted(from, depth, 1) : from;
  const own = from.length - 1;
  const isBehind = isWithin(to, listOf(from)) && lastOf(from) < (to[own] ?? 0);
  return {
    items: removed(inserted(items, to, item), left),
    path: isBehind ? shifted(to, own, -1) : to,
  };
}

/** Where arrow keys move an item: within its list, into the loop beside it, or out of its loop. */
export function movedBy(items: Items, path: ItemPath, key: string): Moved | null {
  const loopAt = (by: -1 | 1): LoopFile | null => {
    const item = lastOf(path) + by >= 0 ? itemAt(items, beside(path, by)) : undefined;
    return item && isLoop(item) ? item : null;
  };
  const above = loopAt(-1);
  if (key === 'ArrowUp') return moved(items, path, beside(path, -1));
  if (key === 'ArrowDown') return moved(items, path, beside(path, 2));
  if (key === 'ArrowRight' && above)
    return moved(items, path, [...beside(path, -1), above.rows.length]);
  if (key === 'ArrowRight' && loopAt(1)) return moved(items, path, [...beside(path, 1), 0]);
  if (key === 'ArrowLeft' && path.length > 1) return moved(items, path, beside(listOf(path), 1));
  return null;
}

/** A variable that no loop around a path has. */
function freeName(items: Items, path: ItemPath): string {
  const taken = path.map((_, depth) => {
    const item = itemAt(items, path.slice(0, depth + 1));
    return item && isLoop(item) ? item.for : '';
  });
  return ['i', 'j', 'k', 'm', 'n'].find((name) => !taken.includes(name)) ?? 'o';
}

const FIRST_COUNT = 4;

/** Puts an item into a loop of its own. */
export function repeated(items: Items, path: ItemPath): Items {
  const item = itemAt(items, path);
  const loop = { for: freeName(items, path.slice(0, -1)), count: FIRST_COUNT };
  return item ? withItem(items, path, { ...loop, rows: [item] }) : items;
}

/** Puts the rows of a loop in its place, once. */
export const unrolled = (items: Items, path: ItemPath): Items =>
  within(items, path, (own, at) => {
    const loop = own[at];
    return loop && isLoop(loop) ? own.toSpliced(at, 1, ...loop.rows) : own;
  });

/** Where a row is added: before the last `end`. */
export function endOf(items: Items): number {
  const last = items.at(-1);
  return last && !isLoop(last) && last.do === 'end' ? items.length - 1 : items.length;
}

const DATA = '0x100000';

/** Operations whose address, in this field, is that of a device. */
const TO_DEVICE: ReadonlySet<string> = new Set([
  'io_load from',
  'io_store to',
  'pio_read from',
  'pio_write to',
  'dma_out to',
  'dma_in from',
]);

function firstDevice(draft: Draft, part: DraftPart): string {
  const seen = new Addresses(draft.parts, draft.wires).seenBy(draft.parts.indexOf(part));
  return addressText(seen[0]?.from ?? 0n);
}

/** A row that runs as it is: addresses of the rows before it, else of the first device and of tracked memory. */
export function suggestedRow(
  draft: Draft,
  part: DraftPart,
  before: Items,
  operation: string,
): RowFile {
  const made: RowFile = newRow(part.type, operation);
  const rows = before.filter((item): item is RowFile => !isLoop(item));
  for (const field of fieldsOf(part.type, operation).filter(
    (one) => one === 'from' || one === 'to',
  )) {
    const isDevice = TO_DEVICE.has(`${operation} ${field}`);
    const known = rows.findLast((row) => {
      const like = isDevice === TO_DEVICE.has(`${row.do} ${field}`);
      return like && row[field] !== undefined;
    });
    const other = field === 'from' ? 'to' : 'from';
    const crossed = rows.findLast(
      (row) => row[other] !== undefined && TO_DEVICE.has(`${row.do} ${other}`) === isDevice,
    );
    made[field] =
      known?.[field] ?? crossed?.[other] ?? (isDevice ? firstDevice(draft, part) : DATA);
  }
  return made;
}

/** Changes the operation of a row and keeps the fields that both have. */
export function turned(row: RowFile, made: RowFile, type: PartType): RowFile {
  const fields = fieldsOf(type, String(made.do));
  const kept = Object.entries(row).filter(([field]) => fields.includes(field));
  return { ...made, ...Object.fromEntries(kept) };
}

/** A loop with another value of one of its bounds; an empty text removes it. */
export function withBound(loop: LoopFile, bound: string, text: string): LoopFile {
  const { [bound as 'step']: _, ...others } = loop;
  if (bound === 'for') return { ...loop, for: text.replace(/^\$/, '') };
  if (bound === 'in') return { ...loop, in: text.split(/\s*,\s*/).map(numberOrText) };
  return { ...others, [bound]: numberOrText(text) } as LoopFile;
}

const numberOrText = (text: string): Value => (/^(0|[1-9]\d*)$/.test(text) ? Number(text) : text);
