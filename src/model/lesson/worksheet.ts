/**
 * A lesson on paper: its questions and tasks in order, and what the runs say about them. Answers are computed only
 * when a sheet shows them.
 */
import type { Engine } from '../../engine/api';
import { countersByPart } from '../scenario/compiled';
import { metricValue } from '../scenario/experiment';
import type { Scenario } from '../scenario/scenario-types';
import { QuestionRuns } from './judge';
import type { Lesson, Question, Step, Task } from './lesson';
import { optionOrder } from './option-order';

/** A question or a task, with the step that it belongs to. */
export interface WorksheetItem {
  /** Number of the step, from 1. */
  readonly number: number;
  readonly step: Step;
  readonly question: Question | null;
  readonly task: Task | null;
}

export const worksheetItems = ({ steps }: Lesson): readonly WorksheetItem[] =>
  steps.flatMap((step, at) => {
    const { question, task } = step;
    const place = { number: at + 1, step };
    return [
      ...(task ? [{ ...place, question: null, task }] : []),
      ...(question ? [{ ...place, question, task: null }] : []),
    ];
  });

/** All copies of a worksheet have the options in the same order. */
export const printedOrder = (question: Question, scenario: string): readonly number[] =>
  optionOrder(question, scenario, { seed: 0, answer: null });

interface Measure {
  readonly title: string;
  readonly unit: string;
  readonly value: number;
}

export interface Solutions {
  /** Id of the right option by id of the question; null if the run confirms none. */
  readonly right: ReadonlyMap<string, string | null>;
  /** The scenario's measures in the unit that most of them have, at the end of its run. */
  readonly measures: readonly Measure[];
}

/** Most bars that a summary card has room for. */
const MAX_MEASURES = 6;

async function measuresOf(runs: QuestionRuns, scenario: Scenario): Promise<readonly Measure[]> {
  const run = await runs.of();
  if (!run.ok) return [];
  const { machine, counters } = run.value;
  const own = countersByPart(machine, counters);
  const all = [...scenario.metrics.values()].flatMap((metric) => {
    const value = metricValue(metric, machine.variables, own);
    return value === null || value < 0 ? [] : { title: metric.title, unit: metric.unit, value };
  });
  const sameUnit = (unit: string) => all.filter((one) => one.unit === unit);
  const units = [...new Set(all.map(({ unit }) => unit))];
  const [unit = ''] = units.sort((a, b) => sameUnit(b).length - sameUnit(a).length);
  const most = sameUnit(unit).slice(0, MAX_MEASURES);
  return most.length > 1 && most.some(({ value }) => value > 0) ? most : [];
}

/** Runs the scenario for its measures and its questions. */
export async function solve(
  engine: Engine,
  scenario: Scenario,
  lesson: Lesson,
): Promise<Solutions> {
  const runs = new QuestionRuns(engine, scenario);
  const right = new Map<string, string | null>();
  for (const { question } of lesson.steps)
    if (question) right.set(question.id, await runs.rightOption(question));
  return { right, measures: await measuresOf(runs, scenario) };
}
