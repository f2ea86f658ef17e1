/**
 * Steps through a run. A step is a visible event: events without a trace record are skipped. Back is the exact inverse
 * of forward between such events.
 */
import { clamp } from '../../base/geometry';
import type { Engine, Position } from '../../engine/api';
import type { NotableEvents, RecordKeeper } from './recorder';

export type StepUnit = 'event' | 'transaction' | 'microsecond';
/** Steps that are asked for by a key of their own: to the next notable event, to the next one that stops. */
export type Step = StepUnit | 'notable' | 'stop';

const MICROSECOND = 1e6;

/** This many silent events in a row are passed over at most. */
const MAX_SILENT = 256;

type Seeker = Pick<Engine, 'seekEvents'>;

/** What a step is found by: the record of the run, and the kind of event that stops. */
interface Marked {
  readonly endPs: number;
  readonly stopAt: number | null;
  readonly marks: NotableEvents | null;
  readonly trace: Pick<RecordKeeper, 'record' | 'nearest' | 'first' | 'last'> | null;
}

/** Goes to the next event that left a record, or to the end of the run. */
async function nextLoud(engine: Seeker, { events, seq }: Position): Promise<Position> {
  let position = await engine.seekEvents(events + 1);
  for (let i = 1; i < MAX_SILENT && position.seq <= seq; i++) {
    const next = await engine.seekEvents(events + 1 + i);
    if (next.events === position.events) break;
    position = next;
  }
  return position;
}

/** Goes back to the event before that left a record, or to the start. */
async function previousLoud(engine: Seeker, { events }: Position): Promise<Position> {
  let position = await engine.seekEvents(Math.max(0, events - 1));
  for (let i = 0; i < MAX_SILENT && position.events > 0; i++) {
    const before = await engine.seekEvents(position.events - 1);
    if (before.seq < position.seq) return engine.seekEvents(position.events);
    position = before;
  }
  return position;
}

export class EventStepper {
  constructor(
    private readonly engine: Pick<Engine, 'seekEvents' | 'seekTime'>,
    private readonly marked: () => Marked,
  ) {}

  /** Makes one step from a place and says where it led: to its end, or as far as it came when it was stopped. */
  async from(at: Position, by: 1 | -1, unit: Step, stopped: () => boolean): Promise<Position> {
    if (unit === 'event') return by > 0 ? nextLoud(this.engine, at) : previousLoud(this.engine, at);
    const to = this.to(at, by, unit);
    if (to === null) return at;
    const timePs = clamp(to, 0, Math.max(this.marked().endPs, 0));
    const position = await this.engine.seekTime(timePs);
    return stopped() ? position : { ...position, timePs };
  }

  /** Time of the next event after a place that stops, or of the last one before it; null if there is none. */
  stopPs(at: Pick<Position, 'timePs' | 'seq'>, by: 1 | -1): number | null {
    const { stopAt, trace } = this.marked();
    if (stopAt === null || !trace) return null;
    const timeOf = (seq: number | null) =>
      seq === null ? null : (trace.record(seq)?.timePs ?? null);
    let found = trace.nearest(stopAt, by > 0 ? at.seq : at.seq + 1, by);
    while (by < 0 && found !== null && (timeOf(found) ?? 0) >= at.timePs)
      found = trace.nearest(stopAt, found, by);
    return timeOf(found);
  }

  /** The time that a step from a place leads to; null where it leads nowhere. */
  private to(at: Position, by: 1 | -1, unit: Exclude<Step, 'event'>): number | null {
    if (unit === 'stop') return this.stopPs(at, by);
    if (unit === 'microsecond') {
      const us = at.timePs / MICROSECOND;
      return (by > 0 ? Math.floor(us) + 1 : Math.ceil(us) - 1) * MICROSECOND;
    }
    const { marks, endPs } = this.marked();
    const list = unit === 'notable' ? marks?.notable : marks?.transactions;
    const to = (by > 0 ? list?.after(at.seq) : list?.before(at.timePs)) ?? null;
    return this.edge(at, by, to) ?? to ?? (by > 0 ? endPs : 0);
  }

  /**
   * Where all is marked no more, only a stretch around the playhead is: the time just outside of it, from where the
   * next one is fetched, if what was found lies beyond; null otherwise.
   */
  private edge({ timePs, seq }: Pick<Position, 'timePs' | 'seq'>, by: 1 | -1, to: number | null) {
    const { marks, trace } = this.marked();
    if (!marks || !trace) return null;
    const [from, until] = [trace.first, trace.last].map((one) => trace.record(one)?.timePs);
    if (from === undefined || until === undefined) return null;
    if (by > 0) return to === null && marks.isOpenAfter(seq) && until > timePs ? until : null;
    const isBeyond = (to ?? 0) < from && from <= timePs;
    return isBeyond && marks.isOpenAfter(trace.first) ? from - 1 : null;
  }
}
