/** Runs of an experiment beside the open one: which can be compared with it, and their names. */
import type { RunRow, RunTable } from '../../model/lab/run-table';
import { agrees } from '../../model/scenario/experiment';
import type { Assignment, Axis } from '../../model/scenario/scenario-types';

const MOST_BARS = 8;

export const isCurrent = ({ point }: RunRow, variables: Assignment): boolean =>
  agrees(point.at, variables);

/** An axis that is on or off: it stays fixed while other axes are compared. */
const isSwitch = ({ values }: Axis): boolean => values.every((one) => typeof one === 'boolean');

/** Axes with at least three numeric values. */
export const numberAxes = ({ axes }: RunTable): readonly Axis[] =>
  axes.filter(({ values }) => values.length > 2 && values.every((one) => typeof one === 'number'));

/** "16 pools", "TSO off": a bare number or a switch takes the name of its axis, in the singular for 1. */
export function namedTitle(title: string, axis: Axis): string {
  if (isSwitch(axis)) return title.startsWith(axis.title) ? title : `${axis.title} ${title}`;
  if (!/^\d+$/.test(title)) return title;
  return `${title} ${title === '1' ? axis.title.replace(/(?<!s)s\b/, '') : axis.title}`;
}

/**
 * Name of a run among those it is compared with, without what they all share and without what it shares with
 * the open run. Only the open run has its full name.
 */
export function runTitle(row: RunRow, table: RunTable, variables: Assignment): string {
  const shared = sharedAxes(table);
  const named = table.axes.filter(
    (axis) =>
      !shared.includes(axis) && (differs(row, axis, variables) || isCurrent(row, variables)),
  );
  const { titles } = row;
  return named.map((axis) => namedTitle(titles[table.axes.indexOf(axis)] ?? '', axis)).join(', ');
}

const differs = ({ point }: RunRow, { name }: Axis, variables: Assignment): boolean =>
  point.at[name] !== variables[name];

/** The horizontal axis, and switches: they stay fixed while runs are compared. */
const sharedAxes = ({ scenario, axes }: RunTable): readonly Axis[] =>
  axes.filter((axis) => axis === scenario?.experiment?.x || isSwitch(axis));

/**
 * The runs that differ from the open one in one axis other than the load. The horizontal axis stays fixed.
 */
export function comparedRows(table: RunTable, variables: Assignment): readonly RunRow[] {
  const { scenario, rows } = table;
  const x = scenario?.experiment?.x;
  if (!x) return [];
  const fixed = [x, ...table.axes.filter(isSwitch)].map(({ name }) => [
    name,
    variables[name] ?? '',
  ]);
  const shared = sharedAxes(table);
  const others = table.axes.filter((axis) => !shared.includes(axis));
  const here = rows.filter(
    (row) =>
      agrees(row.point.at, Object.fromEntries(fixed)) &&
      others.filter((axis) => differs(row, axis, variables)).length < 2,
  );
  return here.slice(0, MOST_BARS);
}

/** The runs at the ends of each numeric axis, everything else as in the open run. */
const endRows = (table: RunTable, variables: Assignment): readonly RunRow[] =>
  numberAxes(table).flatMap((axis) => {
    const along = table.rows.filter((row) =>
      table.axes.every((one) => one === axis || !differs(row, one, variables)),
    );
    return [along[0], along.at(-1)].flatMap((row) => row ?? []);
  });

/** The runs along an axis of names: there are no values in between. */
function namedRows(table: RunTable, variables: Assignment): readonly RunRow[] {
  const x = table.scenario?.experiment?.x;
  if (!x?.values.every((value) => typeof value === 'string')) return [];
  return table.rows.filter((row) =>
    table.axes.every((one) => one === x || !differs(row, one, variables)),
  );
}

/** Runs to show beside the open one: those it is compared with, and the ends of the numeric axes. */
export function comparisonRows(table: RunTable, variables: Assignment): readonly RunRow[] {
  const all = [
    ...comparedRows(table, variables),
    ...endRows(table, variables),
    ...namedRows(table, variables).slice(0, MOST_BARS),
  ];
  return [...new Set(all)].filter((row) => !isCurrent(row, variables));
}

/** Name of a run beside the open one: everything in which it differs. */
export const comparisonTitle = (row: RunRow, { axes }: RunTable, variables: Assignment): string =>
  axes
    .flatMap((axis, i) =>
      differs(row, axis, variables) ? [namedTitle(row.titles[i] ?? '', axis)] : [],
    )
    .join(', ');
