/** Whether a drawing shows the selected or hovered line, on either side of the adapter. */
import { RUNWAY_LINE } from '../../engine/gen/constants';
import type { Look } from './types';

const sameLine = (a: number | null, b: number | null): boolean =>
  a !== null && b !== null && Math.floor(a / RUNWAY_LINE) === Math.floor(b / RUNWAY_LINE);

/** @param address in memory, or null; @param io the I/O address, or null */
export const isBeingRead = (
  { selected, pointed }: Pick<Look, 'selected' | 'pointed'>,
  address: number | null,
  io: number | null,
): boolean =>
  [pointed, selected].some((at) => sameLine(at.address, address) || sameLine(at.io, io));
