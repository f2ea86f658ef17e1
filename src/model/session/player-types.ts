/** What the player of a run tells, and what it is given to play. */
import type { Command } from '../../engine/api';
import type { PartType } from '../../engine/manifest';
import type { StepUnit } from './stepping';

export type Pace = 'story' | 'clock';

export interface PlayerState {
  readonly status: 'empty' | 'opening' | 'ready' | 'failed';
  /** Why the engine stopped, when it did. */
  readonly failure: string | null;
  readonly playing: boolean;
  /** Picoseconds of the run for each second of the viewer. */
  readonly speed: number;
  /** Story pace gives each step time to be seen and cuts dead time; clock pace keeps to `speed`. */
  readonly pace: Pace;
  readonly unit: StepUnit;
  readonly endPs: number;
  readonly endEvents: number;
  /** The whole run is recorded. */
  readonly complete: boolean;
  /** Who waits at its end, where nothing is under way that could wake them: a sentence each. */
  readonly stuck: readonly string[];
  /** Kind of the events at which playing stops. */
  readonly stopAt: number | null;
  /** How far a run of very many events has been recorded; null while it is not long, and at its end. */
  readonly long: { readonly events: number; readonly timePs: number } | null;
  /** The recording of it was stopped, and can go on. */
  readonly halted: boolean;
  /** The playhead has been on its way to a place for a while. */
  readonly travelling: boolean;
  /** An engine has not answered for two seconds. */
  readonly silent: boolean;
  /** Grows when the record is another one or has grown. */
  readonly recorded: number;
  /** Grows with each opening of a session, also of an edited one. */
  readonly opened: number;
}

/** A machine as the player needs it. */
export interface PlayedMachine {
  readonly config: Uint8Array;
  readonly untilPs: number;
  readonly parts: readonly { readonly type: PartType }[];
}

export interface PlayedSession<M extends PlayedMachine> {
  /** The same for all edits of one piece of work; another one starts from the beginning. */
  readonly id: string;
  readonly machine: M;
  readonly commands: readonly Command[];
}
