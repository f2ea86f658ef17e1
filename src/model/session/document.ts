/**
 * A session as a document: which scenario, what was changed, where the playhead stands. All else is derived
 * by running it. The same document is the saved file, the autosave and, compressed, the share link.
 */

import type { Assignment, Programs, Value } from '../scenario/scenario-types';
import type { Answers } from './answers';

export const SESSION_VERSION = 1;

/** A session holds up to three texts of scenarios, written as strings, and what was changed beside them. */
export const MAX_SESSION_BYTES = 4 * 1024 * 1024;

/** The most that is kept of a file's name. */
export const NAME_LENGTH = 200;

export interface SessionCommand {
  /** Applied once this many events have been processed. */
  readonly at: number;
  readonly param: string;
  readonly value: Value;
}

/** A scenario as its user builds it: whole, and in the place of the one that was opened. */
export interface BuiltScenario {
  readonly text: string;
  /** What is run while the text is not finished: the last that was; '' for the scenario as it was opened. */
  readonly good?: string | undefined;
}

/** The text of it that runs; '' while none does. */
export const lastRunnable = ({ text, good }: BuiltScenario): string => good ?? text;

/** Name of the builder's text in error messages. */
export const BUILT_FILE = 'your machine';

/** What can be undone. */
export interface Changes {
  /** "part.param" -> value, in the order in which they were made. */
  readonly edits: Assignment;
  readonly commands: readonly SessionCommand[];
  readonly seed: number | null;
  /** Which run of the experiment is open: those that differ from the scenario's. */
  readonly variables: Assignment;
  readonly programs?: Programs | undefined;
  readonly built?: BuiltScenario | undefined;
}

/** A scenario that is shipped, or the text of another one. */
export type ScenarioRef =
  | { readonly id: string }
  | { readonly text: string; readonly name: string };

export interface SessionDocument extends Changes {
  readonly busyard_session: typeof SESSION_VERSION;
  readonly scenario: ScenarioRef;
  readonly cursor: { readonly events: number };
  /** What the page wants to remember of its arrangement. */
  readonly view: Assignment;
  /** Measurements of the user's own, as text. */
  readonly measured: { readonly name: string; readonly text: string } | null;
  /** Times that the user marked, in picoseconds, in order. */
  readonly bookmarks?: readonly number[] | undefined;
  /** What its maker answered to the questions of its lesson, where that was to come along. */
  readonly answers?: Answers[string] | undefined;
  /** Engine that made it, and the state it was in: to notice when another engine gives other numbers. */
  readonly layout: string;
  readonly hash: string | null;
}

export const NO_CHANGES: Changes = { edits: {}, commands: [], seed: null, variables: {} };

export const layoutText = (hash: number): string => (hash >>> 0).toString(16).padStart(8, '0');

/** Whether a text looks like a saved session, so that it is read as one. */
export const isSession = (text: string): boolean =>
  text.slice(0, 500).includes('"busyard_session"');

/** The text of a saved session. */
export const writeDocument = (document: SessionDocument): string =>
  `${JSON.stringify(document, null, 2)}\n`;
