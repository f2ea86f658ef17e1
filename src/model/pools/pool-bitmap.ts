/**
 * The bitmap of a pooled allocator at the playhead, from the part’s views.
 *
 *     entry 0                                         entries
 *     | pool 0     | pool 1     | ...  | large pool  |     # used entries: one bit each, 32 per row
 *     |##.###^.....|####^.......|      |####...^.....|     ^ cursor: where the next search starts
 */
import type { Frame, ViewData, ViewRequest } from '../../engine/api';
import type { ViewField, ViewName } from '../../engine/gen/names';
import { ENGINE_PARTS } from '../scenario/catalogue';
import type { PoolViews } from './pool-views';

/** Statistics of one lock, as in lockstat; times in picoseconds. */
export interface LockStatistics {
  readonly acquisitions: number;
  readonly contentions: number;
  readonly waitTime: number;
  readonly waitMost: number;
  readonly holdTime: number;
  readonly holdMost: number;
}

export interface Pool {
  readonly number: number;
  readonly start: number;
  /** End of the pool, exclusive. */
  readonly end: number;
  /** End of the entries that a search may use, exclusive. */
  readonly usable: number;
  readonly cursor: number;
  /** Number of times its lock was taken. */
  readonly locks: number;
  /** Null if the machine has no lock statistics. */
  readonly lock: LockStatistics | null;
  /** CPU that holds its lock now; null if nobody does, or the machine does not record it. */
  readonly holder: number | null;
  /** CPUs that wait for it now. */
  readonly waiting: readonly number[];
  /** The pool for large requests. */
  readonly large: boolean;
}

/** A candidate of a search: a free entry, and the first used entry that makes it too small; equal if it fits. */
interface Probe {
  readonly index: number;
  readonly blocked: number;
}

export interface PoolSearch {
  readonly pool: number;
  /** Requesting processor. */
  readonly cpu: number;
  readonly pages: number;
  readonly start: number;
  /** End of the searched range, exclusive. */
  readonly limit: number;
  /** First allocated entry; null if none was found. */
  readonly found: number | null;
  readonly probes: readonly Probe[];
  /** Number of candidates, including those that are not kept. */
  readonly tried: number;
}

export interface PoolMap {
  readonly entries: number;
  readonly pools: readonly Pool[];
  /** 32 entries per word, lowest bit first. */
  readonly bits: Uint32Array;
  /** One word per entry with its owner and age; null if the machine does not have them. */
  readonly cells: Uint32Array | null;
  /** Present time in ticks. */
  readonly tick: number;
  readonly search: PoolSearch | null;
}

/** Result of a failed search. */
const NOTHING = 0xffffffff;

/** Bit fields of a cell, from the manifest of the mapping service. */
const SERVICE = ENGINE_PARTS.types.get('iommu_map');
const CELL = SERVICE?.views.find(({ name }) => name === 'entries')?.fields[0]?.parts;

function placeIn(name: string): { readonly at: number; readonly most: number } {
  const found = CELL?.find((part) => part.name === name);
  if (!found) throw new Error(`The engine says nothing of "${name}" of an entry.`);
  return { at: found.at, most: 2 ** found.bits - 1 };
}

const OWNER = placeIn('owner');
const BORN = placeIn('born');

/** Picoseconds per tick of the entries' ages. */
export const TICK_PS = SERVICE?.constants.tick ?? Number.NaN;

/** Processor that mapped an entry, from its word; null if unknown. */
export function ownerOf(cell: number): number | null {
  const owner = (cell >>> OWNER.at) & OWNER.most;
  return owner === 0 ? null : owner - 1;
}

/** Ticks since an entry was mapped, from its word. */
export const ticksSince = ({ tick }: PoolMap, cell: number): number =>
  (tick - (cell >>> BORN.at)) & BORN.most;

const WANTED = ['bitmap', 'pools', 'locks', 'entries', 'last', 'probes'];
/** Views with a row per entry or per 32 entries: they are copied without unpacking. */
const PACKED = ['bitmap', 'entries'];
/** For a larger table only the bitmap is requested: cells would need more than a megabyte per frame. */
const MAX_CELLS = 1 << 18;

/** Views to request with each frame. */
export const wantedViews = ({ part, views, entries }: PoolViews): ViewRequest[] =>
  WANTED.flatMap((name) => {
    const view = views[name];
    if (view === undefined || (name === 'entries' && entries > MAX_CELLS)) return [];
    return [{ part, view, packed: PACKED.includes(name) }];
  });

interface Reader {
  readonly rows: number;
  /** A field by name; NaN if the view has no such field. */
  at(field: ViewField, row?: number): number;
}

function dataOf(found: PoolViews, name: ViewName, frame: Frame): ViewData | undefined {
  const view = found.views[name];
  return frame.views.find((one) => one.part === found.part && one.view === view);
}

function readerOf(found: PoolViews, name: ViewName, frame: Frame): Reader | null {
  const data = dataOf(found, name, frame);
  if (!data) return null;
  const fields = found.type.views[data.view]?.fields ?? [];
  const columns = new Map(fields.map((field, index) => [field.name, data.columns[index]]));
  return {
    rows: data.rows,
    at: (field, row = 0) => columns.get(field)?.[row] ?? Number.NaN,
  };
}

/** A pool ends where the next one starts; after the last one there may be entries without a pool. */
function poolsOf(found: PoolViews, read: Reader, locks: Reader | null): Pool[] {
  const rows = Array.from({ length: read.rows }, (_, row) => row).filter(
    (row) => read.at('end', row) > read.at('start', row),
  );
  return rows.map((row, place): Pool => {
    const stored = read.at('end', row);
    const large = row === read.rows - 1; // that row is the large pool's
    const next = rows[place + 1];
    const behind = found.endIncluded && !large ? stored + 1 : stored;
    return {
      number: row,
      start: read.at('start', row),
      end: next === undefined ? behind : Math.min(behind, read.at('start', next)),
      usable: stored - found.lost,
      cursor: read.at('hint', row),
      locks: read.at('acquisitions', row),
      lock: locks && lockOf(locks, row),
      holder: locks && locks.at('owner', row) > 0 ? locks.at('owner', row) - 1 : null,
      waiting: locks ? bitsOf(locks.at('waiting', row)) : [],
      large,
    };
  });
}

/** Numbers of the bits that are set in a word of up to 53 bits. */
function bitsOf(word: number): number[] {
  const set: number[] = [];
  for (let rest = word, bit = 0; rest >= 1; rest = Math.floor(rest / 2), bit++)
    if (rest % 2 === 1) set.push(bit);
  return set;
}

const lockOf = ({ at }: Reader, row: number): LockStatistics => ({
  acquisitions: at('acquisitions', row),
  contentions: at('contentions', row),
  waitTime: at('wait_time', row),
  waitMost: at('wait_most', row),
  holdTime: at('hold_time', row),
  holdMost: at('hold_most', row),
});

function searchOf(found: PoolViews, frame: Frame): PoolSearch | null {
  const read = readerOf(found, 'last', frame);
  if (!read || !(read.at('pages') > 0)) return null;
  const kept = readerOf(found, 'probes', frame);
  const tried = read.at('count');
  const pages = read.at('pages');
  const probes = Array.from({ length: Math.min(tried, kept?.rows ?? 0) }, (_, row) => ({
    index: kept?.at('index', row) ?? 0,
    blocked: kept?.at('blocked', row) ?? 0,
  }));
  const result = read.at('result');
  return {
    pool: read.at('pool'),
    cpu: read.at('cpu'),
    pages,
    start: read.at('start'),
    limit: read.at('limit'),
    found: result === NOTHING ? null : result,
    probes,
    tried,
  };
}

/** The bitmap at the playhead; null if the frame does not contain it. */
export function poolMapOf(found: PoolViews, frame: Frame | null): PoolMap | null {
  const data = frame && dataOf(found, 'bitmap', frame);
  const read = frame && readerOf(found, 'pools', frame);
  if (!data || !read) return null;
  const pools = poolsOf(found, read, readerOf(found, 'locks', frame));
  return {
    entries: found.entries || data.rows * 32,
    pools,
    bits: data.words ?? new Uint32Array(),
    cells: dataOf(found, 'entries', frame)?.words ?? null,
    tick: Math.floor(frame.timePs / TICK_PS) & BORN.most,
    search: searchOf(found, frame),
  };
}
