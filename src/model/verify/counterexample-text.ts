/** What an exploration found, in words. */
import { count, integer } from '../../base/format';
import type { Explored } from '../../engine/explore';
import type { DefectProof } from './proof-defects';
import type { DefectTrial } from './proof-types';

/**
 * Transitions from the first state to what is broken, or else to the farthest states known. A transition is an event that
 * may happen next, with those that follow from it at once. Exploration goes outwards by transitions, so no way to what is
 * broken has fewer of them; one with more may have fewer events.
 */
export function depthText({ end, depth, deadlocks }: Explored): number {
  // The layer that is looked at last leads on to nothing; in a dead end nothing more happens.
  return end === 'complete' || deadlocks > 0 ? depth - 1 : depth;
}

/** How far away what is broken is: "10 transitions (14 events)". */
export const counterexampleText = (found: Explored): string =>
  `${count(depthText(found), 'transition')} (${count(found.steps, 'event')})`;

export function verdictOf({ status, found, problem }: DefectTrial): string {
  if (status === 'failed') return problem ?? 'The exploration failed.';
  if (status === 'waiting') return 'Queued.';
  if (!found) return status === 'stopped' ? 'Stopped before it began.' : 'Begins.';
  const { states, waiting } = found;
  const seen = count(states, 'state');
  switch (found.end) {
    case 'complete':
      return `Complete: ${seen}, at most ${count(depthText(found), 'transition')} deep. Every invariant holds in each, and none is a deadlock.`;
    case 'broken':
      return `Broken after ${counterexampleText(found)}: “${found.invariant}” does not hold. No shorter path leads there.`;
    case 'full':
      return `Out of memory after ${seen}, with ${integer(waiting)} still to explore. No violation so far.`;
    case 'cancelled':
      return `Stopped after ${seen}, with ${integer(waiting)} still to explore. No violation so far.`;
    default:
      return `${seen} so far, ${integer(waiting)} of them still to explore.`;
  }
}

const WHERE: Readonly<Record<string, string>> = {
  cache: 'caches',
  memory: 'memory',
  adapter: 'I/O adapter',
  services: 'I/O services',
  bridge: 'PCI bridge',
  pools: 'pooled library',
  ethernet: 'Ethernet adapter',
  kernel: 'kernel',
  tcpip: 'TCP/IP',
  main_cache: 'main cache',
  iommu: 'IOMMU',
  lba: 'local bus adapter',
  sba: 'system bus adapter',
  cache0: 'first cache',
};

/** The part that is broken, by the name its parameters go by: the one with a defect, or else what is set otherwise. */
export function whereOf({ broken }: DefectProof): string {
  const parts = Object.keys(broken);
  const faulty = parts.filter((part) => 'fault' in (broken[part] ?? {}));
  return (faulty.length > 0 ? faulty : parts).map((part) => WHERE[part] ?? part).join(', ');
}
