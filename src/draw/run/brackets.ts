/**
 * Brackets over the lanes, each with its measure:
 *
 *     |63.2 ns   |------- four loads: 1.393 µs -------|
 */
import type { Axis } from '../axis';
import { widthOf } from '../text-width';

interface BracketInput {
  readonly fromPs: number;
  readonly toPs: number;
  /** From the fullest to the shortest. */
  readonly texts: readonly string[];
}

export interface PlacedBracket {
  readonly from: number;
  readonly to: number;
  /** Row of the brackets, from 0 at the top. */
  readonly row: number;
  /** Left edge of the text, and its width; empty if there is no room. */
  readonly x: number;
  readonly width: number;
  readonly text: string;
}

/** Height of a row of brackets, at scale 1. */
export const BRACKET_ROW = 16;
export const BRACKET_FONT = 11.5;
const APART = 8;
const MOST_ROWS = 2;

/** A text inside its bracket, in a gap of the line; beside a narrow one. */
function textAt(
  input: BracketInput,
  [from, to]: readonly [number, number],
  axis: Axis,
  scale: number,
) {
  const wide = (text: string) => widthOf(text, BRACKET_FONT * scale);
  const shortest = input.texts.at(-1) ?? '';
  const inside = input.texts.find((text) => wide(text) + 4 * APART <= to - from);
  if (inside !== undefined)
    return { text: inside, x: (from + to - wide(inside)) / 2, width: wide(inside) };
  const width = wide(shortest);
  const right = axis.at(axis.high);
  const x = to + 4 + width <= right ? to + 4 : from - 4 - width;
  return { text: x < axis.at(axis.low) ? '' : shortest, x, width };
}

/** The brackets that the axis shows, in as few rows as they need. */
export function placedBrackets(
  inputs: readonly BracketInput[],
  axis: Axis,
  scale = 1,
): PlacedBracket[] {
  const ends: number[] = [];
  return inputs
    .filter(({ fromPs, toPs }) => toPs > axis.low && fromPs < axis.high)
    .toSorted((a, b) => a.fromPs - b.fromPs || b.toPs - a.toPs)
    .flatMap((input) => {
      const from = axis.at(Math.max(input.fromPs, axis.low));
      const to = Math.max(from + 1, axis.at(Math.min(input.toPs, axis.high)));
      const label = textAt(input, [from, to], axis, scale);
      const [left, right] = [Math.min(from, label.x), Math.max(to, label.x + label.width)];
      const free = ends.findIndex((end) => end + APART / 2 <= left);
      const row = free < 0 ? ends.length : free;
      if (row >= MOST_ROWS) return [];
      ends[row] = right;
      return { from, to, row, ...label };
    });
}
