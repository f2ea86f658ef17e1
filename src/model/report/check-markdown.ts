/** The report as Markdown: predictions first, then every judged row by system. */

import { plainNumber } from '../../base/format';
import { figure, paperOf } from '../published/published';
import type { Role } from '../scenario/scenario-types';
import { digestOf, rangeText, toleranceText, totalsText } from './check-text';
import { isJudged, totalsOf } from './check-totals';
import type { CheckReport, CheckRow } from './check-types';

const SECTIONS: readonly (readonly [Role, string])[] = [
  ['held-out', 'Predicted: held out'],
  ['outside', 'Predicted: outside data'],
  ['calibrated', 'Calibrated'],
  ['structural', 'Structural'],
];

/** Escapes text so that it cannot end a table cell or start a link. */
const cell = (text: string): string => text.replace(/[|[\]<>]/g, (letter) => `\\${letter}`);

const short = (value: number | null): string => (value === null ? 'none' : plainNumber(value, 4));

function publishedText(row: CheckRow): string {
  const { kind, published } = row;
  const only = kind === 'statistic' || published === null ? '' : String(published);
  return rangeText(row) ?? only;
}

function valueText(row: CheckRow): string {
  const spread =
    row.seeds === 1 ? '' : ` (${row.seeds} seeds, ${short(row.lowest)} to ${short(row.highest)})`;
  return `${short(row.simulated)} ${row.unit}${spread}`;
}

function rowLine(row: CheckRow): string {
  const cells = [
    row.figure ? `\`${row.figure}\`` : '',
    row.title,
    publishedText(row),
    valueText(row),
    row.error_percent === null ? '' : `${row.error_percent.toFixed(2)} %`,
    toleranceText(row),
    row.verdict === 'passed' ? '' : row.verdict,
    row.missed || row.because || figure(row.figure)?.source || '',
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

function systemText(system: string, reports: readonly CheckReport[]): string[] {
  const rows = reports.flatMap((report) => report.rows).filter(isJudged);
  const sections = SECTIONS.flatMap(([role, title]) => {
    const mine = rows.filter((row) => row.role === role);
    if (mine.length === 0) return [];
    return [
      `### ${title}`,
      '',
      '| id | figure | published | simulated | error | tolerance | | source, or why |',
      '|---|---|---|---|---|---|---|---|',
      ...mine.map(rowLine),
      '',
    ];
  });
  const pastDecision = reports.flatMap(({ beyondThird }) => beyondThird);
  const exceptions = pastDecision.map(
    ({ columns, because }) =>
      `- ${columns.map((column) => `\`${column}\``).join(', ')}: ${because}`,
  );
  const third = ['More than a third of these columns chose constants:', '', ...exceptions, ''];
  return [
    `## ${paperOf(system) || system}`,
    '',
    ...sections,
    ...(exceptions.length > 0 ? third : []),
  ];
}

export function checkMarkdown(reports: readonly CheckReport[]): string {
  const systems = [...new Set(reports.map((report) => report.system))];
  const judged = systems.filter((system) =>
    reports.some((report) => report.system === system && report.rows.some(isJudged)),
  );
  return `${[
    '# Published and simulated',
    '',
    'Every figure that runs are compared with, as `busyard check --markdown` writes it.',
    '',
    ...totalsText(totalsOf(reports)).map((line) => `- ${line}`),
    `- digest of all values: ${digestOf(reports)}`,
    '',
    ...judged.flatMap((system) =>
      systemText(
        system,
        reports.filter((report) => report.system === system),
      ),
    ),
  ]
    .join('\n')
    .trimEnd()}\n`;
}
