/** "What moves the crossing": the crossing after each of the scenario's changes, found by running. */

import type { CompiledMachine } from '../scenario/compiled';
import { editsOf } from '../scenario/experiment';
import type { Edits, WhatIf } from '../scenario/scenario-types';
import { type CrossingFound, crossingIn, nextRuns, type Yardstick } from './crossing';
import type { LabCrossing, LabPlan } from './plan';
import { EMPTY, keyOf, type RunSet, runAt } from './runs';
import type { WhatIfState } from './state';
import type { LabSweeper } from './sweep';

export interface WhatIfQuestion {
  readonly plan: LabPlan;
  readonly crossing: LabCrossing;
  readonly edits: Edits;
  readonly machine: CompiledMachine;
  readonly change: WhatIf;
  readonly by: Yardstick;
}

/** Larger sizes are run only if no smaller one answers the question. */
const SMALL = 16 * 1024;

async function crossingWith(
  sweeper: LabSweeper,
  question: WhatIfQuestion,
  edits: Edits,
  goOn: () => boolean,
): Promise<CrossingFound | null> {
  const { plan, crossing, by } = question;
  const own = plan.points.filter(({ series }) =>
    [crossing.more.index, crossing.than.index].includes(series),
  );
  let set: RunSet = { ...EMPTY, key: keyOf(edits) };
  for (const part of [own.filter(({ size }) => size <= SMALL), own]) {
    if (crossingIn(plan, set, crossing, by).grid !== null) continue;
    const points = part.filter(({ series, size }) => !runAt(set, series, size));
    const tried = await sweeper.trial({ plan, edits, points }, set);
    if (!tried || !goOn()) return null;
    set = tried;
  }
  for (;;) {
    const points = nextRuns(plan, set, crossing, by);
    if (points.length === 0) return crossingIn(plan, set, crossing, by);
    const tried = await sweeper.trial({ plan, edits, points }, set);
    if (!tried || !goOn()) return null;
    set = tried;
  }
}

/** The answer, or null if a newer request came. */
export async function tryWhatIf(
  sweeper: LabSweeper,
  question: WhatIfQuestion,
  goOn: () => boolean,
): Promise<WhatIfState | null> {
  const { change, machine } = question;
  const edits = editsOf(machine, question.edits, change);
  if (!edits.ok)
    return { title: change.title, found: null, refused: edits.problems[0]?.message ?? '' };
  const found = await crossingWith(sweeper, question, edits.value, goOn);
  return found && { title: change.title, found, refused: null };
}
