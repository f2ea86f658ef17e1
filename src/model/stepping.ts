/**
 * Steps of one event that anybody can see: events that leave no trace record are passed over. Back is the
 * exact inverse of forward between such events.
 */
import type { Engine, Position } from '../engine/api';

/** This many silent events in a row are passed over at most. */
const MOST_SILENT = 256;

type Seeker = Pick<Engine, 'seekEvents'>;

/** Goes to the next event that left a record, or to the end of the run. */
export async function nextLoud(engine: Seeker, { events, seq }: Position): Promise<Position> {
  let position = await engine.seekEvents(events + 1);
  for (let i = 1; i < MOST_SILENT && position.seq <= seq; i++) {
    const next = await engine.seekEvents(events + 1 + i);
    if (next.events === position.events) break;
    position = next;
  }
  return position;
}

/** Goes back to the event before that left a record, or to the start. */
export async function previousLoud(engine: Seeker, { events }: Position): Promise<Position> {
  let position = await engine.seekEvents(Math.max(0, events - 1));
  for (let i = 0; i < MOST_SILENT && position.events > 0; i++) {
    const before = await engine.seekEvents(position.events - 1);
    if (before.seq < position.seq) return engine.seekEvents(position.events);
    position = before;
  }
  return position;
}
