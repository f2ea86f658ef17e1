/** What an exploration found, in a sentence. */
import { count, integer } from '../../base/format';
import type { Trial } from './proving';

export function verdictOf({ status, found, problem }: Trial): string {
  if (status === 'failed') return problem ?? 'It could not be explored.';
  if (status === 'waiting') return 'Waits for its turn.';
  if (!found) return status === 'stopped' ? 'Stopped before it began.' : 'Begins.';
  const { states, depth, waiting } = found;
  const seen = count(states, 'state');
  switch (found.end) {
    case 'complete':
      return `All of it: ${seen}, none more than ${count(depth, 'step')} away. In each of them everything holds, and none is a dead end.`;
    case 'broken':
      return `Broken after ${count(found.steps, 'step')}: “${found.invariant}” does not hold. No way there is shorter.`;
    case 'full':
      return `The memory is full after ${seen}; ${integer(waiting)} were still to be looked at. Nothing was broken so far.`;
    case 'cancelled':
      return `Stopped after ${seen}; ${integer(waiting)} were still to be looked at. Nothing was broken so far.`;
    default:
      return `${seen} so far, and ${integer(waiting)} of them to look at.`;
  }
}
