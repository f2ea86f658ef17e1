import { player } from '../model/session/open-run';
import { subject } from '../model/session/presented-event';
import { selection } from '../model/session/selection';
import { useFrameValue } from './useRun';
import { useStore } from './useStore';

export interface CauseStep {
  /** From 1, newest first; the same on the list, the drawing and the lanes. */
  readonly number: number;
  readonly seq: number;
  readonly part: number;
  readonly timePs: number;
  /** Number of similar earlier events that were left out. */
  readonly skipped: number;
}

/** More causes are shown on demand. */
const MOST = 6;
const NONE: readonly CauseStep[] = [];

/** Recent results: the same array while nothing changed. */
const known = new Map<string, readonly CauseStep[]>();
const MOST_KNOWN = 16;

/** The causes of an event, newest first, the root cause last. */
export function causesOf(seq: number | null, most = MOST): readonly CauseStep[] {
  const trace = player.trace();
  if (seq === null || !trace?.has(seq)) return NONE;
  const key = `${seq} ${most} ${player.state.getState().opened}`;
  const before = known.get(key);
  if (before) return before;
  const chain = trace.why(seq);
  const shown = chain.length > most ? [...chain.slice(0, most - 1), ...chain.slice(-1)] : chain;
  const reasons = shown.map(({ seq: at, skipped }, index): CauseStep => {
    const { part = 0, timePs = 0 } = trace.record(at) ?? {};
    return { number: index + 1, seq: at, part, timePs, skipped };
  });
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, reasons);
  return reasons;
}

/** The causes to number on the drawings: only those of a selected event. */
export function useCauses(): readonly CauseStep[] {
  const event = useStore(selection, (state) => state.event);
  return useFrameValue(() => (event === null ? NONE : causesOf(subject())));
}
