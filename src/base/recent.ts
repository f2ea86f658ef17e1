/**
 * What the user did before, as the app's storage knows it: saved sessions, scenarios opened. Panels read
 * these stores and ask through `request`; only the app touches the browser's storage.
 */
import { createStore } from './store';

export interface RecentSession {
  readonly id: string;
  readonly title: string;
  /** Name of the system, for people. */
  readonly system: string;
  /** Absent for work that began with a file. */
  readonly scenario?: string;
  /** Milliseconds since 1970; 0 where it is not known. */
  readonly savedAt: number;
  readonly changes: number;
}

/** Newest first; null until the storage has answered. */
export const recentSessions = createStore<readonly RecentSession[] | null>(null);

/** Why the list may lack what was saved, as a sentence. */
export const recentSessionsError = createStore<string | null>(null);

/** Sessions beyond these are offered to be forgotten; none goes by itself. */
export const MAX_RECENT_SESSIONS = 40;

/** Ids of the scenarios opened so far, newest last. */
export const visitedScenarios = createStore<readonly string[]>([]);

export type Request =
  | { readonly kind: 'open-recent'; readonly id: string }
  | { readonly kind: 'forget-recent'; readonly ids: readonly string[] }
  | { readonly kind: 'choose-file' };

let answer: (request: Request) => void = () => {};

export function request(what: Request): void {
  answer(what);
}

/** Called once by the app. */
export function answerRequests(by: (request: Request) => void): void {
  answer = by;
}
