/** "If this were free": the same operation in a run in which a part costs as little as it can. */
import { withFix } from '../../controllers/useFixRuns';
import { type CompiledPart, tracedMachine } from '../../model/scenario/compiled';
import { editableParam } from '../../model/scenario/editable-param';
import type { Edits } from '../../model/scenario/scenario-types';
import { engineCommands } from '../../model/session/commands';
import { type FreeProgress, type FreeResult, unknownTime } from '../../model/session/free-run';
import { pathWorkers } from '../../model/session/path-page';
import { session } from '../../model/session/session';
import type { Operation } from '../../model/trace/operations';
import type { Trace } from '../../model/trace/trace';

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

/**
 * Runs the machine with the part free, and finds the operation of the same number among those of its kind.
 * @returns null if it was stopped
 */
export async function timeIfFree(
  part: CompiledPart,
  trace: Trace,
  { end, part: owner }: Operation,
  onProgress: (progress: FreeProgress) => void,
  signal: AbortSignal,
): Promise<FreeResult | null> {
  const now = session.getState();
  const machine = withFix(now, { edits: freeEdits(part) }, RING_LOG2);
  if (!machine || !now.machine) return unknownTime('the machine does not allow it');
  const kind = trace.kindOf(end);
  const commands = engineCommands(machine, now.commands);
  const job = {
    ...{ part: owner, kind, untilPs: machine.untilPs, machine: tracedMachine(machine) },
    session: { config: machine.config, commands },
    number: trace.first > 1 ? null : trace.countOf(owner, kind, end),
    open: { session: { config: now.machine.config, commands }, end },
  };
  try {
    return await pathWorkers.runFree(job, onProgress, signal);
  } catch (error) {
    return unknownTime(error instanceof Error ? error.message : String(error));
  }
}
