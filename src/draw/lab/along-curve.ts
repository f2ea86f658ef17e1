/**
 * Words for a run's position on the axis: a size in bytes, or a value of another variable of the scenario.
 */
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
 * A size in bytes as the source prints it, with binary units only when it is long; any other value with its
 * unit or name: "4 stores", "burst 8".
 */
export function sizeText(along: Along, size: number): string {
  if (isSizes(along))
    return size < 10_000 ? `${integer(size)}${NO_BREAK_SPACE}B` : text(bytes(Math.round(size)));
  const value = significant(size, 3);
  return along.unit
    ? text({ value, unit: unitAfter(value, along.unit) })
    : `${along.title}${NO_BREAK_SPACE}${value}`;
}

/** "of 512 B", "at 4 stores": the position of a run on the axis. */
export const placeText = (along: Along, size: number): string =>
  `${isSizes(along) ? 'of' : 'at'} ${sizeText(along, size)}`;

/** Title of the axis: the unit of bytes is at the ticks, any other unit is here. */
export const alongText = ({ title, unit }: Along): string =>
  isSizes({ unit }) ? title : headOf(title, unit);
