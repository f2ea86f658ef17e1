/** What the map of pools shows at a moment, in a sentence. */
import { count, integer, percent } from '../../base/format';
import type { Pool } from '../../model/pools/pool-bitmap';
import type { TrailNow } from '../../model/pools/pool-trail';
import { bad, type Phrase, plain, strong } from '../phrase';
import type { PoolUse } from './usage';

/** A spill is told for so long, in milliseconds of the run. */
export const SPILL_MS = 1.5;

export interface PoolsMoment {
  readonly uses: readonly PoolUse[];
  readonly trail: Pick<TrailNow, 'wraps' | 'spills'> | null;
  /** The run is shown slowly enough to see who holds a lock; else its share of the time. */
  readonly lockPace: boolean;
  readonly timePs: number;
}

/** Share of the time up to now for which the lock of a pool was held. */
export const heldShare = ({ lock }: Pool, timePs: number): number =>
  timePs > 0 ? Math.min(1, (lock?.holdTime ?? 0) / timePs) : 0;

const waits = (waiting: number): Phrase[] =>
  waiting === 0
    ? [plain('; nobody waits.')]
    : [plain('; '), bad(`${count(waiting, 'CPU waits', 'CPUs wait')}.`)];

/** One pool: one place to search, and one lock. */
function onePool(pool: Pool, { lockPace, timePs }: PoolsMoment): Phrase[] {
  const place = `entry ${integer(pool.cursor)}`;
  if (pool.lock === null) return [plain('The next search starts at '), strong(place), plain('.')];
  if (!lockPace)
    return [
      strong('All CPUs search at one place'),
      plain(
        `, now ${place}. Its lock is held ${percent(heldShare(pool, timePs) * 100)} of the time`,
      ),
      ...waits(pool.waiting.length),
    ];
  if (pool.holder === null) return [strong('The only lock is free'), ...waits(pool.waiting.length)];
  return [
    strong(`CPU ${pool.holder} holds the only lock`),
    plain(` and searches at ${place}`),
    ...waits(pool.waiting.length),
  ];
}

function severalPools({ uses, trail, lockPace }: PoolsMoment): Phrase[] {
  const pools = uses.map(({ pool }) => pool);
  const serving = uses.filter(({ holders }) => holders.length > 0).length;
  const phrases = [strong(`${count(serving, 'pool has', 'pools have')} entries handed out`)];
  if (serving < uses.length)
    phrases.push(plain(`, ${integer(uses.length - serving)} serve nobody`));
  const waiting = pools.reduce((sum, pool) => sum + pool.waiting.length, 0);
  if (pools.some(({ lock }) => lock !== null)) {
    if (lockPace) {
      const held = pools.filter(({ holder }) => holder !== null).length;
      phrases.push(
        plain(
          held === 0 ? '. No lock is held' : `. ${count(held, 'lock is held', 'locks are held')}`,
        ),
      );
    }
    phrases.push(...waits(waiting));
  } else phrases.push(plain('.'));
  const wraps = trail ? pools.reduce((sum, { number }) => sum + trail.wraps(number).count, 0) : 0;
  if (wraps > 0)
    phrases.push(plain(` ${count(wraps, 'search has', 'searches have')} begun a pool again.`));
  return phrases;
}

export function poolsPhrases(moment: PoolsMoment): Phrase[] {
  const small = moment.uses.filter(({ pool }) => !pool.large);
  const [only] = small;
  const [spill] = moment.trail?.spills(SPILL_MS) ?? [];
  if (spill)
    return [
      strong(`Pool ${spill.from} has no room`),
      plain(`: CPU ${spill.cpu} goes on to `),
      strong(`pool ${spill.pool}`),
      plain('.'),
    ];
  if (!only) return [];
  return small.length === 1 ? onePool(only.pool, moment) : severalPools({ ...moment, uses: small });
}
