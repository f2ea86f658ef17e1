/**
 * The row of one lock during the wait of a CPU: its holders, with gaps during handovers.
 *
 *     0 µs                                 41.7 µs
 *     ██ 3 █  █ 7 ████  █ 3 █  ████ 8 ████
 */
import { text, time } from '../../base/format';
import type { LockWaitStory, Turn } from '../../model/pools/lock-waits';
import { linearAxis } from '../axis';
import { rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

const TOP = 13;
const BAR = 12;
export const TURNS_HEIGHT = TOP + BAR + 3;

export function turnShapes({ from, to, turns }: LockWaitStory, width: number): Shape[] {
  const axis = linearAxis(from, Math.max(to, from + 1), 0, width);
  const shapes: Shape[] = [
    rect(0, TOP, width, BAR, 'inset'),
    words(0, 9, 'the lock', 't10 i3'),
    words(width, 9, text(time(to - from, 3)), 't10 i3 end'),
  ];
  for (const turn of turns) {
    const left = axis.at(turn.from);
    const wide = Math.max(0.8, axis.at(turn.to) - left - 0.6);
    shapes.push(rect(left, TOP, wide, BAR, 'inkf'));
    const name = String(turn.cpu);
    if (widthOf(name, 10.5) + 3 < wide)
      shapes.push(words(left + wide / 2, TOP + 9.6, name, 't10 on mid'));
  }
  return shapes;
}

/** How long each processor held the lock, longest first: the row in words. */
export function turnsText(turns: readonly Turn[]): string {
  const held = new Map<number, number>();
  for (const { cpu, from, to } of turns) held.set(cpu, (held.get(cpu) ?? 0) + to - from);
  const most = [...held].toSorted((a, b) => b[1] - a[1]);
  return most.map(([cpu, ps]) => `CPU ${cpu} ${text(time(ps, 3))}`).join(', ');
}
