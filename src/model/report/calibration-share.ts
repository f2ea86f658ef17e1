/**
 * The rule of a third: constants may be chosen from at most a third of a published column; the rest tests them. A
 * scenario that exceeds this must give a reason in "beyondThird", which a check shows; otherwise its check fails.
 */

import { quote } from '../../base/suggest';
import { columnOf, figureIds } from '../published/published';
import type { Scenario } from '../scenario/scenario-types';

/** Violations of the rule, and exceptions that are not needed. */
export function calibrationShareViolations({ expect, beyondThird }: Scenario): string[] {
  const calibrated = expect.flatMap(({ figure, role }) =>
    figure !== null && role === 'calibrated' ? [columnOf(figure)] : [],
  );
  const known = [...figureIds()].map(columnOf);
  const share = (column: string) => ({
    used: calibrated.filter((other) => other === column).length,
    all: known.filter((other) => other === column).length,
  });
  const exceeds = (column: string) => share(column).used * 3 > share(column).all;
  const exceptions = beyondThird.flatMap(({ columns }) => columns);
  const unstated = [...new Set(calibrated)].filter(
    (column) => exceeds(column) && !exceptions.includes(column),
  );
  return [
    ...unstated.map((column) => {
      const { used, all } = share(column);
      return `${used} of the ${all} published rows of ${quote(column)} chose constants; a scenario that exceeds a third needs a reason in "beyondThird".`;
    }),
    ...exceptions
      .filter((column) => !exceeds(column))
      .map(
        (column) =>
          `At most a third of ${quote(column)} chose constants, so it needs no exception.`,
      ),
  ];
}
