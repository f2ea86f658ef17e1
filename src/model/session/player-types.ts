/** State of the player, and its inputs. */
import type { Command } from '../../engine/api';
import type { PartType } from '../../engine/manifest';
import type { StepUnit } from './stepping';

export type Pace = 'story' | 'clock';

export interface PlayerState {
  readonly status: 'empty' | 'opening' | 'ready' | 'failed';
  /** Error of the engine, if it stopped. */
  readonly failure: string | null;
  readonly playing: boolean;
  /** Whether it plays towards the start. */
  readonly backwards: boolean;
  /** A step is being shown as a film. */
  readonly stepping: boolean;
  /** Picoseconds of the run per second. */
  readonly speed: number;
  /** Story pace gives each step time to be seen and cuts dead time; clock pace plays at `speed`. */
  readonly pace: Pace;
  readonly unit: StepUnit;
  readonly endPs: number;
  readonly endEvents: number;
  /** The whole run is recorded. */
  readonly complete: boolean;
  /** Threads blocked at the end of the run, as sentences. */
  readonly stuck: readonly string[];
  /** Kind of the events at which playback stops. */
  readonly stopAt: string | null;
  /** The playhead does not go beyond this time; null if it may go to the end. */
  readonly limitPs: number | null;
  /** Progress of recording a very long run; null for short runs and at the end. */
  readonly long: { readonly events: number; readonly timePs: number } | null;
  /** The recording was stopped and can be continued. */
  readonly paused: boolean;
  /** A seek is taking longer than usual. */
  readonly travelling: boolean;
  /** An engine has not answered for two seconds. */
  readonly silent: boolean;
  /** Increases when the recording grows or is replaced. */
  readonly recorded: number;
  /** Increases when a session is opened or edited. */
  readonly opened: number;
}

/** The fields of a machine that the player needs. */
export interface PlayedMachine {
  readonly config: Uint8Array;
  readonly untilPs: number;
  readonly parts: readonly { readonly type: PartType }[];
}

export interface PlayedSession<M extends PlayedMachine> {
  /** Equal for all edits of one session; a different id starts at the beginning. */
  readonly id: string;
  readonly machine: M;
  readonly commands: readonly Command[];
}
