/**
 * A change of the machine that keeps the moment: the playhead goes to the event of the new run that plays the same role,
 * and the run before the change stays for comparison.
 */
import { createStore, derive, type Readable } from '../../base/store';
import type { CompiledMachine } from '../scenario/compiled';
import type { Trace } from '../trace/trace';
import { player } from './open-run';
import type { Recording } from './recorder';
import { session } from './session';

interface RunBefore {
  readonly machine: CompiledMachine;
  readonly recording: Recording<Trace>;
  /** The machine after the change. */
  readonly after: CompiledMachine;
}

const kept = createStore<{ readonly run: RunBefore | null }>({ run: null });

/** The completely recorded run before the change that led to the open machine; null if another change followed. */
export const runBefore: Readable<RunBefore | null> = derive([session, kept], () => {
  const { run } = kept.getState();
  return run && run.after === session.getState().machine ? run : null;
});

export const forgetRunBefore = (): void => kept.setState({ run: null });

/** What the playhead stands at: the n-th event of its kind, and its share of the run. */
interface Moment {
  readonly event: { readonly part: number; readonly kind: number; readonly nth: number } | null;
  readonly share: number;
}

function momentNow({ trace, endPs, cut }: Recording<Trace>): Moment {
  const { timePs, seq } = player.now();
  const record = cut ? null : trace.record(seq);
  const event = record && {
    part: record.part,
    kind: record.kind,
    nth: trace.countOf(record.part, record.kind, seq),
  };
  return { event, share: endPs > 0 ? timePs / endPs : 0 };
}

/** The time in another run that plays the same role. */
function timeIn({ trace, endPs, cut }: Recording<Trace>, { event, share }: Moment): number {
  if (share >= 1) return endPs;
  const seq = event && !cut ? trace.nthOf(event.part, event.kind, event.nth) : null;
  return (seq === null ? undefined : trace.record(seq)?.timePs) ?? share * endPs;
}

/** Resolves when the open run is recorded to its end; with false if it was replaced, or failed. */
export function recordedToEnd(): Promise<boolean> {
  const { opened } = player.state.getState();
  return new Promise((resolve) => {
    const stop = player.state.subscribe(look);
    function look(): void {
      const now = player.state.getState();
      const isOver = now.opened !== opened || now.status === 'failed';
      if (!isOver && !(now.complete && now.status === 'ready')) return;
      stop();
      resolve(!isOver);
    }
    look();
  });
}

/**
 * Changes the machine and takes the playhead to the same moment of the new run.
 * @returns why the change is refused, or null
 */
export function changeKeepingMoment<R>(change: () => R | null): R | null {
  const { machine } = session.getState();
  const before = player.state.getState().complete ? player.recording() : null;
  const moment = before && momentNow(before);
  const refused = change();
  const { machine: after } = session.getState();
  if (refused || !machine || !after || !before || !moment || after === machine) return refused;
  kept.setState({ run: { machine, recording: before, after } });
  void recordedToEnd().then((isWhole) => {
    const recording = player.recording();
    if (!isWhole || !recording || session.getState().machine !== after) return;
    return player.toTime(timeIn(recording, moment));
  });
  return refused;
}
