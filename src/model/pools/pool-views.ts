/**
 * Finds the pooled allocator of a machine and the processors wired to it. Parts are recognized by their views, not
 * by name.
 */
import type { PartType } from '../../engine/manifest';
import { type CompiledMachine, settingOf } from '../scenario/compiled';

/** The allocator part, the indices of its views, and its parameters. */
export interface PoolViews {
  readonly part: number;
  readonly type: PartType;
  readonly views: Readonly<Record<string, number>>;
  readonly entries: number;
  /** Whether the stored end of a pool is its last entry rather than one past it. */
  readonly endIncluded: boolean;
  /** Entries before the stored end that are never allocated. */
  readonly lost: number;
}

const NEEDED = ['bitmap', 'pools'];

export function poolViewsOf(machine: CompiledMachine | null): PoolViews | null {
  for (const part of machine?.parts ?? []) {
    const { index, type, params } = part;
    const views = Object.fromEntries(type.views.map(({ name }, place) => [name, place]));
    if (!NEEDED.every((name) => views[name] !== undefined)) continue;
    const entries = params.find(({ spec }) => spec.name === 'entries')?.value ?? 0n;
    const ends = settingOf(part, 'ends') ?? '';
    const endIncluded = ends !== 'powerpc' && ends !== 'mended';
    const lost = ends === 'mended' ? 0 : 1;
    return { part: index, type, views, entries: Number(entries), endIncluded, lost };
  }
  return null;
}

/** Number of a processor: the index of its port at the service that it is wired to. */
export function cpuNumberOf({ wires }: CompiledMachine, part: number | null): number | null {
  for (const { ends } of wires)
    for (const [own, other] of [ends, ends.toReversed()])
      if (own?.part === part && other?.port === 'cpu') return other.index;
  return null;
}

/** The processor with this number. */
export function cpuPart({ wires, parts }: CompiledMachine, number: number): number | null {
  for (const { ends } of wires)
    for (const [own, other] of [ends, ends.toReversed()])
      if (
        own &&
        parts[own.part]?.type.actor === 'cpu' &&
        other?.port === 'cpu' &&
        other.index === number
      )
        return own.part;
  return null;
}
