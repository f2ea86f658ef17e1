/**
 * The section `expect`: the published figures and what they are compared with. One entry can expand to many rows
 * ("figures": "gt.pio_write.{size}"), or compare a crossing, a ratio of two runs, or a statistic. A row also has a
 * role, a tolerance with the date of its choice, and a reason if it is structural or misses.
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
import { isPlain } from './load-requirements';
import type {
  Assignment,
  Axis,
  Expectation,
  Labels,
  Quantity,
  Role,
  ToleranceSet,
  Unexplained,
  Value,
  Where,
} from './scenario-types';
import type { ExpectFile, ScenarioFile } from './schema';

function readFigure(context: ExperimentContext, id: string, where: Where): Figure | undefined {
  const found = figure(id);
  if (!found) context.report(where.problem(noFigure(id)));
  return found;
}

const LISTED = ['calibrated', 'structural', 'context'] as const;
const KINDS = ['figures', 'group', 'ratio', 'difference', 'crossing', 'at'] as const;
const ALLOWED: Readonly<Record<(typeof KINDS)[number], readonly (keyof ExpectFile)[]>> = {
  figures: ['figures', 'at', 'metric', 'values', ...LISTED, 'seeds'],
  group: ['group', 'statistic', 'over'],
  ratio: ['figure', 'ratio', 'metric', 'seeds'],
  difference: ['figure', 'difference', 'metric', 'per', 'seeds'],
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

/** Reports keys that cannot be combined in one row. */
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
    context.report(where.problem('This row does not name the "metric" that is compared.'));
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
          .problem(`${quote(value)} is not a value of the axis ${quote(axis.name)}.`),
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

function pairOf(
  context: ExperimentContext,
  key: 'ratio' | 'difference',
  [of, to]: NonNullable<ExpectFile['ratio']>,
  where: Where,
): { of: Assignment; to: Assignment } {
  checkAssignment(context, of, where.at(key, 0));
  checkAssignment(context, to, where.at(key, 1));
  return { of, to };
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
  if (file.ratio) return { kind: 'ratio', ...pairOf(context, 'ratio', file.ratio, where), metric };
  if (file.difference) {
    const per = file.per ?? null;
    if (per !== null) checkMetric(context, per, where.at('per'));
    checkUnit(context, published, metric, where.at('figure'));
    const pair = pairOf(context, 'difference', file.difference, where);
    return { kind: 'difference', ...pair, metric, per };
  }
  checkAssignment(context, file.at ?? {}, where.at('at'));
  checkUnit(context, published, metric, where.at('figure'));
  return { kind: 'value', at: file.at ?? {}, metric };
}

function readGroup(context: ExperimentContext, file: ExpectFile, where: Where): Expectation {
  const group = file.group ?? '';
  if (file.statistic === undefined)
    context.report(
      where.problem('A group needs a "statistic": "mean-abs-error" or "worst-abs-error".'),
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

/** Published figures from which constants of this machine were chosen or derived. */
function chosenFrom(context: LoadContext): ReadonlySet<string> {
  const settings = context.machine.parts.flatMap(({ type, params }) =>
    type.params.map((spec) => params.get(spec.name) ?? spec),
  );
  return new Set(settings.flatMap(({ figures }) => figures ?? []));
}

/** Makes a row calibrated if any constant was chosen or derived from its figure, whatever its role in the file. */
function counted(row: Expectation, chosen: ReadonlySet<string>): Expectation {
  if (row.figure === null || row.role === 'context' || !chosen.has(row.figure)) return row;
  return { ...row, role: 'calibrated', because: '' };
}

export function readExpect(
  context: ExperimentContext,
  file: ScenarioFile['expect'],
  where: Where,
): Expectation[] {
  const rows = (file ?? []).flatMap((row, i) =>
    isPlain(row) ? [] : readOne(context, row, where.at(i)),
  );
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

const SUMMARY = 'A summary of rows that are counted themselves.';

/** The role of a row. Only a row without a published figure needs none. */
function roleOf(context: ExperimentContext, file: ExpectFile, where: Where): Role {
  const published = file.figure ?? file.figures ?? file.group;
  const role = file.role ?? (published === undefined ? 'context' : undefined);
  if (role === undefined && file.figure !== undefined)
    context.report(
      where.problem(
        'This row needs a "role": calibrated, held-out, outside, structural or context.',
      ),
    );
  if (published === undefined && role !== 'context')
    context.report(where.problem('A row without a published figure has the role "context".'));
  if (published === undefined && file.title === undefined)
    context.report(where.problem('A row without a published figure needs a "title".'));
  return role ?? (file.group === undefined ? 'held-out' : 'structural');
}

/** Half the range given by the source, in percent of its middle. */
const halfRange = ({ value, range: [from = value, to = value] = [] }: Figure): number =>
  (Math.max(to - value, value - from) / value) * 100;

type Tolerance = Pick<Labels, 'tolerance' | 'toleranceSet'>;

function toleranceOf(
  context: ExperimentContext,
  file: ExpectFile,
  published: Figure | undefined,
  where: Where,
): Tolerance {
  const { tolerance, toleranceSet } = file;
  const chosen = typeof tolerance === 'number' && tolerance > 0;
  if (toleranceSet !== undefined && !chosen)
    context.report(
      where.at('toleranceSet').problem('"toleranceSet" applies only to a tolerance in percent.'),
    );
  if (tolerance === undefined) {
    context.report(where.problem('This row needs a "tolerance" in percent.'));
    return { tolerance: 0, toleranceSet: 'unsaid' };
  }
  if (chosen) return { tolerance, toleranceSet: toleranceSet ?? 'unsaid' };
  if (tolerance !== 'published') return { tolerance: 0, toleranceSet: 'exact' };
  if (published?.side) return { tolerance: null, toleranceSet: 'published' };
  if (published && !published.range)
    context.report(
      where.at('tolerance').problem(`The source of ${quote(published.id)} gives no range.`),
    );
  return { tolerance: published ? halfRange(published) : 0, toleranceSet: 'published' };
}

/** The labels of one row; its role may come from its column. */
function labelsOf(
  context: ExperimentContext,
  file: ExpectFile,
  published: Figure | undefined,
  where: Where,
  own: Pick<Labels, 'role' | 'because' | 'missed'>,
): Labels {
  const none = { tolerance: null, toleranceSet: 'unsaid' as ToleranceSet };
  const tolerance = own.role === 'context' ? none : toleranceOf(context, file, published, where);
  return { ...own, ...tolerance, seeds: file.seeds ?? 1 };
}

/** The labels that a row defines itself. */
function rowLabels(
  context: ExperimentContext,
  file: ExpectFile,
  published: Figure | undefined,
  where: Where,
): Labels {
  const role = roleOf(context, file, where);
  const because = file.because ?? (file.group !== undefined ? SUMMARY : '');
  if (role === 'structural' && because === '')
    context.report(where.problem('A structural row needs "because": what it restates.'));
  if (role !== 'structural' && file.because !== undefined)
    context.report(where.at('because').problem('Only a structural row can have "because".'));
  if (file.missed !== undefined && typeof file.missed !== 'string')
    context.report(
      where.at('missed').problem('In a single row, "missed" must be a string with the reason.'),
    );
  const missed = typeof file.missed === 'string' ? file.missed : '';
  if (role === 'context' && missed !== '')
    context.report(
      where.at('missed').problem('A context row has no tolerance, so it cannot have "missed".'),
    );
  return labelsOf(context, file, published, where, {
    role,
    because: role === 'structural' ? because : '',
    missed,
  });
}

/** The labels that a column defines for the row of one value. */
type ColumnLabels = (value: Value) => Pick<Labels, 'role' | 'because' | 'missed'>;

/** Keys with lists of axis values that give rows a role. */
const LISTS = ['calibrated', 'structural', 'context'] as const;

function columnLabels(
  context: ExperimentContext,
  file: ExpectFile,
  where: Where,
  known: (value: Value) => boolean,
): ColumnLabels {
  const listed = (key: (typeof LISTS)[number] | 'missed') => {
    const found = file[key];
    if (found === undefined) return { values: [], because: '' };
    if (typeof found === 'string') {
      context.report(
        where
          .at(key)
          .problem(`In a column, ${key} needs the rows and the reason: "values" and "because".`),
      );
      return { values: [], because: found };
    }
    const plain = 'because' in found ? found : { values: found, because: '' };
    plain.values.forEach((value, i) => {
      const at = 'because' in found ? where.at(key, 'values', i) : where.at(key, i);
      if (!known(value)) context.report(at.problem(`${quote(value)} is not a row of this column.`));
    });
    return plain;
  };
  const lists = LISTS.map((role) => ({ role, ...listed(role) }));
  const missed = listed('missed');
  const usual = roleOf(context, file, where);
  if (usual === 'structural' && file.because === undefined)
    context.report(where.problem('A structural row needs "because": what it restates.'));
  for (const value of new Set(lists.flatMap(({ values }) => values)))
    if (lists.filter(({ values }) => values.includes(value)).length > 1)
      context.report(where.problem(`${quote(value)} is listed with two roles in this column.`));
  return (value) => {
    const own = lists.find(({ values }) => values.includes(value));
    const role = own?.role ?? usual;
    return {
      role,
      because: own ? own.because : role === 'structural' ? (file.because ?? '') : '',
      missed: missed.values.includes(value) ? missed.because : '',
    };
  };
}
