/** What is drawn of lanes: rows of spans on one time axis, with their marks. */
import type { TimelineModel } from '../draw/run/timeline';
import type { ReasonAt } from '../draw/run/timeline-marks';
import type { Cut } from '../model/session/story-film';

export interface LanesPicture {
  readonly model: TimelineModel;
  readonly playheadPs: number;
  readonly playheadText: string;
  /** Record whose bar is framed. */
  readonly selected: number | null;
  /** Part that the pointer rests on somewhere. */
  readonly pointed?: number | null;
  /** What lies ahead of the playhead is not to be seen. */
  readonly masked?: boolean;
  readonly scale: number;
  readonly reasons: readonly ReasonAt[];
  /** What story pace leaves out of the window. */
  readonly cuts?: readonly Cut[];
}
