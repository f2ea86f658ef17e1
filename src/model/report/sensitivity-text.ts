/** Sensitivities as JSON for the report, and as text for the terminal. */
import type { GroupSensitivity, Move, ScenarioSensitivity } from './sensitivity';

export const sensitivityJson = (found: readonly ScenarioSensitivity[]): string =>
  `${JSON.stringify(found, null, 1)}\n`;

export const reach = ({ less, more }: Move): number => Math.max(less, more);

const percent = (value: number): string => `${Number(value.toPrecision(2))} %`;

/** "moved by 13 of 45 constants, most by GT driver: bookkeeping, write (7.4 %)" */
function moveText({ moves, still }: GroupSensitivity): string {
  const all = moves.length + still;
  const [most] = moves;
  if (!most) return `not moved by any of ${all} constants`;
  return `moved by ${moves.length} of ${all} constants, most by ${most.title} (${percent(reach(most))})`;
}

const groupText = (group: GroupSensitivity): string => {
  const { title, figures, error, formula } = group;
  const rows = figures.length === 1 ? '1 row' : `${figures.length} rows`;
  const plain = formula === null ? '' : `, a plain formula ${percent(formula)}`;
  return `  ${title} (${rows}): error ${percent(error)}${plain}; ${moveText(group)}`;
};

export const sensitivityText = (found: readonly ScenarioSensitivity[]): string =>
  found
    .flatMap(({ scenario, groups }) => [
      scenario,
      ...groups.flatMap((group) => [
        groupText(group),
        ...group.moves.map(
          ({ title, name, less, more }) =>
            `    ${title} (${name}): ${percent(less)} with a fifth less, ${percent(more)} with a fifth more`,
        ),
      ]),
      '',
    ])
    .join('\n');
