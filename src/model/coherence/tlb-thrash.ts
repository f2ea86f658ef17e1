/**
 * Who throws whom out of the I/O TLB, row by row, from the record of a run: how often a device found that its translation
 * had been evicted since, by whom, and the time that it took to read it anew.
 *
 *     disk loads block 8 ─▸ LAN needs the row: block 8 is out ─▸ disk comes back: a miss that LAN is to blame for
 */
import type { CoherenceLog, LookUp } from './coherence-log';
import { ioPageOf, type TlbRole } from './coherence-roles';

/** A device in a row; of a device that is alone in all rows, a block. */
export interface Stream {
  readonly device: number | null;
  /** Null where devices are told apart. */
  readonly block: number | null;
}

/** What one stream lost in one row. */
export interface Evictions {
  readonly stream: Stream;
  readonly lookUps: number;
  readonly misses: number;
  /** Misses for a translation that the row had held and lost, and that was good all the time. */
  readonly returns: number;
  /** Time that those took. */
  readonly time: number;
  /** How many of them each stream is to blame for, by its key; or `PURGE`. */
  readonly blame: ReadonlyMap<string, number>;
}

export interface ThrashRow {
  readonly chain: number;
  /** By the key of the stream. */
  readonly losses: ReadonlyMap<string, Evictions>;
  readonly returns: number;
  readonly time: number;
}

export interface TlbThrash {
  /** Those that lost anything or are to blame, by their keys, the greatest loss first. */
  readonly streams: ReadonlyMap<string, Stream>;
  /** Rows in which something was lost, the dearest first. */
  readonly rows: readonly ThrashRow[];
  readonly lookUps: number;
  readonly misses: number;
  readonly returns: number;
  readonly time: number;
}

/** To blame where nobody took the row: a command emptied it for the sake of another page. */
export const PURGE = 'purge';

type Mutable = { -readonly [K in keyof Evictions]: Evictions[K] } & { blame: Map<string, number> };

const keyOf = ({ device, block }: Stream): string => `${device} ${block}`;
const sum = <T>(all: Iterable<T>, of: (one: T) => number): number =>
  [...all].reduce((total, one) => total + of(one), 0);

const NOTHING = { lookUps: 0, misses: 0, returns: 0, time: 0 };

/** The history of one row, look-up by look-up. */
class RowHistory {
  readonly losses = new Map<string, Mutable>();
  /** When the row last held a block, and who has thrown it out since. */
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

/** Those that a row is about, with what they lost in all rows. */
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

/** What was lost up to a record. */
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
