/**
 * The I/O TLB, row by row: how often each was looked up, what it holds, and which rows are fought over. A
 * row is fought over when translations that it threw out come back to throw out others.
 */
import { count, integer, percent } from '../base/format';
import type { CoherenceLog, LookUp } from '../model/coherence-log';
import type { CoherentMachine, TlbRole } from '../model/coherent';
import type { Moment } from './machine-types';

/** One of those who want a row: a block, for a device. */
export interface Claimant {
  readonly block: number;
  readonly device: number | null;
  readonly title: string;
  readonly actor: string;
}

export interface TlbRow {
  readonly chain: number;
  readonly valid: boolean;
  readonly block: number;
  readonly lookUps: number;
  readonly misses: number;
  /** 0 never looked up, 1 to 4 by how often. */
  readonly tone: number;
}

export interface Fight {
  readonly chain: number;
  /** Misses for a translation that the row had held before. */
  readonly returns: number;
  readonly claimants: readonly Claimant[];
}

export interface TlbRowDetail extends Fight {
  readonly lookUps: number;
  readonly misses: number;
  /** The last ones, oldest first. */
  readonly last: readonly LookUp[];
  /** How often one claimant threw out another: [who came][who left]. */
  readonly evictions: readonly (readonly number[])[];
}

/** A row is fought over from this many returns on: once may be chance. */
const FOUGHT_OVER = 2;
const MOST_CLAIMANTS = 4;
const TONES = 4;

export function tlbRows(tlb: TlbRole, now: Moment): TlbRow[] {
  const view = now.view(tlb.part, 'tlb');
  const at = (field: string, row: number) => view?.column(field)?.[row] ?? 0;
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

/** Those who asked for a row, the most frequent first. */
function claimantsOf({ machine }: CoherentMachine, lookUps: readonly LookUp[]): Claimant[] {
  const asked = new Map<number, { block: number; device: number | null; times: number }>();
  for (const { block, device } of lookUps) {
    const one = asked.get(block) ?? { block, device, times: 0 };
    one.times++;
    asked.set(block, one);
  }
  return [...asked.values()]
    .sort((a, b) => b.times - a.times || a.block - b.block)
    .map(({ block, device }) => {
      const part = device === null ? undefined : machine.parts[device];
      const actor = deviceActor(machine, device);
      return { block, device, title: part?.title ?? 'device', actor };
    });
}

/** Devices of one kind take one sign after the other, in their order in the machine. */
const DEVICE_SIGNS = ['disk', 'lan', 'card'];

function deviceActor({ parts }: CoherentMachine['machine'], device: number | null): string {
  const actor = parts[device ?? -1]?.type.actor ?? 'other';
  if (actor !== 'device') return actor;
  const order = parts.slice(0, device ?? 0).filter(({ type }) => type.actor === actor).length;
  return DEVICE_SIGNS[order] ?? 'other';
}

function returnsIn(lookUps: readonly LookUp[]): number {
  const before = new Set<number>();
  let returns = 0;
  for (const { block, missed, held } of lookUps) {
    if (missed && held !== null && before.has(block)) returns++;
    before.add(block);
  }
  return returns;
}

/** Rows that are fought over up to a record, the worst first. */
export function fights(coherent: CoherentMachine, log: CoherenceLog, seq: number): Fight[] {
  return log
    .chains()
    .map((chain) => ({ chain, lookUps: log.lookUpsTo(chain, seq) }))
    .map(({ chain, lookUps }) => ({ chain, lookUps, returns: returnsIn(lookUps) }))
    .filter(({ returns }) => returns >= FOUGHT_OVER)
    .sort((a, b) => b.returns - a.returns || a.chain - b.chain)
    .map(({ chain, lookUps, returns }) => ({
      chain,
      returns,
      claimants: claimantsOf(coherent, lookUps),
    }));
}

export function rowDetail(
  coherent: CoherentMachine,
  lookUps: readonly LookUp[],
  chain: number,
  most: number,
): TlbRowDetail {
  const claimants = claimantsOf(coherent, lookUps).slice(0, MOST_CLAIMANTS);
  const placeOf = (block: number) => claimants.findIndex((claimant) => claimant.block === block);
  const evictions = claimants.map(() => claimants.map(() => 0));
  for (const { block, missed, held } of lookUps) {
    const row = evictions[placeOf(block)];
    const victim = held === null ? -1 : placeOf(held);
    if (missed && row && victim >= 0) row[victim] = (row[victim] ?? 0) + 1;
  }
  return {
    chain,
    returns: returnsIn(lookUps),
    claimants,
    lookUps: lookUps.length,
    misses: lookUps.filter(({ missed }) => missed).length,
    last: lookUps.slice(-most),
    evictions,
  };
}

export const isFoughtOver = ({ returns }: Pick<Fight, 'returns'>): boolean =>
  returns >= FOUGHT_OVER;

const called = ({ title, block }: Claimant): string => `${title} (block ${integer(block)})`;

/** What is to be said about a row, in one sentence. */
export function rowSentence(detail: TlbRowDetail): string {
  const { chain, claimants, lookUps, misses } = detail;
  const [a, b] = claimants;
  if (!a) return `Chain ${integer(chain)} has not been looked up yet.`;
  if (b && isFoughtOver(detail))
    return `${called(a)} and ${called(b)} map to chain ${integer(chain)}: each look-up of one throws the other out.`;
  const who = claimants.map(called).join(', then ');
  return `Chain ${integer(chain)} serves ${who}: ${count(lookUps, 'look-up')}, ${count(misses, 'miss', 'misses')}.`;
}

/** "97 of 99 missed, 98 %" */
export const missText = ({ misses, lookUps }: TlbRowDetail): string =>
  lookUps === 0
    ? 'no look-ups'
    : `${integer(misses)} of ${integer(lookUps)} missed, ${percent((misses / lookUps) * 100)}`;

/** The whole TLB in a sentence. */
export function tlbSummary(rows: readonly TlbRow[], fought: readonly Fight[]): string {
  const used = rows.filter(({ lookUps }) => lookUps > 0);
  const sum = (pick: (row: TlbRow) => number) => rows.reduce((all, row) => all + pick(row), 0);
  const [lookUps, misses] = [sum((row) => row.lookUps), sum((row) => row.misses)];
  const over =
    fought.length === 0 ? 'None is fought over' : `${count(fought.length, 'row')} fought over`;
  return `${integer(used.length)} of ${count(rows.length, 'row')} used; ${count(lookUps, 'look-up')}, ${count(misses, 'miss', 'misses')}. ${over}.`;
}
