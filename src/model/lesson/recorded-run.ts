/** The open run once it is completely recorded: questions and tasks are decided by its end. */
import { player } from '../session/open-run';
import { session } from '../session/session';
import type { RunOfQuestion } from './run-of-question';

/** Null while the run is not recorded to its end. */
export function recordedRun(): RunOfQuestion | null {
  const { machine } = session.getState();
  const recording = player.state.getState().complete ? player.recording() : null;
  const counters = recording?.overview.at(-1)?.counters;
  if (!machine || !recording || !counters) return null;
  return { machine, counters, endPs: recording.endPs, find: (holds) => player.firstWhere(holds) };
}
