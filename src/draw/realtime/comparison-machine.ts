/** The processors of the comparison run, at the foot of their boxes in the drawing of both runs. */

import type { MachineLayout } from '../machine/types';
import { rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import { cpuLane, type NamedRun } from './task-lanes';

const SIZE = 10.5;
const EDGE = 8;

export function comparisonShapes(
  { parts }: Pick<MachineLayout, 'parts'>,
  run: NamedRun,
  timePs: number,
): Shape[] {
  return run.log.roles.cpus.flatMap(({ part }): Shape[] => {
    const box = parts.find(({ index }) => index === part)?.box;
    if (!box) return [];
    const lane = cpuLane(run, part, { from: timePs, to: timePs + 1 });
    const now = lane.spans.find(({ from, to }) => from <= timePs && to > timePs);
    const label = [now?.title ?? 'idle', now?.label ?? 'idle']
      .map((what) => `${run.letter} ${what}`)
      .find((text) => widthOf(text, SIZE) < box.width - 2 * EDGE);
    if (!label) return [];
    const [x, y] = [box.x + box.width - EDGE, box.y + box.height - 10];
    const wide = widthOf(label, SIZE);
    return [rect(x - wide - 5, y - 11, wide + 9, 15, 'raisedf'), words(x, y, label, 't10 acc end')];
  });
}
