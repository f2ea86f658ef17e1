/**
 * Where a run shows the answer to a question: the event with which the counters that the right option names
 * came to say so. A limit that is exceeded is exceeded by one event; a value is reached with the last event
 * that counts. What never happens is seen at the end of the run.
 */
import { type CompiledMachine, partNamed } from '../scenario/compile';
import type { Trace } from '../trace/trace';
import type { Option } from './lesson';
import { conditionAt } from './verdict';

/** Counters of all parts, one after another. */
type Counters = ArrayLike<number>;

/** Whether counters say already what they say at the end; null where nothing is ever counted. */
export function decidesAt(
  { when }: Option,
  machine: CompiledMachine,
  final: Counters,
): ((counters: Counters) => boolean) | null {
  const settled = when.flatMap((condition) => {
    const found = conditionAt(machine, condition);
    const last = found ? (final[found.place] ?? 0) : 0;
    if (!found || last === 0) return [];
    const { place, limit } = found;
    const isReached = {
      '>': (value: number) => value > limit,
      '>=': (value: number) => value >= limit,
      '=': (value: number) => value === last,
      '<': (value: number) => value === last,
      '<=': (value: number) => value === last,
    }[condition.operator];
    return [(counters: Counters) => isReached(counters[place] ?? 0)];
  });
  return settled.length === 0 ? null : (now) => settled.every((holds) => holds(now));
}

/** Records looked at before a place for one of the part that the question is about. */
const NEAR = 64;

/**
 * The record that stands for a place of the run: the newest of the part asked about, or of what it did at that
 * moment what is worth telling; or else the newest of any part.
 */
export function recordAt(trace: Trace, seq: number, part: number | null): number | null {
  let newest: number | null = null;
  let timePs = 0;
  for (let at = seq; at > seq - NEAR && trace.has(at); at--) {
    const record = trace.record(at);
    if (record?.part !== part) continue;
    if (newest === null) [newest, timePs] = [at, record.timePs];
    if (record.timePs < timePs) break;
    if (trace.event(at)?.level === 'story') return at;
  }
  return newest ?? (trace.has(seq) ? seq : null);
}

/** The part that an option asks about first. */
export const partOfQuestion = ({ when }: Option, machine: CompiledMachine): number | null =>
  partNamed(machine, when[0]?.part ?? '')?.index ?? null;
