/**
 * What the reader looks at: one value for the whole page, so that every panel marks the same thing. It is
 * no part of the session; it is never undone.
 */
import { createStore } from '../../base/store';

export interface Selection {
  /** Index of a part of the machine. */
  readonly part: number | null;
  /** A view of that part, and a row of it. */
  readonly view: string | null;
  readonly index: number | null;
  /** Sequence number of a trace record. */
  readonly event: number | null;
}

const NOTHING: Selection = { part: null, view: null, index: null, event: null };

export const selection = createStore<Selection>(NOTHING);

/** What the pointer or the focus rests on: marked everywhere, and gone with it. */
export const pointed = createStore<Selection>(NOTHING);

/** Selects a part, a place in it, an event; what is not named is no longer selected. */
export const select = (what: Partial<Selection>): void =>
  selection.setState({ ...NOTHING, ...what }, true);

export const point = (what: Partial<Selection>): void =>
  pointed.setState({ ...NOTHING, ...what }, true);

export const clearSelection = (): void => select({});
