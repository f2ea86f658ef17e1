/** Results of an exploration as text. */
import { count, integer } from '../../base/format';
import type { Explored } from '../../engine/explore';
import type { DefectProof } from './proof-defects';
import type { DefectTrial } from './proof-types';

/**
 * Number of transitions from the initial state to the violation, otherwise to the farthest known states. A
 * transition is one enabled event together with the events that follow from it at once. The search is
 * breadth-first, so no counterexample has fewer transitions; one with more may have fewer events.
 */
export function depthText({ end, depth, deadlocks }: Explored): number {
  // The last explored layer has no successors, and in a deadlock nothing follows.
  return end === 'complete' || deadlocks > 0 ? depth - 1 : depth;
}

/** Length of a counterexample: "10 transitions (14 events)". */
export const counterexampleText = (found: Explored): string =>
  `${count(depthText(found), 'transition')} (${count(found.steps, 'event')})`;

export function verdictOf({ status, found, problem }: DefectTrial): string {
  if (status === 'failed') return problem ?? 'The exploration failed.';
  if (status === 'waiting') return 'Queued.';
  if (!found) return status === 'stopped' ? 'Stopped before it started.' : 'Starting.';
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

/** The part with a defect or a different setting, by its name in `broken`. */
export function whereOf({ broken }: DefectProof): string {
  const parts = Object.keys(broken);
  const faulty = parts.filter((part) => 'fault' in (broken[part] ?? {}));
  return (faulty.length > 0 ? faulty : parts).map((part) => WHERE[part] ?? part).join(', ');
}
