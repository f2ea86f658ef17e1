/**
 * Evictions in the I/O TLB, row by row, from the trace of a run: how often a device found its translation evicted,
 * by which device, and the time for reading it again.
 *
 *     disk loads block 8 ─▸ LAN needs the row: block 8 is out ─▸ disk returns: a miss caused by LAN
 */
import type { CoherenceLog, LookUp } from './coherence-log';
import { ioPageOf, type TlbRole } from './coherence-roles';

/** A device in a row; if only one device uses the TLB, one of its blocks. */
export interface Stream {
  readonly device: number | null;
  /** Null if streams are devices. */
  readonly block: number | null;
}

/** The losses of one stream in one row. */
export interface Evictions {
  readonly stream: Stream;
  readonly lookUps: number;
  readonly misses: number;
  /** Misses for a translation that had been evicted from the row although it was still valid. */
  readonly returns: number;
  /** Total time of these misses. */
  readonly time: number;
  /** Number of these misses by the evicting stream's key, or `PURGE`. */
  readonly blame: ReadonlyMap<string, number>;
}

export interface ThrashRow {
  readonly chain: number;
  /** By key of the stream. */
  readonly losses: ReadonlyMap<string, Evictions>;
  readonly returns: number;
  readonly time: number;
}

export interface TlbThrash {
  /** Streams that lost translations or evicted others, by key, greatest loss first. */
  readonly streams: ReadonlyMap<string, Stream>;
  /** Rows with losses, most expensive first. */
  readonly rows: readonly ThrashRow[];
  readonly lookUps: number;
  readonly misses: number;
  readonly returns: number;
  readonly time: number;
}

/** Key for rows that were emptied by a command on behalf of another page. */
export const PURGE = 'purge';

type Mutable = { -readonly [K in keyof Evictions]: Evictions[K] } & { blame: Map<string, number> };

const keyOf = ({ device, block }: Stream): string => `${device} ${block}`;
const sum = <T>(all: Iterable<T>, of: (one: T) => number): number =>
  [...all].reduce((total, one) => total + of(one), 0);

const NOTHING = { lookUps: 0, misses: 0, returns: 0, time: 0 };

/** The history of one row, lookup by lookup. */
class RowHistory {
  readonly losses = new Map<string, Mutable>();
  /** For each block, its last lookup in the row and the stream that has evicted it since. */
  private readonly known = new Map<number, { readonly by: string; readonly seq: number }>();

  constructor(private readonly isGood: (block: number, since: number, now: number) => boolean) {}

  take(lookUp: LookUp, stream: Stream): void {
    const { block, held, missed, seq } = lookUp;
    const key = keyOf(stream);
    const of: Mutable = this.losses.get(key) ?? { stream, ...NOTHING, blame: new Map() };
    this.losses.set(key, of);
    of.lookUps++;
    if (missed) this.missed(of, lookUp);
    if (held !== null) this.known.set(held, { by: key, seq });
    this.known.set(block, { by: PURGE, seq });
  }

  private missed(of: Mutable, { block, seq, refill }: LookUp): void {
    of.misses++;
    const before = this.known.get(block);
    if (!before || !this.isGood(block, before.seq, seq)) return;
    of.returns++;
    of.time += refill ?? 0;
    of.blame.set(before.by, (of.blame.get(before.by) ?? 0) + 1);
  }
}

/** A row of the TLB and the devices that looked a page up in it; null for a device that is not known. */
export interface RowUse {
  readonly chain: number;
  readonly devices: ReadonlySet<number | null>;
}

/** The rows used up to a record, those of most devices first: who uses a row says nothing of hits and misses. */
export const rowUses = (log: CoherenceLog, upTo: number): RowUse[] =>
  log
    .chains()
    .map((chain) => ({
      chain,
      devices: new Set(log.lookUpsTo(chain, upTo).map(({ device }) => device)),
    }))
    .filter(({ devices }) => devices.size > 0)
    .sort((a, b) => b.devices.size - a.devices.size || a.chain - b.chain);

/** The streams of some rows, with their losses in all rows. */
function streamsIn(rows: readonly ThrashRow[]): Map<string, Stream> {
  const found = new Map<string, { stream: Stream; lost: number }>();
  for (const { losses } of rows) {
    const blamed = new Set([...losses.values()].flatMap(({ blame }) => [...blame.keys()]));
    for (const [key, { stream, returns }] of losses) {
      if (returns === 0 && !blamed.has(key)) continue;
      found.set(key, { stream, lost: (found.get(key)?.lost ?? 0) + returns });
    }
  }
  const order = [...found].sort(
    ([, a], [, b]) =>
      b.lost - a.lost ||
      (a.stream.device ?? -1) - (b.stream.device ?? -1) ||
      (a.stream.block ?? -1) - (b.stream.block ?? -1),
  );
  return new Map(order.map(([key, { stream }]) => [key, stream]));
}

/** The losses up to a record. */
export function tlbThrashUntil(log: CoherenceLog, tlb: TlbRole, upTo: number): TlbThrash {
  const looked = log.chains().map((chain) => ({ chain, lookUps: log.lookUpsTo(chain, upTo) }));
  const devices = new Set(looked.flatMap(({ lookUps }) => lookUps.map(({ device }) => device)));
  const all = looked.map(({ chain, lookUps }): ThrashRow => {
    const row = new RowHistory((block, since, now) => {
      return !log.wasCleared(ioPageOf(tlb, chain, block), since, now);
    });
    for (const lookUp of lookUps)
      row.take(lookUp, { device: lookUp.device, block: devices.size > 1 ? null : lookUp.block });
    const losses = [...row.losses.values()];
    return {
      chain,
      losses: row.losses,
      returns: sum(losses, ({ returns }) => returns),
      time: sum(losses, ({ time }) => time),
    };
  });
  const rows = all
    .filter(({ returns }) => returns > 0)
    .sort((a, b) => b.time - a.time || b.returns - a.returns || a.chain - b.chain);
  return {
    streams: streamsIn(rows),
    rows,
    lookUps: sum(looked, ({ lookUps }) => lookUps.length),
    misses: sum(all, ({ losses }) => sum(losses.values(), ({ misses }) => misses)),
    returns: sum(rows, ({ returns }) => returns),
    time: sum(rows, ({ time }) => time),
  };
}
