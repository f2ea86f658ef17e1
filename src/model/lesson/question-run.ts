/** The run of a question: the scenario's initial run with the question's settings. No other run decides it. */

import type { CompiledMachine } from '../scenario/compiled';
import { variablesAt } from '../scenario/experiment';
import { type Problem, problem } from '../scenario/problems';
import { settingOf, split } from '../scenario/settings';
import { isOpenMachine, openRun, type RunOfScenario } from '../session/editing';
import { session } from '../session/session';
import type { Question } from './lesson';

/** Null if its settings cannot be read. */
function runOf({ set }: Pick<Question, 'set'>): RunOfScenario | null {
  if (set === null) return { edits: {}, variables: {} };
  const { data } = session.getState();
  const setting = settingOf(set);
  if (!data || !setting) return null;
  const { edits, variables } = split(setting);
  const all = variablesAt(data, variables);
  return all.ok ? { edits, variables: all.value } : null;
}

/** Cache: comparing machines is slow, and this is called with every event. */
const known = new WeakMap<CompiledMachine, Map<string | null, boolean>>();

/** Whether the open run is the one that a question is about. */
export function isQuestionRun(question: Pick<Question, 'set'>): boolean {
  const { machine, commands } = session.getState();
  if (!machine || commands.length > 0) return false;
  const found = known.get(machine) ?? new Map<string | null, boolean>();
  known.set(machine, found);
  const before = found.get(question.set);
  if (before !== undefined) return before;
  const run = runOf(question);
  const is = run !== null && isOpenMachine(run);
  found.set(question.set, is);
  return is;
}

/**
 * Opens the question's run unless it is open.
 * @returns why it cannot be opened, or null
 */
export function openQuestionRun(question: Question): Problem | null {
  if (isQuestionRun(question)) return null;
  const run = runOf(question);
  return run ? openRun(run) : problem(`"${question.set}" sets nothing in this scenario.`);
}
