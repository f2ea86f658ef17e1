/**
 * Where a pooled allocator is in a machine, and who is wired to it. A part is known by the views it
 * offers, whatever it is called.
 */
import type { PartType } from '../../engine/manifest';
import type { CompiledMachine } from '../scenario/compile';
import { settingOf } from '../scenario/param-rules';

/** Where the map is: the part, the index of each of its views, and what its parameters say about it. */
export interface PoolViews {
  readonly part: number;
  readonly type: PartType;
  readonly views: Readonly<Record<string, number>>;
  readonly entries: number;
  /** Whether a pool's stored end is its last entry, and not the one behind it. */
  readonly endIncluded: boolean;
  /** Entries before the stored end that are never handed out. */
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

/** Number of a processor: which of the ports to processors it is wired to, at whatever serves it. */
export function cpuNumberOf({ wires }: CompiledMachine, part: number | null): number | null {
  for (const { ends } of wires)
    for (const [own, other] of [ends, ends.toReversed()])
      if (own?.part === part && other?.port === 'cpu') return other.index;
  return null;
}

/** The part that is a processor of this number. */
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
