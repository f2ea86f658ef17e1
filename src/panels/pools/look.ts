import { createStore } from '../../base/store';
import { type Stretch, WHOLE } from '../../draw/pool-strips';

/** Where the reader looks. It is no part of the session and never undone. */
export const look = createStore<{
  /** Stretch of every pool on the bitmap. */
  readonly stretch: Stretch;
  /** First entry under the lens, a multiple of 64; null: it follows the search. */
  readonly first: number | null;
  /** Entry that the pointer or a key is at. */
  readonly marked: number | null;
}>({ stretch: WHOLE, first: null, marked: null });

/** Puts the lens around an entry. */
export const lookAt = (entry: number): void =>
  look.setState({ first: Math.max(0, Math.floor(entry / 64) - 3) * 64 });
