/** Checks links that set something, and tasks: the run decides whether a task can be done. */

import type { Engine } from '../../engine/api';
import type { Assignment } from '../scenario/scenario-types';
import { machineWith, settingOf } from '../scenario/settings';
import type { Checked } from './check-context';
import { conditionProblem } from './check-questions';
import { lessonRun } from './check-run';
import { isConfirmed } from './evidence';
import type { Inline, Piece } from './lesson';

/** The settings of links, in order. */
export const settingsIn = (inlines: readonly Inline[]): Assignment[] =>
  inlines.flatMap((inline) => {
    const found = inline.kind === 'link' && inline.to.kind === 'set' && settingOf(inline.to.value);
    return found ? [found] : [];
  });

/** A task must not be done initially, and must be done after the settings of its step. */
export async function checkTask(
  engine: Engine,
  { task, line }: Piece,
  settings: readonly Assignment[],
  { scenario, machine, run, tell }: Checked,
): Promise<void> {
  if (!task) return;
  if (task.when.length === 0)
    return tell(line, 'A task ends with what the run shows then, such as {adapter.faults > 0}.');
  const wrong = task.when.flatMap((at) => conditionProblem(at, machine) ?? []);
  for (const sentence of wrong) tell(line, sentence);
  if (task.because.length === 0)
    tell(line, 'A task ends with a line "= " that is shown once it is done.');
  if (wrong.length > 0) return;
  if (isConfirmed(task, machine, run.counters))
    tell(line, 'The task is done before anything is set: the run as it opens shows it already.');
  if (settings.length === 0)
    return tell(line, 'Nothing in the step sets anything: a task is done by links "set:".');
  const changed = machineWith(scenario, settings);
  if (!changed.ok) return;
  const { counters } = await lessonRun(engine, changed.value, []);
  if (!isConfirmed(task, changed.value, counters))
    tell(line, 'With what the step sets, the run does not show what the task asks for.');
}
