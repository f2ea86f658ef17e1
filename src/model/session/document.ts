/**
 * A session as a document: the scenario, its changes and the position of the playhead. Everything else is derived
 * by running it. The same document is used for saved files, autosave and (compressed) share links.
 */

import type { Problem } from '../scenario/problems';
import type { Assignment, Programs, Value } from '../scenario/scenario-types';
import type { Answers } from './answers';

export const SESSION_VERSION = 1;

/** Maximum size: a session holds up to three scenario texts as JSON strings, and its changes. */
export const MAX_SESSION_BYTES = 4 * 1024 * 1024;

/** Maximum length of a stored file name. */
export const NAME_LENGTH = 200;

export interface SessionCommand {
  /** Applied once this many events have been processed. */
  readonly at: number;
  readonly param: string;
  readonly value: Value;
}

/** A machine built by the user, as the complete text of a scenario that replaces the opened one. */
export interface BuiltScenario {
  readonly text: string;
  /** The last text that could run, while `text` cannot; '' for the scenario as it was opened. */
  readonly good?: string | undefined;
}

/** The text that runs; '' if none does. */
export const lastRunnable = ({ text, good }: BuiltScenario): string => good ?? text;

/** File name of the builder's text in messages. */
export const BUILT_FILE = 'your machine';

/** The state that undo and redo restore. */
export interface Changes {
  /** "part.param" -> value, in the order of the changes. */
  readonly edits: Assignment;
  readonly commands: readonly SessionCommand[];
  readonly seed: number | null;
  /** Variables of the open run that differ from the scenario's. */
  readonly variables: Assignment;
  readonly programs?: Programs | undefined;
  readonly built?: BuiltScenario | undefined;
  /** The lesson as its author writes it, in place of the scenario's own. */
  readonly lesson?: string | undefined;
}

/** More would not be told apart: A to Z. */
export const MOST_FORKS = 26;

/** A kept version of the session. */
export interface Fork {
  readonly name: string;
  /** Position of the playhead when it was kept. */
  readonly timePs: number;
  readonly events: number;
  readonly changes: Changes;
}

/** An included scenario, or the text of another one. */
export type ScenarioRef =
  | { readonly id: string }
  | { readonly text: string; readonly name: string };

export interface SessionDocument extends Changes {
  readonly busyard_session: typeof SESSION_VERSION;
  readonly scenario: ScenarioRef;
  readonly cursor: { readonly events: number };
  /** View settings of the page. */
  readonly view: Assignment;
  /** The user's own measurements, as text. */
  readonly measured: { readonly name: string; readonly text: string } | null;
  /** Bookmarked times in picoseconds, in order. */
  readonly bookmarks?: readonly number[] | undefined;
  readonly forks?: readonly Fork[] | undefined;
  /** The author's answers to the lesson's questions, if they chose to include them. */
  readonly answers?: Answers[string] | undefined;
  /**
   * Layout and state hash of the engine that made the document, to detect that another engine gives different
   * numbers.
   */
  readonly layout: string;
  readonly hash: string | null;
}

export const NO_CHANGES: Changes = { edits: {}, commands: [], seed: null, variables: {} };

export const layoutText = (hash: number): string => (hash >>> 0).toString(16).padStart(8, '0');

/** Whether a text looks like a saved session. */
export const isSession = (text: string): boolean =>
  text.slice(0, 500).includes('"busyard_session"');

/** Serializes a session. */
export const writeDocument = (document: SessionDocument): string =>
  `${JSON.stringify(document, null, 2)}\n`;

/** The result of opening a document. */
export type OpenResult =
  /** `overtaken`: another document was opened meanwhile and stays open. `stopped`: cancelled by the user. */
  | { readonly ok: true; readonly overtaken?: true; readonly stopped?: true }
  | {
      readonly ok: false;
      readonly title: string;
      readonly problems: readonly Problem[];
      /** The document may be fine: a part of the page could not be fetched. */
      readonly unfetched?: boolean;
    };
