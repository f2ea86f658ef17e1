/** Shared context of the checks of a lesson. */
import type { CompiledMachine } from '../scenario/compiled';
import type { Scenario } from '../scenario/scenario-types';
import type { LessonRun, NearestEvent } from './check-run';
import type { Decided } from './positions';
import type { Runs } from './runs';

export interface LessonContext {
  readonly scenario: Scenario;
  readonly machine: CompiledMachine;
  /** Ids of scenarios that links may refer to. */
  readonly known: readonly string[];
  /** Called for each question with exactly one right option. */
  onDecided?(decided: Decided): void;
  /** Called before each piece of the lesson: a page answers its reader there. If it rejects, the check ends. */
  pause?(): Promise<void>;
}

/** Reports a problem at a line. */
export type Tell = (line: number, message: string) => void;

export interface Checked extends LessonContext {
  readonly run: LessonRun;
  /** Runs with other settings, or up to a time, that numbers are taken from. */
  readonly runs: Runs;
  /** Counters asked about in earlier questions. */
  readonly shown: ReadonlySet<string>;
  readonly tell: Tell;
}

export const inMicroseconds = (ps: number): string => `${Number((ps / 1e6).toFixed(6))} us`;

/** The message for a time without an event. */
export function missed(text: string, { before, after }: NearestEvent): string {
  const near = [before, after].flatMap((ps) => (ps === null ? [] : inMicroseconds(ps)));
  const where = near.length > 0 ? `; the nearest events are at ${near.join(' and ')}.` : '.';
  return `Nothing happens at ${text}${where}`;
}
