/**
 * What a row of `expect` claims for itself: its role, its tolerance and when that was chosen, why it predicts
 * nothing or is known to miss.
 */

import { quote } from '../../base/suggest';
import type { Figure } from '../published/published';
import type { ExperimentContext } from './load-context';
import type { Labels, Role, ToleranceSet, Value, Where } from './scenario-types';
import type { ExpectFile } from './schema';

const SUMMARY = 'A summary of rows that are counted themselves.';

/** A row without a figure only shows a value; any other says what it was used for. */
function roleOf(context: ExperimentContext, file: ExpectFile, where: Where): Role {
  const published = file.figure ?? file.figures ?? file.group;
  const role = file.role ?? (published === undefined ? 'context' : undefined);
  if (role === undefined && file.figure !== undefined)
    context.report(
      where.problem(
        'This row does not say its "role": calibrated, held-out, outside, structural or context.',
      ),
    );
  if (published === undefined && role !== 'context')
    context.report(where.problem('A row without a published figure has the role "context".'));
  if (published === undefined && file.title === undefined)
    context.report(where.problem('A row without a published figure needs a "title".'));
  return role ?? (file.group === undefined ? 'held-out' : 'structural');
}

/** Half the range that a source gives, in per cent of its middle. */
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
      where
        .at('toleranceSet')
        .problem('"toleranceSet" says when a tolerance in per cent was chosen; this one was not.'),
    );
  if (tolerance === undefined) {
    context.report(where.problem('This row does not say its "tolerance" in per cent.'));
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

/** The labels of one row, whose role its column may have decided. */
export function labelsOf(
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

/** What a whole row says of itself. */
export function rowLabels(
  context: ExperimentContext,
  file: ExpectFile,
  published: Figure | undefined,
  where: Where,
): Labels {
  const role = roleOf(context, file, where);
  const because = file.because ?? (file.group !== undefined ? SUMMARY : '');
  if (role === 'structural' && because === '')
    context.report(where.problem('A structural row says with "because" what it restates.'));
  if (role !== 'structural' && file.because !== undefined)
    context.report(
      where
        .at('because')
        .problem('Only a structural row says "because"; others stand for a claim.'),
    );
  if (file.missed !== undefined && typeof file.missed !== 'string')
    context.report(where.at('missed').problem('What a single row misses is a reason, in a text.'));
  const missed = typeof file.missed === 'string' ? file.missed : '';
  if (role === 'context' && missed !== '')
    context.report(
      where.at('missed').problem('A row for context is not judged: it misses nothing.'),
    );
  return labelsOf(context, file, published, where, {
    role,
    because: role === 'structural' ? because : '',
    missed,
  });
}

/** What a column says of the row of one value. */
export type ColumnLabels = (value: Value) => Pick<Labels, 'role' | 'because' | 'missed'>;

/** Lists of values of a column's axis, each naming some rows for what they are. */
const LISTS = ['calibrated', 'structural', 'context'] as const;

export function columnLabels(
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
          .problem(`A column says which of its rows are ${key}: "values" and "because".`),
      );
      return { values: [], because: found };
    }
    const plain = 'because' in found ? found : { values: found, because: '' };
    plain.values.forEach((value, i) => {
      const at = 'because' in found ? where.at(key, 'values', i) : where.at(key, i);
      if (!known(value)) context.report(at.problem(`${quote(value)} is no row of this column.`));
    });
    return plain;
  };
  const lists = LISTS.map((role) => ({ role, ...listed(role) }));
  const missed = listed('missed');
  const usual = roleOf(context, file, where);
  if (usual === 'structural' && file.because === undefined)
    context.report(where.problem('A structural row says with "because" what it restates.'));
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
