/**
 * Advice on the pools of the open run, from its counters so far: contended locks, unused pools, and requests that
 * fail. Each comes with settings to try.
 */

import { count, integer, percent } from '../../base/format';
import type { ParamName } from '../../engine/gen/names';
import type { Pool, PoolMap } from '../pools/pool-bitmap';

/** A setting of the mapping part. */
export interface Suggestion {
  readonly title: string;
  readonly param: ParamName;
  readonly value: string;
}

export interface Advice {
  readonly text: string;
  readonly tries: readonly Suggestion[];
}

export interface AdviceInput {
  readonly map: PoolMap;
  /** Present values of the part's parameters: names of members, or numbers. */
  readonly settings: Readonly<Record<string, string>>;
  /** Processors that have made mappings. */
  readonly cpus: number;
  /** Failed requests, and the longest free range. */
  readonly failures: number;
  readonly longestFree: number;
}

/** Contention below this is ignored. */
const HARMLESS = 0.01;
const MAX_POOLS = '16';

const OUTSIDE: Suggestion = {
  title: 'the hypervisor call outside the lock',
  param: 'scope',
  value: 'outside',
};
const POOLS: Suggestion = { title: '16 pools', param: 'pools', value: MAX_POOLS };
const MODULO: Suggestion = { title: 'CPU number modulo pools', param: 'home', value: 'modulo' };
const LARGE: Suggestion = { title: 'a large pool', param: 'large', value: 'linux' };

const HASHES: readonly Suggestion[] = [
  { title: 'the hash to Linux 4.6', param: 'hash', value: 'linux_4_1' },
  { title: 'the hash from Linux 4.7', param: 'hash', value: 'linux_4_7' },
];

/** Settings that are not in force yet, of parameters that the part has. */
const open = (
  tries: readonly Suggestion[],
  settings: AdviceInput['settings'],
): readonly Suggestion[] =>
  tries.filter(({ param, value }) => param in settings && settings[param] !== value);

const shareOf = ({ lock }: Pool): number =>
  lock && lock.acquisitions > 0 ? lock.contentions / lock.acquisitions : 0;

/** Contention of the busiest lock. */
function contention({ map, settings, cpus }: AdviceInput): Advice | null {
  const [busiest] = map.pools.toSorted((a, b) => shareOf(b) - shareOf(a));
  const share = busiest ? shareOf(busiest) : 0;
  if (!busiest || share < HARMLESS) return null;
  const often = `is found taken ${percent(share * 100)} of the time`;
  const held = settings.scope !== 'outside' ? ' It is held across the hypervisor call.' : '';
  const ordinary = map.pools.filter(({ large }) => !large).length;
  if (ordinary === 1)
    return {
      text: `The one lock of ${count(cpus, 'CPU')} ${often}.${held}`,
      tries: open([POOLS, OUTSIDE], settings),
    };
  const unused = map.pools.some(({ locks, large }) => locks === 0 && !large);
  return {
    text: `The lock of pool ${busiest.number} ${often}: more than one CPU goes there.${held}`,
    tries: open([...(unused ? [...HASHES, MODULO] : [POOLS]), OUTSIDE], settings),
  };
}

const isPowerOfTwo = (value: number): boolean => (value & (value - 1)) === 0;

/** Pools whose lock was never taken although CPUs make mappings. */
function idlePools({ map, settings, cpus }: AdviceInput): Advice | null {
  const ordinary = map.pools.filter(({ large }) => !large);
  const idle = ordinary.filter(({ locks }) => locks === 0);
  if (idle.length === 0 || idle.length === ordinary.length) return null;
  const used = ordinary.length - idle.length;
  const reached = 'Their entries can only be reached by spilling.';
  const are = idle.length === 1 ? 'is' : 'are';
  const which = `${integer(idle.length)} of ${count(ordinary.length, 'pool')} ${are} never used`;
  if (!isPowerOfTwo(ordinary.length) && settings.reach === 'linux')
    return {
      text: `${which}: ${integer(ordinary.length)} is not a power of two, so the mask skips some.`,
      tries: [{ title: 'every pool within reach', param: 'reach', value: 'mended' }],
    };
  return {
    text: `${which}: ${count(cpus, 'CPU')} hash to ${integer(used)} of them. ${reached}`,
    tries: used < Math.min(cpus, ordinary.length) ? open([...HASHES, MODULO], settings) : [],
  };
}

function noRoom({ map, settings, failures, longestFree }: AdviceInput): Advice | null {
  if (failures === 0) return null;
  const requests = count(failures, 'request');
  return {
    text: `${requests} found no room: the longest free stretch of a pool is ${integer(longestFree)} of ${integer(map.entries)} entries.`,
    tries: open([LARGE], settings),
  };
}

/** Most severe first; empty if there is nothing to improve. */
export const adviceFor = (input: AdviceInput): Advice[] =>
  [noRoom, contention, idlePools].flatMap((look) => look(input) ?? []);
