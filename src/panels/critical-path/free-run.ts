/** "If this were free": the same operation in a run in which a part costs as little as it can. */
import { withFix } from '../../controllers/useFixRuns';
import { createWorkerEngine } from '../../engine/workers';
import type { CompiledPart } from '../../model/scenario/compiled';
import { editableParam } from '../../model/scenario/editable-param';
import type { Edits } from '../../model/scenario/scenario-types';
import { engineCommands } from '../../model/session/commands';
import { Recorder } from '../../model/session/recorder';
import { session } from '../../model/session/session';
import { type Operation, operationEnding } from '../../model/trace/operations';
import { createTrace, type Trace } from '../../model/trace/trace';

/** Records that the ring holds, as a power of two; the recorder reads them in smaller pieces. */
const RING_LOG2 = 15;

/** Every time of a part at its least, its clock and its rates at their most; empty if it has none. */
export function freeEdits(part: CompiledPart): Edits {
  return Object.fromEntries(
    part.params.flatMap((param) => {
      const { type } = param.spec;
      if (!['time', 'clock', 'rate'].includes(type)) return [];
      const edit = editableParam(part, param);
      if (edit?.kind !== 'number') return [];
      const wanted = type === 'time' ? edit.min : edit.max;
      const value = edit.legal?.near(wanted) ?? wanted;
      return value === edit.value ? [] : [[param.path, edit.text(value)] as const];
    }),
  );
}

/** How long it takes then, or why that is not known. */
export type FreeResult =
  | { readonly timePs: number; readonly problem: null }
  | { readonly timePs: null; readonly problem: string };

const unknown = (problem: string): FreeResult => ({ timePs: null, problem });

/** Runs the machine with the part free, and finds the operation of the same number among those of its kind. */
export async function timeIfFree(
  part: CompiledPart,
  trace: Trace,
  { end, part: owner }: Operation,
): Promise<FreeResult> {
  const now = session.getState();
  const machine = withFix(now, { edits: freeEdits(part) }, RING_LOG2);
  if (!machine) return unknown('the machine does not allow it');
  if (trace.first > 1) return unknown('this run is too long to be kept whole');
  const kind = trace.kindOf(end);
  const number = trace.countOf(owner, kind, end);
  const engine = createWorkerEngine();
  try {
    const recording = await new Recorder<Trace>(engine).record({
      session: { config: machine.config, commands: engineCommands(machine, now.commands) },
      untilPs: machine.untilPs,
      types: machine.parts.map(({ type }) => type),
      makeTrace: () => createTrace(machine),
      onProgress: () => {},
    });
    if (!recording || recording.cut) return unknown('that run is too long to be kept whole');
    const other = recording.trace.nthOf(owner, kind, number);
    const found = other === null ? null : operationEnding(machine, recording.trace, other);
    return found
      ? { timePs: found.to - found.from, problem: null }
      : unknown('it does not end then');
  } catch (error) {
    return unknown(error instanceof Error ? error.message : String(error));
  } finally {
    engine.dispose();
  }
}
