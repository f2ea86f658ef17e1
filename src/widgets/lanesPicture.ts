/** Input of the lane painter: rows of spans on one time axis, with their marks. */
import type { PlacedBracket } from '../draw/run/brackets';
import type { LaneBars } from '../draw/run/lanes';
import type { TimelineModel } from '../draw/run/timeline';
import type { ReasonAt } from '../draw/run/timeline-marks';
import type { Cut } from '../model/session/story-film';
import type { CanvasLayer } from './CanvasLayer';

/** The seal over the lanes while a question is open. */
export interface Seal {
  readonly fromPs: number;
  /** Number of the step that asks about it, if it is not the visible one. */
  readonly step: number | null;
  /** Milliseconds since it was broken; null while it is whole. */
  readonly brokenMs: number | null;
}

export interface LanesPicture {
  readonly model: TimelineModel;
  readonly playheadPs: number;
  readonly playheadText: string;
  /** Nothing lies ahead: what comes after the playhead is as known as what came before. */
  readonly isRecorded?: boolean;
  /** Record whose bar is framed. */
  readonly selected: number | null;
  /** Record whose bar is ringed: what happens now. */
  readonly played?: number | null;
  /** Part that the pointer is on, in any view. */
  readonly pointed?: number | null;
  /** Time from which nothing is shown. */
  readonly hiddenFromPs?: number;
  readonly seal?: Seal | null;
  readonly scale: number;
  readonly reasons: readonly ReasonAt[];
  /** What an answer is about, over the lanes. */
  readonly brackets?: readonly PlacedBracket[];
  /** Bars of the run before a change; null or absent if none is shown. */
  readonly before?: readonly LaneBars[] | null;
  /** What story pace leaves out of the window. */
  readonly cuts?: readonly Cut[];
  /** Keeps what playback does not change. */
  readonly layer?: CanvasLayer;
}
