/**
 * Who is to blame for an event, beyond the chain of causes: the rule of the event, read against the record before it, and
 * the changes of parameters and programs that would have prevented it.
 */
import type { Trace } from '../trace/trace';
import { type Diagnosis, Interpreter, type Run } from './rule';
import { RULES } from './rules';
import { TraceQuery } from './trace-query';

const interpreter = new Interpreter(RULES);

/** Who is to blame for an event; null for one with which nothing is wrong, and that waits for nobody. */
export function diagnose(run: Run, trace: Trace, seq: number): Diagnosis | null {
  const past = new TraceQuery(run.machine, trace, seq);
  const event = past.told(seq);
  return event && interpreter.diagnose(run, trace, past, event);
}

/** A wait further back than this ended before the event, and led to much else as well. */
const NEAR = 3;

/**
 * The reason that is to blame for an event, of the chain of its reasons, newest first: itself; or else the newest
 * with which something is wrong, however far back; or else a wait that is near. Null where there is none.
 */
export function nearestDiagnosis(
  run: Run,
  trace: Trace,
  reasons: readonly number[],
): (Diagnosis & { readonly seq: number }) | null {
  const past = new TraceQuery(run.machine, trace, reasons[0] ?? 0);
  const isWrong = (seq: number) => {
    const event = past.told(seq);
    return event !== null && interpreter.isWrong(event);
  };
  const inTurn = [...reasons.slice(0, 1), ...reasons.filter(isWrong), ...reasons.slice(0, NEAR)];
  for (const seq of inTurn) {
    const found = diagnose(run, trace, seq);
    if (found) return { ...found, seq };
  }
  return null;
}
