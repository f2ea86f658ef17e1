/** Reads of a long record in parts, so that no frame of the page waits for all of it. */
import { loop } from '../base/loop';
import { player } from '../model/session/open-run';
import type { Trace } from '../model/trace/trace';
import { useFrameValue } from './useRun';
import { useStore } from './useStore';

interface Log {
  /** Reads on; false while there is more to read. */
  update(): boolean;
}

const reading = new Set<Log>();

/**
 * Reads a part of the open run's record now, and the rest in the frames that follow, however many look: within a frame
 * the log stays as it is. Subscribers are notified at the end; a record that is no longer open is left.
 */
function readOn(log: Log, trace: Trace): void {
  if (reading.has(log) || log.update()) return;
  reading.add(log);
  const more = () => {
    const isOpen = player.trace() === trace;
    if (isOpen && !log.update()) return loop.once('advance', more);
    reading.delete(log);
    if (isOpen) player.refresh();
  };
  loop.once('advance', more);
}

/** The log that is kept of the open run's record, read on; null without a record, or where nothing keeps one. */
export function logNow<Kept extends Log>(of: (trace: Trace) => Kept | null): Kept | null {
  const trace = player.trace();
  const log = trace && of(trace);
  if (log && trace) readOn(log, trace);
  return log;
}

/** The same for a panel: drawn again as the record grows and whenever what is seen of the log changes. */
export function useLog<Kept extends Log>(
  of: (trace: Trace) => Kept | null,
  seen: (log: Kept) => string | number,
): Kept | null {
  useStore(player.state, (state) => state.recorded);
  useFrameValue(() => {
    const log = logNow(of);
    return log ? seen(log) : 0;
  });
  return logNow(of);
}
