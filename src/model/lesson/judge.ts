/** The option that a question's own run confirms, without the open session. */
import type { Engine } from '../../engine/api';
import type { Scenario } from '../scenario/scenario-types';
import { machineWith, settingOf } from '../scenario/settings';
import { lessonRun } from './check-run';
import { verdict } from './evidence';
import type { Question } from './lesson';

/** The id of the option; null if the run confirms none. */
export async function rightOption(
  engine: Engine,
  scenario: Scenario,
  question: Question,
): Promise<string | null> {
  const machine = machineWith(scenario, question.set ? [settingOf(question.set) ?? {}] : []);
  if (!machine.ok) return null;
  const { counters } = await lessonRun(engine, machine.value, []);
  return question.options[verdict(question, machine.value, counters)]?.id ?? null;
}
