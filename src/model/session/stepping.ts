/**
 * Steps through a run. A step is a visible event: events without a trace record are skipped. Stepping back is the
 * exact inverse of stepping forward.
 */
import { clamp } from '../../base/geometry';
import { rank } from '../../base/sorted';
import type { Engine, Position } from '../../engine/api';
import type { NotableEvents, RecordKeeper } from './recorder';

export type StepUnit = 'event' | 'transaction' | 'microsecond';
/** Steps with their own keys: to the next notable event, and to the next stop. */
export type Step = StepUnit | 'notable' | 'stop';

const MICROSECOND = 1e6;

/** Maximum number of consecutive events without a record that a step skips. */
const MAX_SILENT = 256;

type Seeker = Pick<Engine, 'seekEvents'>;

/** Events at which playback stops, in order. */
export interface Stops {
  readonly seqs: readonly number[];
  readonly timesPs: readonly number[];
  /** Up to here the run is searched for them. */
  readonly toPs: number;
}

/** Marks and stops of the run. */
interface Marked {
  /** End of what is recorded, and whether more is to come. */
  readonly endPs: number;
  readonly growing: boolean;
  readonly stops: Stops | null;
  readonly marks: NotableEvents | null;
  readonly trace: Pick<RecordKeeper, 'record' | 'first' | 'last'> | null;
}

/** Goes to the next event with a record, or to the end of the run. */
async function nextVisible(engine: Seeker, { events, seq }: Position): Promise<Position> {
  let position = await engine.seekEvents(events + 1);
  for (let i = 1; i < MAX_SILENT && position.seq <= seq; i++) {
    const next = await engine.seekEvents(events + 1 + i);
    if (next.events === position.events) break;
    position = next;
  }
  return position;
}

/** Goes to the previous event with a record, or to the start. */
async function previousVisible(engine: Seeker, { events }: Position): Promise<Position> {
  let position = await engine.seekEvents(Math.max(0, events - 1));
  for (let i = 0; i < MAX_SILENT && position.events > 0; i++) {
    const before = await engine.seekEvents(position.events - 1);
    if (before.seq < position.seq) return engine.seekEvents(position.events);
    position = before;
  }
  return position;
}

export class EventStepper {
  /** Continues the step that waits for the recording. */
  private continueWaiting: (() => void) | null = null;

  constructor(
    private readonly engine: Pick<Engine, 'seekEvents' | 'seekTime'>,
    private readonly marked: () => Marked,
  ) {}

  /**
   * Makes one step from a position.
   * @returns the new position: the end of the step, or the position reached when it was cancelled
   */
  async from(at: Position, by: 1 | -1, unit: Step, stopped: () => boolean): Promise<Position> {
    if (unit === 'event')
      return by > 0 ? nextVisible(this.engine, at) : previousVisible(this.engine, at);
    let to = this.to(at, by, unit);
    // What comes after an edit is recorded anew: a step ahead of the recording waits for it.
    while (by > 0 && !this.isKnown(to, unit) && !stopped()) {
      await new Promise<void>((go) => {
        this.continueWaiting = go;
      });
      to = this.to(at, by, unit);
    }
    const { endPs } = this.marked();
    if (unit !== 'stop') to ??= by > 0 ? endPs : 0;
    if (to === null || stopped()) return at;
    const timePs = clamp(to, 0, Math.max(endPs, 0));
    const position = await this.engine.seekTime(timePs);
    return stopped() ? position : { ...position, timePs };
  }

  /** Recorded time of the next step; null if it is not known. */
  aheadPs(at: Position, unit: Step): number | null {
    const { trace } = this.marked();
    if (unit === 'event') return trace?.record(at.seq + 1)?.timePs ?? null;
    const to = this.to(at, 1, unit);
    return this.isKnown(to, unit) ? to : null;
  }

  /** Lets a waiting step look again: the recording has grown or ended, or the step is no longer wanted. */
  lookAgain(): void {
    this.continueWaiting?.();
    this.continueWaiting = null;
  }

  /** Whether the target of a step forwards can be reached, or will not become known. */
  private isKnown(to: number | null, unit: Step): boolean {
    const { endPs, growing, stops } = this.marked();
    if (unit === 'stop' && stops && to === null && stops.toPs < endPs) return false;
    return !growing || (to !== null && to <= endPs);
  }

  /** Time of the next or previous stop; null if there is none. */
  stopPs(at: Pick<Position, 'timePs' | 'seq'>, by: 1 | -1): number | null {
    const { stops } = this.marked();
    if (!stops) return null;
    const { seqs, timesPs } = stops;
    const index = by > 0 ? rank(seqs, at.seq, true) : rank(timesPs, at.timePs, false) - 1;
    return timesPs[index] ?? null;
  }

  /** Target time of a step; null if there is none. */
  private to(at: Position, by: 1 | -1, unit: Exclude<Step, 'event'>): number | null {
    if (unit === 'stop') return this.stopPs(at, by);
    if (unit === 'microsecond') {
      const us = at.timePs / MICROSECOND;
      return (by > 0 ? Math.floor(us) + 1 : Math.ceil(us) - 1) * MICROSECOND;
    }
    const { marks } = this.marked();
    const list = unit === 'notable' ? marks?.notable : marks?.transactions;
    const to = (by > 0 ? list?.after(at.seq) : list?.before(at.timePs)) ?? null;
    return this.edge(at, by, to) ?? to;
  }

  /**
   * If marks are known only in a window around the playhead and the target `to` lies outside: the time just outside
   * of the window, where the next window is loaded; otherwise null.
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
