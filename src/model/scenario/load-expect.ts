/**
 * The section `expect`: which published figure is compared with what. One entry may stand for many rows
 * ("figures": "gt.pio_write.{size}"), for a crossing, for a ratio of two runs, or for a statistic.
 */

import { quote } from '../../base/suggest';
import { type Figure, figure, figureIds, matches, noFigure } from '../published/published';
import {
  checkAssignment,
  checkMetric,
  type ExperimentContext,
  type LoadContext,
} from './load-context';
import { readCrossing } from './load-experiment';
import { columnLabels, labelsOf, rowLabels } from './load-labels';
import type { Axis, Expectation, Quantity, Unexplained, Where } from './scenario-types';
import type { ExpectFile, ScenarioFile } from './schema';

function readFigure(context: ExperimentContext, id: string, where: Where): Figure | undefined {
  const found = figure(id);
  if (!found) context.report(where.problem(noFigure(id)));
  return found;
}

const LISTED = ['calibrated', 'structural', 'context'] as const;
const KINDS = ['figures', 'group', 'ratio', 'crossing', 'at'] as const;
const ALLOWED: Readonly<Record<(typeof KINDS)[number], readonly (keyof ExpectFile)[]>> = {
  figures: ['figures', 'at', 'metric', 'values', ...LISTED, 'seeds'],
  group: ['group', 'statistic', 'over'],
  ratio: ['figure', 'ratio', 'metric', 'seeds'],
  crossing: ['figure', 'crossing', 'report'],
  at: ['figure', 'at', 'metric', 'seeds'],
};
const COMMON: readonly string[] = [
  'title',
  'tolerance',
  'toleranceSet',
  'role',
  'because',
  'missed',
];

/** Keys that do not belong together in one row. */
function checkKeys(
  context: ExperimentContext,
  file: ExpectFile,
  kind: (typeof KINDS)[number],
  where: Where,
): void {
  for (const key of Object.keys(file)) {
    if (COMMON.includes(key) || (ALLOWED[kind] as readonly string[]).includes(key)) continue;
    context.report(
      where.at(key).problem(`${quote(key)} does not go with ${quote(kind)} in one row.`, true),
    );
  }
}

function metricOf(context: ExperimentContext, file: ExpectFile, where: Where): string {
  if (file.metric === undefined) {
    context.report(where.problem('This row does not say which "metric" is compared.'));
    return '';
  }
  checkMetric(context, file.metric, where.at('metric'));
  return file.metric;
}

function checkUnit(
  context: ExperimentContext,
  published: Figure | undefined,
  metric: string,
  where: Where,
): void {
  const unit = context.metrics.get(metric)?.unit;
  if (!published || unit === undefined || unit === published.unit) return;
  context.report(
    where.problem(
      `${quote(published.id)} is in ${published.unit}, but the metric ${quote(metric)} is in ${unit || 'no unit'}.`,
    ),
  );
}

const axisIn = (context: ExperimentContext, pattern: string): Axis | undefined => {
  const [, name] = /\{(\w+)\}/.exec(pattern) ?? [];
  return context.axes.find((axis) => axis.name === name);
};

function readColumn(context: ExperimentContext, file: ExpectFile, where: Where): Expectation[] {
  const pattern = file.figures ?? '';
  const axis = axisIn(context, pattern);
  const metric = metricOf(context, file, where);
  if (!axis) {
    context.report(
      where.at('figures').problem('The pattern names no axis in braces, such as {size}.'),
    );
    return [];
  }
  checkAssignment(context, file.at ?? {}, where.at('at'));
  file.values?.forEach((value, i) => {
    if (!axis.values.includes(value))
      context.report(
        where
          .at('values', i)
          .problem(`${quote(value)} is no value of the axis ${quote(axis.name)}.`),
      );
  });
  const chosen = file.values ?? axis.values;
  const labels = columnLabels(context, file, where, (value) => chosen.includes(value));
  return chosen.map((value): Expectation => {
    const id = pattern.replace(`{${axis.name}}`, String(value));
    const published = readFigure(context, id, where.at('figures'));
    checkUnit(context, published, metric, where.at('figures'));
    return {
      ...labelsOf(context, file, published, where, labels(value)),
      title: published?.title ?? id,
      figure: id,
      quantity: { kind: 'value', at: { ...file.at, [axis.name]: value }, metric },
      where,
    };
  });
}

function readQuantity(
  context: ExperimentContext,
  file: ExpectFile,
  published: Figure | undefined,
  where: Where,
): Quantity {
  if (file.crossing) {
    const crossing = readCrossing(context, file.crossing, where.at('crossing'));
    return { kind: 'crossing', crossing, report: file.report ?? 'grid' };
  }
  const metric = metricOf(context, file, where);
  if (file.ratio) {
    const [of, to] = file.ratio;
    checkAssignment(context, of, where.at('ratio', 0));
    checkAssignment(context, to, where.at('ratio', 1));
    return { kind: 'ratio', of, to, metric };
  }
  checkAssignment(context, file.at ?? {}, where.at('at'));
  checkUnit(context, published, metric, where.at('figure'));
  return { kind: 'value', at: file.at ?? {}, metric };
}

function readGroup(context: ExperimentContext, file: ExpectFile, where: Where): Expectation {
  const group = file.group ?? '';
  if (file.statistic === undefined)
    context.report(
      where.problem('A group says its "statistic": "mean-abs-error" or "worst-abs-error".'),
    );
  if (![...figureIds()].some((id) => matches(group, id)))
    context.report(where.at('group').problem(`No published figure is named ${quote(group)}.`));
  const statistic = file.statistic ?? 'mean-abs-error';
  const word = statistic === 'mean-abs-error' ? 'mean error' : 'worst error';
  return {
    ...rowLabels(context, file, undefined, where),
    title: file.title ?? `${group}, ${word}${file.over === 'held-out' ? ', held out' : ''}`,
    figure: null,
    quantity: { kind: 'statistic', group, statistic, over: file.over ?? 'all' },
    where,
  };
}

function readOne(context: ExperimentContext, file: ExpectFile, where: Where): Expectation[] {
  const kind = KINDS.find((key) => file[key] !== undefined) ?? 'at';
  checkKeys(context, file, kind, where);
  if (kind === 'figures') return readColumn(context, file, where);
  if (kind === 'group') return [readGroup(context, file, where)];
  const published =
    file.figure === undefined ? undefined : readFigure(context, file.figure, where.at('figure'));
  return [
    {
      ...rowLabels(context, file, published, where),
      title: file.title ?? published?.title ?? '',
      figure: file.figure ?? null,
      quantity: readQuantity(context, file, published, where),
      where,
    },
  ];
}

/** Published figures that constants of this machine were chosen or derived from. */
function chosenFrom(context: LoadContext): ReadonlySet<string> {
  const settings = context.machine.parts.flatMap(({ type, params }) =>
    type.params.map((spec) => params.get(spec.name) ?? spec),
  );
  return new Set(settings.flatMap(({ figures }) => figures ?? []));
}

/** A figure that a constant was chosen or derived from counts as calibrated, whatever its row says. */
function counted(row: Expectation, chosen: ReadonlySet<string>): Expectation {
  if (row.figure === null || row.role === 'context' || !chosen.has(row.figure)) return row;
  return { ...row, role: 'calibrated', because: '' };
}

export function readExpect(
  context: ExperimentContext,
  file: ScenarioFile['expect'],
  where: Where,
): Expectation[] {
  const rows = (file ?? []).flatMap((row, i) => readOne(context, row, where.at(i)));
  const seen = new Set<string>();
  for (const { figure: id, where: at } of rows) {
    if (id === null) continue;
    if (seen.has(id)) context.report(at.problem(`The figure ${quote(id)} is compared twice.`));
    seen.add(id);
  }
  const chosen = chosenFrom(context);
  return rows.map((row) => counted(row, chosen));
}

export function readUnexplained(
  context: ExperimentContext,
  file: ScenarioFile['unexplained'],
  where: Where,
): Unexplained[] {
  return (file ?? []).map(({ text, figures }, i) => {
    figures?.forEach((id, j) => {
      if (id.endsWith('*') && [...figureIds()].some((known) => matches(id, known))) return;
      readFigure(context, id, where.at(i, 'figures', j));
    });
    return { text, figures: figures ?? [] };
  });
}
