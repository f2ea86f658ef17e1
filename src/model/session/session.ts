/**
 * The open session: a scenario and its changes, readable by every panel. Everything shown is derived by running it.
 * View settings are changed here, the run in `editing`; `opening` replaces the session.
 */
import { type Kind, navigate, type Route, type View } from '../../base/route';
import { createStore, type Store } from '../../base/store';
import type { CompiledMachine } from '../scenario/compiled';
import type { GttpTable } from '../scenario/gttp-import';
import type { Assignment, Edits, Programs, Scenario, Value } from '../scenario/scenario-types';
import type { BuiltScenario, Fork, SessionCommand } from './document';

export interface Measured {
  readonly name: string;
  readonly text: string;
  readonly table: GttpTable;
}

export interface SessionState {
  readonly status: 'none' | 'opening' | 'open';
  readonly title: string;
  /** Display name of the system. */
  readonly system: string;
  readonly scenario?: string;
  readonly kind: Kind;
  readonly changes: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Increases with each change of the document, except of its playhead position. */
  readonly revision: number;
  /** Increases with each opening. */
  readonly opened: number;
  /** The scenario with the programs in force. */
  readonly data: Scenario | null;
  /** Text of the lesson; null if there is none. */
  readonly lesson: string | null;
  /** The author's own text of it. */
  readonly written: string | undefined;
  /** Edits in force, including an unfinished drag. */
  readonly edits: Edits;
  /** Edits before the last one, shown as a ghost. */
  readonly before: Edits | null;
  readonly dragging: boolean;
  readonly commands: readonly SessionCommand[];
  readonly seed: number | null;
  /** Programs that replace the scenario's own. */
  readonly programs: Programs | undefined;
  /** The machine built by the user. */
  readonly built: BuiltScenario | undefined;
  /** A monitor checks the invariants after every event. Not part of the document. */
  readonly watched: boolean;
  /** A checker reports violations of the mapping interface's contract. Not part of the document. */
  readonly checked: boolean;
  /** Variables of the open run that differ from the scenario's. */
  readonly variables: Assignment;
  /** The open run, compiled. */
  readonly machine: CompiledMachine | null;
  readonly cursor: number;
  readonly view: Readonly<Record<string, Value>>;
  readonly measured: Measured | null;
  /** Bookmarked times of the open run in picoseconds, in order. */
  readonly bookmarks: readonly number[];
  /** Kept versions, in the order of their moments. */
  readonly forks: readonly Fork[];
  /** Name under which the session is saved; null if it is not. */
  readonly work: string | null;
  /** Contents of the opened document that are kept but have no effect, as sentences. */
  readonly leftOut: readonly string[];
  /** The document was made by another engine: its numbers may differ. */
  readonly warning: string | null;
  /** State hash that the document expects at its cursor. */
  readonly expectedHash: string | null;
}

/** No session is open. */
export const EMPTY_SESSION: SessionState = {
  status: 'none',
  title: '',
  system: '',
  kind: 'lab',
  changes: 0,
  canUndo: false,
  canRedo: false,
  revision: 0,
  opened: 0,
  data: null,
  lesson: null,
  written: undefined,
  edits: {},
  before: null,
  dragging: false,
  commands: [],
  seed: null,
  programs: undefined,
  built: undefined,
  watched: false,
  checked: false,
  variables: {},
  machine: null,
  cursor: 0,
  view: {},
  measured: null,
  bookmarks: [],
  forks: [],
  work: null,
  leftOut: [],
  warning: null,
  expectedHash: null,
};

export const session: Store<SessionState> = createStore(EMPTY_SESSION);

/** Changes the contents of the document. */
export const revise = (change: Partial<SessionState>): void =>
  session.setState(({ revision }) => ({ ...change, revision: revision + 1 }));

export const setCursor = (events: number): void => session.setState({ cursor: events });

export const setView = (view: Readonly<Record<string, Value>>): void =>
  revise({ view: { ...session.getState().view, ...view } });

/** Adds or removes a bookmark. */
export function toggleBookmark(timePs: number): void {
  const { bookmarks } = session.getState();
  const at = Math.round(timePs);
  const others = bookmarks.filter((mark) => mark !== at);
  const all = others.length < bookmarks.length ? others : [...bookmarks, at];
  revise({ bookmarks: all.sort((a, b) => a - b) });
}

export const setMeasured = (measured: Measured | null): void => revise({ measured });

/** Navigates to the open session in a view. */
export function navigateInSession(view: View, params: Route['params'] = {}): void {
  const { scenario } = session.getState();
  navigate({ view, ...(scenario ? { scenario } : {}), params });
}
