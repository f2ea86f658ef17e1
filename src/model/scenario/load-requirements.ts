/**
 * Plain rows of `expect`: a value, or bounds, for a metric, a counter or a time between two events of one run. They
 * compare with nothing published; `busyard test` checks them.
 */
import { checkAssignment, type ExperimentContext } from './load-context';
import { type Measure, readMeasure } from './measure';
import type { Requirement, Where } from './scenario-types';
import type { ExpectFile } from './schema';
import { toInteger } from './values';

const BOUNDS = ['value', 'min', 'max'] as const;
const KEYS: readonly string[] = [...BOUNDS, 'title', 'metric', 'at', 'tolerance'];

/** Whether a row states its own value instead of a published figure. */
export const isPlain = (file: ExpectFile): boolean => BOUNDS.some((key) => file[key] !== undefined);

/** Quantities in which counters count, by their unit. */
const QUANTITIES: Readonly<Record<string, string>> = { ps: 'time', B: 'bytes' };

function boundOf(
  context: ExperimentContext,
  written: string | number | undefined,
  measure: Measure | null,
  where: Where,
): number | null {
  if (typeof written !== 'string' || !measure) return typeof written === 'number' ? written : null;
  const quantity = QUANTITIES[measure.unit];
  const value = quantity
    ? toInteger(written, quantity, {})
    : `A value of "${measure.name}" is a plain number${measure.unit ? `, in ${measure.unit}` : ''}.`;
  if (typeof value === 'bigint') return Number(value);
  context.report(where.problem(value));
  return null;
}

export function readRequirement(
  context: ExperimentContext,
  file: ExpectFile,
  where: Where,
): Requirement {
  const report = (at: Where, sentence: string, onKey = false) =>
    context.report(at.problem(sentence, onKey));
  for (const key of Object.keys(file))
    if (!KEYS.includes(key))
      report(where.at(key), `"${key}" does not go with a value of the row's own.`, true);
  const found =
    file.metric === undefined
      ? 'This row does not name the "metric" that is compared.'
      : readMeasure(context, context.machine.parts, file.metric);
  const measure = typeof found === 'string' ? null : found;
  if (typeof found === 'string')
    report(file.metric === undefined ? where : where.at('metric'), found);
  checkAssignment(context, file.at ?? {}, where.at('at'));
  if (file.value !== undefined && (file.min !== undefined || file.max !== undefined))
    report(where, 'A row has a "value", or bounds "min" and "max".');
  if (file.tolerance !== undefined && (file.value === undefined || file.tolerance === 'published'))
    report(where.at('tolerance'), 'A tolerance is in per cent of a "value" of the row.');
  const [value, min, max] = BOUNDS.map((key) =>
    boundOf(context, file[key], measure, where.at(key)),
  ) as [number | null, number | null, number | null];
  if (min !== null && max !== null && min > max) report(where.at('max'), 'It is less than "min".');
  const slack = Math.abs(value ?? 0) * ((Number(file.tolerance) || 0) / 100);
  return {
    title: file.title ?? measure?.title ?? '',
    metric: file.metric ?? '',
    at: file.at ?? {},
    value,
    min: value === null ? min : value - slack,
    max: value === null ? max : value + slack,
    where,
  };
}
