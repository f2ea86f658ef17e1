/** The selection, shared by all panels. It is not part of the session and cannot be undone. */
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

/** What the pointer or the focus is on; highlighted in all panels. */
export const pointed = createStore<Selection>(NOTHING);

/** Selects a part, a row or an event; everything not named is deselected. */
export const select = (what: Partial<Selection>): void =>
  selection.setState({ ...NOTHING, ...what }, true);

export const point = (what: Partial<Selection>): void =>
  pointed.setState({ ...NOTHING, ...what }, true);

/** Indexes of the parts that the present step of the lesson is about. */
export const markedParts = createStore<{ readonly parts: readonly number[] }>({ parts: [] });

export const markParts = (parts: readonly number[]): void => markedParts.setState({ parts });

export const clearSelection = (): void => select({});
