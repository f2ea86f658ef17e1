/** Runs of an experiment that would answer a question of the visible step or of a later one. */
import { agrees, type Point, variablesAt } from '../scenario/experiment';
import type { Assignment, Metric } from '../scenario/scenario-types';
import { settingOf, split } from '../scenario/settings';
import type { SessionState } from '../session/session';
import { type AnswerMask, answerMaskOver } from './answer-mask';
import { openLesson } from './open-lesson';

export interface AskedRun {
  /** Index of the step that asks. */
  readonly step: number;
  readonly mask: AnswerMask;
  readonly variables: Assignment;
}

/**
 * @param steps the steps with unanswered questions
 * @param previewed a parameter whose range is shown beside its value
 */
export function askedRuns(
  { data, machine, edits }: SessionState,
  steps: readonly number[],
  previewed: string | null = null,
): readonly AskedRun[] {
  if (!data || !machine) return [];
  const asked: AskedRun[] = [];
  for (const step of steps) {
    const question = openLesson.getState()?.steps[step]?.question;
    const setting = question && split(settingOf(question.set ?? '') ?? {});
    const variables = setting && variablesAt(data, setting.variables);
    if (!question || !setting || !variables?.ok) continue;
    // Runs of the open machine say nothing about a question on other constants, unless those are tried.
    const constants = Object.keys(setting.edits);
    const isTried = constants.some((path) => path in edits || path === previewed);
    if (constants.length === 0 || isTried)
      asked.push({ step, mask: answerMaskOver(question, machine), variables: variables.value });
  }
  return asked;
}

/** Whether a metric of one of an experiment's runs is asked about. */
export const isAskedAt = (asked: readonly AskedRun[], metric: Metric, { at }: Point): boolean =>
  asked.some(({ mask, variables }) => mask.masksMetric(metric) && agrees(variables, at));

/** The curves with such runs. Each is sealed whole: its other points tell where the asked one lies. */
export function sealedCurves(
  { data }: SessionState,
  asked: readonly AskedRun[],
): readonly { readonly series: number; readonly step: number }[] {
  const { experiment } = data ?? {};
  if (!data || !experiment) return [];
  const metrics = experiment.metrics.flatMap((name) => data.metrics.get(name) ?? []);
  const found: { series: number; step: number }[] = [];
  for (const { step, mask, variables } of asked) {
    const series = experiment.series.findIndex(({ at }) => agrees(variables, at));
    const isNew = series >= 0 && !found.some((one) => one.series === series);
    if (isNew && metrics.some(mask.masksMetric)) found.push({ series, step });
  }
  return found;
}
