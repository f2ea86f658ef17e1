/**
 * The I/O TLB, row by row: look-ups, contents and conflicts. A row has a conflict if translations that it
 * evicted return and evict others.
 */

import { count, integer, percent } from '../../base/format';
import type { ViewField } from '../../engine/gen/names';
import type { CoherenceLog, LookUp } from '../../model/coherence/coherence-log';
import type { CoherentMachine, TlbRole } from '../../model/coherence/coherence-roles';
import { actorOf } from '../glyph';
import type { Moment } from '../moment';

/** A user of a row: a device, or a block of a device that is alone. */
export interface Claimant {
  readonly key: number;
  /** The block looked up last. */
  readonly block: number;
  readonly title: string;
  readonly actor: string;
}

export interface TlbRow {
  readonly chain: number;
  readonly valid: boolean;
  readonly block: number;
  readonly lookUps: number;
  readonly misses: number;
  /** 0: never looked up, 1 to 4: by number of look-ups. */
  readonly tone: number;
}

export interface RowConflict {
  readonly chain: number;
  /** Misses for a translation that the row had held before. */
  readonly returns: number;
  readonly claimants: readonly Claimant[];
}

export interface TlbRowDetail extends RowConflict {
  readonly lookUps: number;
  readonly misses: number;
  /** The latest look-ups, oldest first, by index of the claimant. */
  readonly last: readonly { readonly missed: boolean; readonly level: number }[];
  /** How often one claimant evicted another: [evicting][evicted]. */
  readonly evictions: readonly (readonly number[])[];
}

/** Least returns of a conflict: a single one may be chance. */
const FOUGHT_OVER = 2;
const MOST_CLAIMANTS = 4;
const TONES = 4;

export const isContended = ({ returns }: Pick<RowConflict, 'returns'>): boolean =>
  returns >= FOUGHT_OVER;

/** Whether an open question asks which rows are used; then the map is hidden. */
export const hidesTlb = ({ part }: TlbRole, now: Pick<Moment, 'masks'>): boolean =>
  now.masks?.(part, 'tlb') ?? false;

/** Whether an open question asks about the results of look-ups; then counts and conflicts are hidden. */
export const hidesMisses = (tlb: TlbRole, now: Pick<Moment, 'masks'>): boolean =>
  hidesTlb(tlb, now) || (now.masks?.(tlb.part, 'misses', 'lookups', 'thrashes') ?? false);

export function tlbRows(tlb: TlbRole, now: Moment): TlbRow[] {
  const view = now.view(tlb.part, 'tlb');
  const at = (field: ViewField, row: number) => view?.column(field)?.[row] ?? 0;
  const most = Math.max(1, ...(view?.column('lookups') ?? []));
  return Array.from({ length: view?.rows ?? 0 }, (_, chain) => {
    const lookUps = at('lookups', chain);
    const share = Math.log2(lookUps + 1) / Math.log2(most + 1);
    return {
      chain,
      valid: at('valid', chain) > 0,
      block: at('block', chain),
      lookUps,
      misses: at('misses', chain),
      tone: lookUps === 0 ? 0 : Math.max(1, Math.ceil(share * TONES)),
    };
  });
}

/** Distinguishes devices, or blocks if there is only one device. */
function keyOf(lookUps: readonly LookUp[]): (lookUp: LookUp) => number {
  const several = new Set(lookUps.map(({ device }) => device)).size > 1;
  return ({ device, block }) => (several ? (device ?? -1) : block);
}

/** The users of a row, the most frequent first. */
function claimantsOf({ machine }: CoherentMachine, lookUps: readonly LookUp[]): Claimant[] {
  const key = keyOf(lookUps);
  const lastLookUps = new Map<number, { last: LookUp; times: number }>();
  for (const lookUp of lookUps) {
    const times = lastLookUps.get(key(lookUp))?.times ?? 0;
    lastLookUps.set(key(lookUp), { last: lookUp, times: times + 1 });
  }
  return [...lastLookUps]
    .sort(([a, { times }], [b, other]) => other.times - times || a - b)
    .map(
      ([
        id,
        {
          last: { block, device },
        },
      ]) => {
        const title = machine.parts[device ?? -1]?.title ?? 'device';
        return { key: id, block, title, actor: actorOf(machine.parts, device) };
      },
    );
}

/** Row conflicts up to a record, the worst first. */
export function rowConflicts(
  coherent: CoherentMachine,
  log: CoherenceLog,
  seq: number,
): RowConflict[] {
  return log
    .chains()
    .map((chain) => ({ chain, returns: log.lastTo(chain, seq)?.returns ?? 0 }))
    .filter(isContended)
    .sort((a, b) => b.returns - a.returns || a.chain - b.chain)
    .map((rowConflict) => ({
      ...rowConflict,
      claimants: claimantsOf(coherent, log.lookUpsTo(rowConflict.chain, seq)),
    }));
}

export function rowDetail(
  coherent: CoherentMachine,
  lookUps: readonly LookUp[],
  chain: number,
  most: number,
): TlbRowDetail {
  const claimants = claimantsOf(coherent, lookUps).slice(0, MOST_CLAIMANTS);
  const key = keyOf(lookUps);
  const levelOf = (lookUp: LookUp) =>
    claimants.findIndex((claimant) => claimant.key === key(lookUp));
  const evictions = claimants.map(() => claimants.map(() => 0));
  /** The claimant that last loaded each block. */
  const owners = new Map<number, number>();
  for (const lookUp of lookUps) {
    const evicting = levelOf(lookUp);
    const [row, evicted] = [evictions[evicting], owners.get(lookUp.held ?? -1) ?? -1];
    if (lookUp.missed && row && evicted >= 0) row[evicted] = (row[evicted] ?? 0) + 1;
    owners.set(lookUp.block, evicting);
  }
  return {
    chain,
    returns: lookUps.at(-1)?.returns ?? 0,
    claimants,
    lookUps: lookUps.length,
    misses: lookUps.filter(({ missed }) => missed).length,
    last: lookUps.slice(-most).map((lookUp) => ({
      missed: lookUp.missed,
      level: Math.max(0, levelOf(lookUp)),
    })),
    evictions,
  };
}

const called = ({ title, block }: Claimant): string => `${title} (block ${integer(block)})`;

/** A row in one sentence. */
export function rowSentence(detail: TlbRowDetail): string {
  const { chain, claimants, lookUps, misses } = detail;
  const [a, b] = claimants;
  if (!a) return `Chain ${integer(chain)} has not been looked up yet.`;
  if (b && isContended(detail))
    return `${called(a)} and ${called(b)} map to chain ${integer(chain)}: each look-up of one evicts the other.`;
  const names = claimants.map(called).join(', then ');
  return `Chain ${integer(chain)} serves ${names}: ${count(lookUps, 'look-up')}, ${count(misses, 'miss', 'misses')}.`;
}

/** "97 of 99 missed, 98 %" */
export const missText = ({ misses, lookUps }: TlbRowDetail): string =>
  lookUps === 0
    ? 'no look-ups'
    : `${integer(misses)} of ${integer(lookUps)} missed, ${percent((misses / lookUps) * 100)}`;

/** The whole TLB in a sentence. */
export function tlbSummary(rows: readonly TlbRow[], conflicts: readonly RowConflict[]): string {
  const used = rows.filter(({ lookUps }) => lookUps > 0);
  const sum = (pick: (row: TlbRow) => number) => rows.reduce((all, row) => all + pick(row), 0);
  const [lookUps, misses] = [sum((row) => row.lookUps), sum((row) => row.misses)];
  const over =
    conflicts.length === 0 ? 'No row is contended' : `${count(conflicts.length, 'row')} contended`;
  return `${integer(used.length)} of ${count(rows.length, 'row')} used; ${count(lookUps, 'look-up')}, ${count(misses, 'miss', 'misses')}. ${over}.`;
}
