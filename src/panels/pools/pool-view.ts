import { createStore, watch } from '../../base/store';
import { type Colouring, type TimeRange, WHOLE } from '../../draw/pools/strips';
import { session } from '../../model/session/session';

/** What the pool panels show. It is not part of the session and never undone. */
export const poolView = createStore<{
  /** Range of every pool on the bitmap. */
  readonly stretch: TimeRange;
  /** First entry under the lens, a multiple of 64; null: it follows the search. */
  readonly first: number | null;
  /** Entries under the lens. */
  readonly under: number;
  /** Entries in a row of the lens. */
  readonly across: number;
  /** Entry under the pointer or the keyboard cursor. */
  readonly marked: number | null;
  /** Index of the comparison run in the table of runs; null: the one that differs most. */
  readonly comparison: number | null;
  readonly colouring: Colouring;
  /** The pointer reserves entries instead of moving the range. */
  readonly reserving: boolean;
  /** Stretches to be reserved when the pointer is released; null while none is painted. */
  readonly painted: bigint | null;
}>({
  stretch: WHOLE,
  first: null,
  under: 0,
  across: 64,
  marked: null,
  comparison: null,
  colouring: 'age',
  reserving: false,
  painted: null,
});

/** Entries of one scenario's map have no meaning in another. */
watch(
  session,
  ({ opened }) => opened,
  () =>
    poolView.setState({
      stretch: WHOLE,
      first: null,
      marked: null,
      comparison: null,
      painted: null,
    }),
);

/** Centres the lens on an entry. */
export const centreLens = (entry: number): void =>
  poolView.setState({ first: Math.max(0, Math.floor(entry / 64) - 3) * 64 });
