/**
 * The map of a pooled allocator: what the views of the part that has it say at the playhead.
 *
 *     entry 0                                         entries
 *     | pool 0     | pool 1     | ...  | large pool  |     # bits: one for each entry, 32 to a row
 *     |##.###^.....|####^.......|      |####...^.....|     ^ cursor: where the next search starts
 */
import type { Frame, ViewData, ViewRequest } from '../../engine/api';
import type { ViewField, ViewName } from '../../engine/gen/names';
import { ENGINE_PARTS } from '../scenario/catalogue';
import type { PoolViews } from './pool-views';

/** What became of one lock so far, as lockstat counts it; times in picoseconds. */
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
  /** First entry behind it. */
  readonly end: number;
  /** First entry behind those that a search may hand out. */
  readonly usable: number;
  readonly cursor: number;
  /** Times its lock was taken. */
  readonly locks: number;
  /** Null: the machine does not say. */
  readonly lock: LockStatistics | null;
  /** For requests that no ordinary pool takes. */
  readonly large: boolean;
}

/** A candidate of a search: a free entry, and the used one in the way; the same entry where none is. */
interface Probe {
  readonly index: number;
  readonly blocked: number;
}

export interface PoolSearch {
  readonly pool: number;
  /** Who asked. */
  readonly cpu: number;
  readonly pages: number;
  readonly start: number;
  /** First entry behind those looked at. */
  readonly limit: number;
  /** First entry handed out; null when none was found. */
  readonly found: number | null;
  readonly probes: readonly Probe[];
  /** Candidates that were tried, also those that are not kept. */
  readonly tried: number;
}

export interface PoolMap {
  readonly entries: number;
  readonly pools: readonly Pool[];
  /** 32 entries to a word, the first in its lowest bit. */
  readonly bits: Uint32Array;
  /** A word for each entry: who mapped it, and when. Null: the machine does not say. */
  readonly cells: Uint32Array | null;
  /** The time now, in ticks. */
  readonly tick: number;
  readonly search: PoolSearch | null;
}

/** What a search tells that found nothing. */
const NOTHING = 0xffffffff;

/** How the service that maps packs what a cell holds, as its manifest says. */
const SERVICE = ENGINE_PARTS.types.get('iommu_map');
const CELL = SERVICE?.views.find(({ name }) => name === 'entries')?.fields[0]?.parts;

function placeIn(name: string): { readonly at: number; readonly most: number } {
  const found = CELL?.find((part) => part.name === name);
  if (!found) throw new Error(`The engine says nothing of "${name}" of an entry.`);
  return { at: found.at, most: 2 ** found.bits - 1 };
}

const OWNER = placeIn('owner');
const BORN = placeIn('born');

/** Unit of the times at which entries were mapped. */
export const TICK_PS = SERVICE?.constants.tick ?? Number.NaN;

/** Processor that mapped an entry, from its word; null where none is known. */
export function ownerOf(cell: number): number | null {
  const owner = (cell >>> OWNER.at) & OWNER.most;
  return owner === 0 ? null : owner - 1;
}

/** Ticks since an entry was mapped, from its word. */
export const ticksSince = ({ tick }: PoolMap, cell: number): number =>
  (tick - (cell >>> BORN.at)) & BORN.most;

const WANTED = ['bitmap', 'pools', 'locks', 'entries', 'last', 'probes'];
/** Views with a row for each entry or each 32 of them: they come as they are. */
const PACKED = ['bitmap', 'entries'];
/** Of a larger table only the bits come: more than a megabyte for each frame would be too much. */
const MAX_CELLS = 1 << 18;

/** What to ask for with each frame. */
export const wantedViews = ({ part, views, entries }: PoolViews): ViewRequest[] =>
  WANTED.flatMap((name) => {
    const view = views[name];
    if (view === undefined || (name === 'entries' && entries > MAX_CELLS)) return [];
    return [{ part, view, packed: PACKED.includes(name) }];
  });

interface Reader {
  readonly rows: number;
  /** A field by name; NaN where the view has none of this name. */
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

/** A pool ends where the next begins; behind the last one may be entries that no pool has. */
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
      large,
    };
  });
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

/** The map as it is at the playhead; null while the frame does not have it. */
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
