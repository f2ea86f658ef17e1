/** Reads of a long record in parts, so that no frame of the page waits for all of it. */
import { loop } from '../base/loop';
import type { Trace } from '../model/run/trace';
import { player } from '../model/session/opened';

interface Log {
  /** Reads on; false while there is more to read. */
  update(): boolean;
}

const reading = new Set<Log>();

/**
 * Reads a part of the open run's record now, and the rest in the frames that follow, however many look: within a frame
 * the log stays as it is. Whoever shows the run is told at the end; a record that is no longer open is left.
 */
export function readOn(log: Log, trace: Trace): void {
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
