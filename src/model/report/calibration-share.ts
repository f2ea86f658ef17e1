/**
 * The rule of a third. At most a third of a published column, whatever its size, may have chosen constants: the
 * rest tests them. A scenario that uses more says why, in "beyondThird", and a check shows it; one that does not
 * say so fails its check.
 */

import { quote } from '../../base/suggest';
import { columnOf, figureIds } from '../published/published';
import type { Scenario } from '../scenario/scenario-types';

/** Sentences about columns that break the rule, and about exceptions that nothing needs. */
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
  const said = beyondThird.flatMap(({ columns }) => columns);
  const unsaid = [...new Set(calibrated)].filter(
    (column) => exceeds(column) && !said.includes(column),
  );
  return [
    ...unsaid.map((column) => {
      const { used, all } = share(column);
      return `${used} of the ${all} published rows of ${quote(column)} chose constants; beyond a third the scenario says why in "beyondThird".`;
    }),
    ...said
      .filter((column) => !exceeds(column))
      .map((column) => `No more than a third of ${quote(column)} chose constants.`),
  ];
}
