/**
 * The section `expect`: which published figure is compared with what. One entry may stand for many rows
 * ("figures": "gt.pio_write.{size}"), for a crossing, for a ratio of two runs, or for a statistic.
 */
import { checkAssignment, checkMetric, type ExperimentContext } from './loadContext';
import { readCrossing } from './loadExperiment';
import { columnOf, type Figure, figure, figureIds, matches } from './published';
import type { Axis, Expectation, Quantity, Role, Unexplained, Value, Where } from './scenarioTypes';
import type { ExpectFile, ScenarioFile } from './schema';
import { hint, quote } from './suggest';

function readFigure(context: ExperimentContext, id: string, where: Where): Figure | undefined {
  const found = figure(id);
  if (!found)
    context.report(
      where.problem(`There is no published figure ${quote(id)}${hint(id, figureIds())}`),
    );
  return found;
}

/** A row without a figure only shows a value; any other needs a tolerance and a role. */
function readRole(
  context: ExperimentContext,
  file: ExpectFile,
  where: Where,
): { role: Role; tolerance: number | null } {
  const published = file.figure ?? file.figures ?? file.group;
  const role = file.role ?? (published === undefined ? 'context' : undefined);
  if (role === undefined && file.figure !== undefined)
    context.report(
      where.problem('This row does not say its "role": calibrated, held-out or context.'),
    );
  if (published === undefined && role !== 'context')
    context.report(where.problem('A row without a published figure has the role "context".'));
  if (published === undefined && file.title === undefined)
    context.report(where.problem('A row without a published figure needs a "title".'));
  if (role !== 'context' && file.tolerance === undefined)
    context.report(where.problem('This row does not say its "tolerance" in per cent.'));
  // A statistic over all rows has seen those that chose the constants.
  const usual = file.group !== undefined && file.over !== 'held-out' ? 'calibrated' : 'held-out';
  return {
    role: role ?? usual,
    tolerance: role === 'context' ? null : (file.tolerance ?? 0),
  };
}

const KINDS = ['figures', 'group', 'ratio', 'crossing', 'at'] as const;
const ALLOWED: Readonly<Record<(typeof KINDS)[number], readonly (keyof ExpectFile)[]>> = {
  figures: ['figures', 'at', 'metric', 'values', 'calibrated', 'context'],
  group: ['group', 'statistic', 'over'],
  ratio: ['figure', 'ratio', 'metric'],
  crossing: ['figure', 'crossing', 'report'],
  at: ['figure', 'at', 'metric'],
};
const COMMON: readonly string[] = ['title', 'tolerance', 'role'];

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
  const { role, tolerance } = readRole(context, file, where);
  if (!axis) {
    context.report(
      where.at('figures').problem('The pattern names no axis in braces, such as {size}.'),
    );
    return [];
  }
  checkAssignment(context, file.at ?? {}, where.at('at'));
  const member = (list: readonly Value[] | undefined, key: string) => {
    list?.forEach((value, i) => {
      if (!axis.values.includes(value))
        context.report(
          where.at(key, i).problem(`${quote(value)} is no value of the axis ${quote(axis.name)}.`),
        );
    });
    return list ?? [];
  };
  const chosen = file.values ? member(file.values, 'values') : axis.values;
  const calibrated = member(file.calibrated, 'calibrated');
  const shown = member(file.context, 'context');
  return chosen.map((value): Expectation => {
    const id = pattern.replace(`{${axis.name}}`, String(value));
    const published = readFigure(context, id, where.at('figures'));
    checkUnit(context, published, metric, where.at('figures'));
    const own = shown.includes(value)
      ? 'context'
      : calibrated.includes(value)
        ? 'calibrated'
        : role;
    return {
      title: published?.title ?? id,
      figure: id,
      quantity: { kind: 'value', at: { ...file.at, [axis.name]: value }, metric },
      tolerance: own === 'context' ? null : tolerance,
      role: own,
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
  const { role, tolerance } = readRole(context, file, where);
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
    title: file.title ?? `${group}, ${word}${file.over === 'held-out' ? ', held out' : ''}`,
    figure: null,
    quantity: { kind: 'statistic', group, statistic, over: file.over ?? 'all' },
    tolerance,
    role,
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
  const { role, tolerance } = readRole(context, file, where);
  return [
    {
      title: file.title ?? published?.title ?? '',
      figure: file.figure ?? null,
      quantity: readQuantity(context, file, published, where),
      tolerance,
      role,
      where,
    },
  ];
}

/** Columns of fewer rows cannot be split into calibrated and held-out thirds. */
const SMALLEST_COLUMN = 6;

/** At most a third of a published column may have been used to choose constants; the rest tests them. */
function checkShare(context: ExperimentContext, rows: readonly Expectation[], where: Where): void {
  const calibrated = new Map<string, number>();
  for (const { figure: id, role } of rows) {
    if (id === null || role !== 'calibrated') continue;
    const column = columnOf(id);
    calibrated.set(column, (calibrated.get(column) ?? 0) + 1);
  }
  for (const [column, used] of calibrated) {
    const all = [...figureIds()].filter((id) => columnOf(id) === column).length;
    if (all < SMALLEST_COLUMN || used * 3 <= all) continue;
    context.report(
      where.problem(
        `${used} of the ${all} published rows of ${quote(column)} are used to calibrate; at most a third may be.`,
        true,
      ),
    );
  }
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
  checkShare(context, rows, where);
  return rows;
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
