/** The sections `experiment` and `view` of a scenario. */
import { NO_BREAK_SPACE } from '../../base/format';
import { hint, quote } from '../../base/suggest';
import { figure } from '../published/published';
import { MAX } from './limits';
import {
  checkAssignment,
  checkMetric,
  type ExperimentContext,
  type LoadContext,
} from './load-context';
import { findParam, findTrack } from './paths';
import type {
  Assignment,
  Axis,
  Crossing,
  CurveLine,
  CurveSet,
  Experiment,
  NamedCrossing,
  Series,
  Value,
  View,
  WhatIf,
  Where,
} from './scenario-types';
import type { ScenarioFile } from './schema';
import { toInteger } from './values';

type ExperimentFile = NonNullable<ScenarioFile['experiment']>;
type AxisFile = ExperimentFile['axes'][string];

/** Default title of a value: words, and quantities in display format. */
function titleOf(value: Value): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  const words = String(value).replaceAll('_', ' ');
  return words.replace(/^([\d.]+) u?(\w+)$/u, (all, number: string, unit: string) =>
    all.includes(' us')
      ? `${number}${NO_BREAK_SPACE}µ${unit}`
      : `${number}${NO_BREAK_SPACE}${unit}`,
  );
}

function readAxis(context: LoadContext, name: string, written: AxisFile, where: Where): Axis {
  const file = Array.isArray(written) ? { values: written } : written;
  const variable = context.variables.get(name);
  const report = (at: Where, sentence: string, onKey = false) =>
    context.report(at.problem(sentence, onKey));
  if (!variable)
    report(
      where,
      `There is no variable ${quote(name)} to run over${hint(name, context.variables.keys())}`,
      true,
    );
  const { values, titles, also } = file;
  const repeated = values.findIndex((value, i) => values.indexOf(value) !== i);
  if (repeated >= 0) report(where, `The axis has ${quote(values[repeated])} twice.`);
  if (titles && titles.length !== values.length)
    report(where.at('titles'), `There are ${titles.length} titles for ${values.length} values.`);
  for (const [other, list] of Object.entries(also ?? {})) {
    const at = where.at('also', other);
    if (!context.variables.has(other))
      report(
        at,
        `There is no variable ${quote(other)}${hint(other, context.variables.keys())}`,
        true,
      );
    if (list.length !== values.length)
      report(
        at,
        `There are ${list.length} values of ${quote(other)} for ${values.length} of the axis.`,
      );
  }
  return {
    name,
    title: file.title ?? variable?.title ?? titleOf(name),
    unit: file.unit ?? variable?.unit ?? '',
    values,
    titles: titles ?? values.map(titleOf),
    also: also ?? {},
  };
}

export function readAxes(
  context: LoadContext,
  file: ScenarioFile['experiment'],
  where: Where,
): Axis[] {
  const axes = Object.entries(file?.axes ?? {}).map(([name, axis]) =>
    readAxis(context, name, axis, where.at('axes', name)),
  );
  const points = axes.reduce((product, axis) => product * axis.values.length, 1);
  if (points > MAX.points)
    context.report(
      where.at('axes').problem(`The experiment has ${points} points; ${MAX.points} are allowed.`),
    );
  const set = new Set<string>();
  for (const axis of axes)
    for (const name of [axis.name, ...Object.keys(axis.also)]) {
      if (set.has(name))
        context.report(
          where.at('axes', axis.name).problem(`Two axes set the variable ${quote(name)}.`, true),
        );
      set.add(name);
    }
  return axes;
}

/** Reads a crossing, which needs an axis with increasing numbers. */
export function readCrossing(context: ExperimentContext, file: Crossing, where: Where): Crossing {
  const axis = context.axes.find((one) => one.name === file.axis);
  const rising = axis?.values.every(
    (value, i, all) => typeof value === 'number' && (i === 0 || value > Number(all[i - 1])),
  );
  if (!axis) {
    const known = context.axes.map((one) => one.name);
    context.report(
      where.at('axis').problem(`There is no axis ${quote(file.axis)}${hint(file.axis, known)}`),
    );
  } else if (!rising) {
    context.report(
      where.at('axis').problem(`The values of ${quote(file.axis)} are not increasing numbers.`),
    );
  }
  for (const side of ['more', 'than'] as const) {
    checkAssignment(context, file[side], where.at(side));
    if (Object.hasOwn(file[side], file.axis))
      context.report(
        where
          .at(side, file.axis)
          .problem('The crossing varies along this axis, so it cannot be fixed.', true),
      );
  }
  checkMetric(context, file.metric, where.at('metric'));
  return { axis: file.axis, more: file.more, than: file.than, metric: file.metric };
}

function checkParam(context: LoadContext, path: string, where: Where, onKey = false): string {
  const found = findParam(context.machine.parts, path);
  if (typeof found !== 'string') return found.item.title;
  context.report(where.problem(found, onKey));
  return path;
}

const PLACES = /\{(\w+)\}/g;

function readSeries(context: ExperimentContext, file: ExperimentFile, where: Where): Series[] {
  return (file.series ?? []).map((series, i) => {
    const at = where.at('series', i);
    checkAssignment(context, series.at, at.at('at'));
    for (const [, name = ''] of series.figures?.matchAll(PLACES) ?? [])
      if (!context.axes.some((axis) => axis.name === name))
        context.report(at.at('figures').problem(`{${name}} is not an axis of this experiment.`));
    return {
      title: series.title,
      at: series.at,
      mechanism: series.mechanism ?? '',
      direction: series.direction ?? null,
      figures: series.figures ?? null,
    };
  });
}

/** One line for each combination of the other axes, with one run for each value of `x`. */
function everyLine(axes: readonly Axis[], x: Axis): CurveLine[] {
  let lines: { title: string[]; at: Assignment }[] = [{ title: [], at: {} }];
  for (const axis of axes.filter((one) => one !== x))
    lines = lines.flatMap(({ title, at }) =>
      axis.values.map((value, i) => ({
        title: [...title, axis.titles[i] ?? String(value)],
        at: { ...at, [axis.name]: value },
      })),
    );
  return lines.map(({ title, at }) => ({
    title: title.join(', '),
    at: x.values.map((value) => ({ ...at, [x.name]: value })),
    figures: x.values.map(() => null),
  }));
}

/** The value of a variable at an axis value. */
const valueAt = (axis: Axis, name: string, value: Value): Value | undefined =>
  name === axis.name ? value : axis.also[name]?.[axis.values.indexOf(value)];

/** Reads curves over a variable, whose values must increase along each line. */
function readCurves(
  context: ExperimentContext,
  file: ExperimentFile,
  x: Axis,
  where: Where,
): CurveSet[] {
  return (file.curves ?? []).map(({ title, over, metric, lines }, i): CurveSet => {
    const at = where.at('curves', i);
    checkMetric(context, metric, at.at('metric'));
    if (!file.metrics.includes(metric) && context.metrics.has(metric))
      context.report(at.at('metric').problem(`The experiment does not measure ${quote(metric)}.`));
    if (lines && context.axes.length > 1)
      context.report(at.at('lines').problem('Lines can be chosen only if there is one axis.'));
    const chosen =
      lines?.map((line, j): CurveLine => {
        const runs = line.values.map((value) => ({ [x.name]: value }));
        runs.forEach((run, k) => {
          checkAssignment(context, run, at.at('lines', j, 'values', k));
        });
        const figures = line.values.map((value) => line.figures?.[String(value)] ?? null);
        for (const [value, id] of Object.entries(line.figures ?? {}))
          if (!figure(id) || !line.values.map(String).includes(value))
            context.report(
              at
                .at('lines', j, 'figures', value)
                .problem(`There is no published figure ${quote(id)} for a value of this line.`),
            );
        return { title: line.title, at: runs, figures };
      }) ?? everyLine(context.axes, x);
    const rising = chosen.every((line) => {
      const values = line.at.map((run) => valueAt(x, over, run[x.name] ?? ''));
      return values.every(
        (value, j) => typeof value === 'number' && (j === 0 || value > Number(values[j - 1])),
      );
    });
    if (!rising)
      context.report(
        at.at('over').problem(`The values of ${quote(over)} do not increase on each line.`),
      );
    return { title, over, metric, lines: chosen };
  });
}

export function readExperiment(
  context: ExperimentContext,
  file: ExperimentFile,
  where: Where,
): Experiment | null {
  const x = context.axes.find((axis) => axis.name === file.x) ?? context.axes[0];
  if (!x) {
    context.report(where.at('axes').problem('An experiment has at least one axis.'));
    return null;
  }
  if (file.x !== undefined && x.name !== file.x) {
    const known = context.axes.map((axis) => axis.name);
    context.report(
      where.at('x').problem(`There is no axis ${quote(file.x)}${hint(file.x, known)}`),
    );
  }
  file.metrics.forEach((name, i) => {
    checkMetric(context, name, where.at('metrics', i));
  });
  const crossings = (file.crossings ?? []).map((crossing, i): NamedCrossing => {
    const at = where.at('crossings', i);
    if (crossing.param !== undefined) checkParam(context, crossing.param, at.at('param'));
    const read = readCrossing(context, crossing, at);
    return { ...read, title: crossing.title, param: crossing.param ?? null };
  });
  const whatif = (file.whatif ?? []).map(({ title, set }, i): WhatIf => {
    for (const path of Object.keys(set))
      checkParam(context, path, where.at('whatif', i, 'set', path), true);
    return { title, set };
  });
  const series = readSeries(context, file, where);
  const curves = readCurves(context, file, x, where);
  return { axes: context.axes, x, metrics: file.metrics, series, crossings, whatif, curves };
}

function readFrom(context: LoadContext, from: Value | undefined, where: Where): number {
  const ps = toInteger(from ?? 0, 'time', {});
  if (typeof ps === 'bigint') return Number(ps);
  context.report(where.at('from').problem(ps));
  return 0;
}

export function readView(context: LoadContext, file: ScenarioFile['view'], where: Where): View {
  const parameters = (file.parameters ?? []).map(({ title, note, rows }, i) => ({
    title,
    note: note ?? '',
    rows: rows.map((row, j) => {
      const own = checkParam(context, row.param, where.at('parameters', i, 'rows', j, 'param'));
      return { param: row.param, title: row.title ?? own };
    }),
  }));
  (file.lanes ?? []).forEach((lane, i) => {
    const found = findTrack(context.machine.parts, lane);
    if (typeof found === 'string') context.report(where.at('lanes', i).problem(found));
  });
  const lanes = file.lanes ?? [];
  const fromPs = readFrom(context, file.from, where);
  return { kind: file.kind, parameters, lanes, panels: file.panels ?? null, fromPs };
}
