/** Where on its axis a run lies, in words: a size in bytes, or a value of whatever else the scenario varies. */
import {
  bytes,
  headOf,
  integer,
  NO_BREAK_SPACE,
  significant,
  text,
  unitAfter,
} from '../../base/format';
import { isSizes } from '../../model/lab/plan';
import type { Axis } from '../../model/scenario/scenario-types';

export type Along = Pick<Axis, 'title' | 'unit'>;

/**
 * A size of the table in bytes as the measurement prints it, with powers of two only when it is long; any
 * other value with its unit, or named where it has none: "4 stores", "burst 8".
 */
export function sizeText(along: Along, size: number): string {
  if (isSizes(along))
    return size < 10_000 ? `${integer(size)}${NO_BREAK_SPACE}B` : text(bytes(Math.round(size)));
  const value = significant(size, 3);
  return along.unit
    ? text({ value, unit: unitAfter(value, along.unit) })
    : `${along.title}${NO_BREAK_SPACE}${value}`;
}

/** "of 512 B", "at 4 stores": what a run is one of. */
export const placeText = (along: Along, size: number): string =>
  `${isSizes(along) ? 'of' : 'at'} ${sizeText(along, size)}`;

/** What the axis is called: bytes are written at its ticks, any other unit here. */
export const alongText = ({ title, unit }: Along): string =>
  isSizes({ unit }) ? title : headOf(title, unit);
