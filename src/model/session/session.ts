/**
 * The one open session of the page, as everybody may read it: a scenario and what was changed in it. Everything
 * shown is derived from this by running it. Beside that it holds how one looks at it, which is set here; changes
 * of the run are made in `editing`, and another one comes by `opening`.
 */
import { type Kind, navigate, type Route, type View } from '../../base/route';
import { createStore, type Store } from '../../base/store';
import type { CompiledMachine, Edits } from '../scenario/compile';
import type { GttpTable } from '../scenario/gttp-import';
import type { Assignment, Programs, Scenario, Value } from '../scenario/scenario-types';
import type { BuiltScenario, SessionCommand } from './document';

export interface Measured {
  readonly name: string;
  readonly text: string;
  readonly table: GttpTable;
}

export interface SessionState {
  readonly status: 'none' | 'opening' | 'open';
  readonly title: string;
  /** The system's name as people write it. */
  readonly system: string;
  readonly scenario?: string;
  readonly kind: Kind;
  readonly changes: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Grows with each change of what a document holds, except where its playhead stands. */
  readonly revision: number;
  /** Grows with each opening. */
  readonly opened: number;
  /** With the programs in force. */
  readonly data: Scenario | null;
  /** The teacher's text about it; null if there is none. */
  readonly lesson: string | null;
  /** In force, an unfinished drag included. */
  readonly edits: Edits;
  /** Before the last edit: what a ghost shows. */
  readonly before: Edits | null;
  readonly dragging: boolean;
  readonly commands: readonly SessionCommand[];
  readonly seed: number | null;
  /** Programs that take the place of the scenario's own. */
  readonly programs: Programs | undefined;
  /** What the user builds in the scenario's place. */
  readonly built: BuiltScenario | undefined;
  /** A watcher says after every event which invariant is broken; a matter of looking, not of the document. */
  readonly watched: boolean;
  /** A checker tells where drivers break the contract of the mapping interface; likewise. */
  readonly checked: boolean;
  /** Variables of the opened run that differ from the scenario's. */
  readonly variables: Assignment;
  /** The opened run, compiled. */
  readonly machine: CompiledMachine | null;
  readonly cursor: number;
  readonly view: Readonly<Record<string, Value>>;
  readonly measured: Measured | null;
  /** Times of the opened run that the user marked, in picoseconds, in order. */
  readonly bookmarks: readonly number[];
  /** Name of the saved piece of work that was opened; null for anything else. */
  readonly work: string | null;
  /** What of the opened document is kept and not carried out, in sentences. */
  readonly leftOut: readonly string[];
  /** Made by another engine: its numbers may differ. */
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
  work: null,
  leftOut: [],
  warning: null,
  expectedHash: null,
};

export const session: Store<SessionState> = createStore(EMPTY_SESSION);

/** Changes what a document holds. */
export const revise = (change: Partial<SessionState>): void =>
  session.setState(({ revision }) => ({ ...change, revision: revision + 1 }));

export const setCursor = (events: number): void => session.setState({ cursor: events });

export const setView = (view: Readonly<Record<string, Value>>): void =>
  revise({ view: { ...session.getState().view, ...view } });

/** Marks a time of the run, or takes the mark away. */
export function toggleBookmark(timePs: number): void {
  const { bookmarks } = session.getState();
  const at = Math.round(timePs);
  const others = bookmarks.filter((mark) => mark !== at);
  const all = others.length < bookmarks.length ? others : [...bookmarks, at];
  revise({ bookmarks: all.sort((a, b) => a - b) });
}

export const setMeasured = (measured: Measured | null): void => revise({ measured });

/** Goes to the place of the open session in a view. */
export function navigateInSession(view: View, params: Route['params'] = {}): void {
  const { scenario } = session.getState();
  navigate({ view, ...(scenario ? { scenario } : {}), params });
}
