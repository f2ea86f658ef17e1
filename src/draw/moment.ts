/** The state of a machine at one moment, as drawings read it. */
import type { TrackName, ViewField, ViewName } from '../engine/gen/names';
import type { EnumMember } from '../engine/manifest';

/** A period in which a track is in one state. */
export interface TimeRange {
  readonly state: EnumMember;
  readonly from: number;
  /** Infinity while its end is not recorded. */
  readonly to: number;
  /** Trace record that began it. */
  readonly seq: number;
  /** Part that does it, if its record names one. */
  readonly by: number | null;
  /** Part that it is done for, if that is another. */
  readonly origin?: number | null;
}

/** Rows of a view, one column per field. */
export interface Rows {
  readonly rows: number;
  column(field: ViewField): Float64Array | undefined;
}

/** The machine at one moment. */
export interface Moment {
  readonly timePs: number;
  /** Whether an open question masks a counter or a view of a part. */
  readonly masks?: ((part: number, ...names: readonly string[]) => boolean) | undefined;
  /** Counters by part, in manifest order. */
  readonly counters: readonly Float64Array[];
  view(part: number, name: ViewName): Rows | null;
  /** The trace reaches back to the start, so a track without a state is known to be idle. */
  readonly whole: boolean;
  /** State of a track at this moment; null when it is idle. */
  track(part: number, name: TrackName | ''): TimeRange | null;
  /** The states of a track from a time until now. */
  past(part: number, name: TrackName | '', from: number): readonly TimeRange[];
}
