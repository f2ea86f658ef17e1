/** Places of the forks' names over the time bar. */
import { widthOf } from '../text-width';

/** Least length of a branch, and its height over the axis in the lowest row. */
export const [WIDTH, RISE] = [34, 12];
/** Height of a row of names, and the size of their letters. */
export const ROW = 15;
const LETTERS = 11;

interface Rows {
  readonly rows: number;
  /** What a name has around it and to the next. */
  readonly around: number;
}

export const DESK_ROWS: Rows = { rows: 2, around: 14 };
/** A finger needs larger names. */
export const THUMB_ROW: Rows = { rows: 1, around: 26 };

interface Place {
  readonly row: number;
  /** Length of the branch to its name. */
  readonly length: number;
}

/**
 * Places in the order of the forks' times. No name covers another: a branch rises to a free row, or runs on to where
 * the highest is free.
 */
export function branchPlaces(
  forks: readonly { readonly x: number; readonly name: string }[],
  { rows, around }: Rows,
): Place[] {
  const ends = new Array<number>(rows).fill(Number.NEGATIVE_INFINITY);
  return forks.map(({ x, name }) => {
    const free = ends.findIndex((end) => end <= x + WIDTH);
    const row = free < 0 ? rows - 1 : free;
    const length = free < 0 ? (ends[row] ?? x) - x : WIDTH;
    ends[row] = x + length + widthOf(name, LETTERS) + around;
    return { row, length };
  });
}
