/** Evictions in contended rows of the I/O TLB, in words. */
import { count, integer, percent, text, time } from '../../base/format';
import type { CoherentMachine } from '../../model/coherence/coherence-roles';
import {
  type Evictions,
  PURGE,
  type Stream,
  type ThrashRow,
  type TlbThrash,
} from '../../model/coherence/tlb-thrash';
import { actorOf } from '../glyph';

export interface NamedStream {
  readonly key: string;
  /** "Disk", or for a device that is alone "Disk, block 3". */
  readonly title: string;
  /** "Disk", or "block 3" if the device is obvious. */
  readonly short: string;
  readonly actor: string;
}

function nameOf({ machine: { parts } }: CoherentMachine, { device, block }: Stream): string {
  const title = parts[device ?? -1]?.title ?? 'device';
  return block === null ? title : `${title}, block ${integer(block)}`;
}

export const namedStreams = (coherent: CoherentMachine, { streams }: TlbThrash): NamedStream[] =>
  [...streams].map(([key, stream]) => ({
    key,
    title: nameOf(coherent, stream),
    short: stream.block === null ? nameOf(coherent, stream) : `block ${integer(stream.block)}`,
    actor: actorOf(coherent.machine.parts, stream.device),
  }));

const span = (ps: number): string => text(time(ps, 3));
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** "Disk 48 times and LAN once" */
function blameText({ blame }: Evictions, streams: readonly NamedStream[]): string {
  const parts = [...blame]
    .sort(([, a], [, b]) => b - a)
    .map(([key, times]) => {
      const name = streams.find((stream) => stream.key === key)?.title ?? 'another';
      const evicting = key === PURGE ? 'a purge of the row' : name;
      return `${evicting} ${times === 1 ? 'once' : `${integer(times)} times`}`;
    });
  return listed(parts);
}

/** The evictions of one stream in one row. */
export function evictionSentence(
  { chain }: ThrashRow,
  { title }: NamedStream,
  losses: Evictions | undefined,
  streams: readonly NamedStream[],
): string {
  if (!losses) return `Row ${integer(chain)}: ${title} does not use it.`;
  const { lookUps, returns, misses, time: spent } = losses;
  if (returns === 0)
    return `Row ${integer(chain)}: ${title} lost nothing; ${count(lookUps, 'look-up')}, ${count(misses, 'miss', 'misses')}.`;
  return `Row ${integer(chain)}: ${title} was evicted by ${blameText(losses, streams)}, and reread its translation in ${span(spent)}; ${count(lookUps, 'look-up')}, ${count(misses, 'miss', 'misses')}.`;
}

/** All evictions in a sentence. */
export function thrashSummary(
  { lookUps, misses, returns, time: spent }: TlbThrash,
  now: number,
): string {
  if (lookUps === 0) return 'No device has requested a translation yet.';
  if (returns === 0)
    return `No translation was read twice: ${count(lookUps, 'look-up')}, ${count(misses, 'miss', 'misses')}, each the first of its page.`;
  const share = now > 0 ? ` (${percent((spent / now) * 100)} of the time so far)` : '';
  return `${integer(returns)} of ${count(misses, 'miss', 'misses')} were for evicted translations that were still valid. Rereading them took ${span(spent)}${share}.`;
}
