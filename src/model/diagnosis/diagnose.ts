/**
 * Explains an event beyond its chain of causes: applies the event's rule to the preceding trace, and suggests
 * changes of parameters and programs that would have prevented it.
 */
import type { Trace } from '../trace/trace';
import { type Diagnosis, Interpreter, type Run } from './rule';
import { RULES } from './rules';
import { TraceQuery } from './trace-query';

const interpreter = new Interpreter(RULES);

/** The diagnosis of an event; null if nothing is wrong with it and it does not wait. */
export function diagnose(run: Run, trace: Trace, seq: number): Diagnosis | null {
  const past = new TraceQuery(run.machine, trace, seq);
  const event = past.event(seq);
  return event && interpreter.diagnose(run, trace, past, event);
}

/** A wait further back in the chain ended before the event and had many other effects. */
const NEAR = 3;

/**
 * The diagnosis of the first relevant event in a causal chain, newest first: the event itself, else the newest
 * faulty event at any distance, else a wait that is near. Null if there is none.
 */
export function nearestDiagnosis(
  run: Run,
  trace: Trace,
  reasons: readonly number[],
): (Diagnosis & { readonly seq: number }) | null {
  const past = new TraceQuery(run.machine, trace, reasons[0] ?? 0);
  const isWrong = (seq: number) => {
    const event = past.event(seq);
    return event !== null && interpreter.isWrong(event);
  };
  const inTurn = [...reasons.slice(0, 1), ...reasons.filter(isWrong), ...reasons.slice(0, NEAR)];
  for (const seq of inTurn) {
    const found = diagnose(run, trace, seq);
    if (found) return { ...found, seq };
  }
  return null;
}
