/**
 * Where a pooled allocator is in the opened machine, and who is wired to it. A part is known by the views it
 * offers, whatever it is called.
 */
import { derive, type Readable } from '../../base/store';
import type { PartType } from '../../engine/manifest';
import type { CompiledMachine, CompiledPart } from '../scenario/compile';
import { session } from '../session/session';

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

/** The member of an enum that a parameter is set to; '' where the part has no such parameter. */
function choiceOf({ type, params }: CompiledPart, name: string): string {
  const param = params.find(({ spec }) => spec.name === name);
  return param ? (type.enums[param.spec.type]?.[Number(param.value)]?.name ?? '') : '';
}

export function poolViewsOf(machine: CompiledMachine | null): PoolViews | null {
  for (const part of machine?.parts ?? []) {
    const { index, type, params } = part;
    const views = Object.fromEntries(type.views.map(({ name }, place) => [name, place]));
    if (!NEEDED.every((name) => views[name] !== undefined)) continue;
    const entries = params.find(({ spec }) => spec.name === 'entries')?.value ?? 0n;
    const ends = choiceOf(part, 'ends');
    const endIncluded = ends !== 'powerpc' && ends !== 'mended';
    const lost = ends === 'mended' ? 0 : 1;
    return { part: index, type, views, entries: Number(entries), endIncluded, lost };
  }
  return null;
}

/** Whether the open scenario has such a map. */
export const hasPools: Readable<boolean> = derive(
  [session],
  () => poolViewsOf(session.getState().machine) !== null,
);

/** Entries of a small map; those of a large one take several rows a pool. */
const SMALL = 256;

/** Whether the map of the open scenario is of one pool or two, and of few entries. */
export const fitsBitmap: Readable<boolean> = derive([session], () => {
  const { machine } = session.getState();
  const map = poolViewsOf(machine);
  const params = machine?.parts[map?.part ?? -1]?.params;
  const pools = Number(params?.find(({ spec }) => spec.name === 'pools')?.value ?? 0n);
  return map !== null && map.entries <= SMALL && (pools === 1 || pools === 2);
});

/** With a bus beside such a map the machine's drawing comes first. */
const hasBus = (): boolean =>
  session.getState().machine?.parts.some(({ type }) => type.actor === 'bus') ?? false;

export const hasPoolsAlone = derive([session], () => hasPools.getState() && !hasBus());
export const hasPoolsBesideBus = derive([session], () => hasPools.getState() && hasBus());

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
