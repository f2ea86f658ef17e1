/** Reports of checks as JSON, JUnit XML, CSV and plain text. */
import type { CheckReport, CheckRow } from './check';
import { totalsOf } from './check';
import { csvLine } from './export';

const judged = (report: CheckReport) => report.rows.filter((row) => row.role !== 'context');
const shown = (report: CheckReport) => report.rows.filter((row) => row.role === 'context');

const COLUMNS = [
  'figure',
  'scenario',
  'published',
  'simulated',
  'unit',
  'error_percent',
  'tolerance_percent',
  'role',
  'pass',
  'kind',
  'title',
  'detail',
] as const;

const pick = (row: CheckRow) => Object.fromEntries(COLUMNS.map((name) => [name, row[name]]));

/** Rows that can pass or fail, then their number; rows that only show a value stand apart. */
export function checkJson(reports: readonly CheckReport[]): string {
  const { passed, failed } = totalsOf(reports);
  const result = {
    rows: reports.flatMap(judged).map(pick),
    context: reports.flatMap(shown).map(pick),
    unexplained: reports.flatMap(({ scenario, unexplained }) =>
      unexplained.map((note) => ({ scenario, ...note })),
    ),
    problems: reports.flatMap(({ scenario, problems }) =>
      problems.map(({ message }) => ({ scenario, message })),
    ),
    passed,
    failed,
  };
  return `${JSON.stringify(result, null, 1)}\n`;
}

export const checkCsv = (reports: readonly CheckReport[]): string =>
  csvLine([...COLUMNS]) +
  reports
    .flatMap((report) => report.rows)
    .map((row) => csvLine(COLUMNS.map((name) => row[name])))
    .join('');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Letters that XML cannot hold are left out. */
const xml = (text: string): string =>
  [...text]
    .filter((letter) => letter >= ' ' || '\t\n'.includes(letter))
    .map((letter) => ENTITIES[letter] ?? letter)
    .join('');

const number = (value: number | null, digits = 4): string =>
  value === null ? 'none' : String(Number(value.toPrecision(digits)));

/** "published 61.45, simulated 61.44 MB/s, error -0.02 %, tolerance 1 %" */
export function rowText(row: CheckRow): string {
  const values =
    row.kind === 'statistic'
      ? `${number(row.simulated)} %`
      : `published ${number(row.published, 9)}, simulated ${number(row.simulated)} ${row.unit}`.trim();
  const error = row.error_percent === null ? '' : `, error ${row.error_percent.toFixed(2)} %`;
  const tolerance = row.tolerance_percent === null ? '' : `, tolerance ${row.tolerance_percent} %`;
  const detail = row.detail && row.kind !== 'value' ? ` (${row.detail.replace(/\.$/, '')})` : '';
  return values + (row.kind === 'statistic' ? '' : error) + tolerance + detail;
}

function junitSuite(report: CheckReport): string {
  const rows = judged(report);
  const failures = rows.filter((row) => !row.pass).length;
  const cases = rows.map((row) => {
    const name = xml(`${row.figure || row.title} (${row.role})`);
    const head = `  <testcase classname="${xml(report.scenario)}" name="${name}"`;
    if (row.pass) return `${head}/>`;
    return `${head}>\n   <failure message="${xml(rowText(row))}"/>\n  </testcase>`;
  });
  const errors = report.problems.map(
    ({ message }) =>
      `  <testcase classname="${xml(report.scenario)}" name="runs">\n   <error message="${xml(message)}"/>\n  </testcase>`,
  );
  const all = [...cases, ...errors];
  return [
    ` <testsuite name="${xml(report.scenario)}" tests="${all.length}" failures="${failures}" errors="${errors.length}">`,
    ...all,
    ' </testsuite>',
  ].join('\n');
}

export function checkJunit(reports: readonly CheckReport[]): string {
  const suites = reports.map(junitSuite).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="busyard check">\n${suites}\n</testsuites>\n`;
}

/** A table for the terminal. */
export function checkPlain(reports: readonly CheckReport[]): string {
  const lines: string[] = [];
  for (const report of reports) {
    lines.push(`${report.title} (${report.scenario})`);
    for (const { message } of report.problems) lines.push(`  could not be run: ${message}`);
    for (const row of report.rows) {
      const mark = row.role === 'context' ? '  shown' : row.pass ? '     ok' : ' FAILED';
      lines.push(`${mark}  ${row.role.padEnd(10)}  ${row.title}: ${rowText(row)}`);
    }
    for (const { text } of report.unexplained) lines.push(`  not explained: ${text}`);
    lines.push('');
  }
  const { passed, failed, calibrated, heldOut, context } = totalsOf(reports);
  lines.push(
    `${passed} passed, ${failed} failed; ${heldOut} held out, ${calibrated} calibrated, ${context} shown for context`,
  );
  return `${lines.join('\n')}\n`;
}
