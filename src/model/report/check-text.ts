/** Check reports as JSON, JUnit XML, CSV and plain text. */

import { digest } from '../../base/digest';
import { plainNumber } from '../../base/format';
import { figure } from '../published/published';
import { type CheckTotals, isJudged, type Tally, totalsOf } from './check-totals';
import type { CheckReport, CheckRow } from './check-types';
import { csvLine } from './export';

const judged = (report: CheckReport) => report.rows.filter(isJudged);
const shown = (report: CheckReport) => report.rows.filter((row) => !isJudged(row));

const COLUMNS = [
  'figure',
  'scenario',
  'published',
  'simulated',
  'unit',
  'error_percent',
  'tolerance_percent',
  'tolerance_set',
  'role',
  'verdict',
  'because',
  'missed',
  'seeds',
  'lowest',
  'highest',
  'kind',
  'title',
  'detail',
] as const;

const pick = (row: CheckRow) => Object.fromEntries(COLUMNS.map((name) => [name, row[name]]));

/** Digest of all values of the reports, eight digits: equal digests mean equal results on any machine. */
export const digestOf = (reports: readonly CheckReport[]): string => digest(checkJson(reports));

/** Judged rows and their number; context rows are separate. */
export function checkJson(reports: readonly CheckReport[]): string {
  const result = {
    rows: reports.flatMap(judged).map(pick),
    context: reports.flatMap(shown).map(pick),
    unexplained: reports.flatMap(({ scenario, unexplained }) =>
      unexplained.map((note) => ({ scenario, ...note })),
    ),
    problems: reports.flatMap(({ scenario, problems }) =>
      problems.map(({ message }) => ({ scenario, message })),
    ),
    breaches: reports.flatMap(({ scenario, breaches }) =>
      breaches.map((message) => ({ scenario, message })),
    ),
    beyond_third: reports.flatMap(({ scenario, beyondThird }) =>
      beyondThird.map((exception) => ({ scenario, ...exception })),
    ),
    ...totalsOf(reports),
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

/** Escapes text for XML; characters that XML does not allow are removed. */
export const xml = (text: string): string =>
  [...text]
    .filter((letter) => letter >= ' ' || '\t\n'.includes(letter))
    .map((letter) => ENTITIES[letter] ?? letter)
    .join('');

const number = (value: number | null, digits = 4): string =>
  value === null ? 'none' : plainNumber(value, digits);

const SET: Readonly<Record<CheckRow['tolerance_set'], string>> = {
  before: ' set before',
  after: ' set after',
  published: ' as published',
  exact: '',
  unsaid: '',
};

/** "5 % set after", "0 %"; empty if the row is not judged. */
export const toleranceText = (row: CheckRow): string =>
  row.tolerance_percent === null
    ? ''
    : `${number(row.tolerance_percent)} %${SET[row.tolerance_set]}`;

/** "20 to 30" or "below 1" if the source gives no single value; otherwise null. */
export function rangeText({ figure: id }: CheckRow): string | null {
  const { range, side, value } = figure(id) ?? {};
  if (side) return `${side} ${value}`;
  return range ? `${range[0]} to ${range[1]}` : null;
}

/** "published 61.45, simulated 61.44 MB/s, error -0.02 %, tolerance 1 %" */
export function rowText(row: CheckRow): string {
  const values =
    row.kind === 'statistic'
      ? `${number(row.simulated)} %`
      : `published ${rangeText(row) ?? number(row.published, 9)}, simulated ${number(row.simulated)} ${row.unit}`.trim();
  const error = row.error_percent === null ? '' : `, error ${row.error_percent.toFixed(2)} %`;
  const tolerance = toleranceText(row);
  const seeds =
    row.seeds === 1
      ? ''
      : ` (mean of ${row.seeds} seeds, ${number(row.lowest)} to ${number(row.highest)})`;
  const detail = row.detail && row.kind !== 'value' ? ` (${row.detail.replace(/\.$/, '')})` : '';
  const because = row.missed || row.because;
  return (
    values +
    (row.kind === 'statistic' ? '' : error) +
    (tolerance === '' ? '' : `, tolerance ${tolerance}`) +
    seeds +
    detail +
    (because === '' ? '' : `: ${because}`)
  );
}

function junitSuite(report: CheckReport): string {
  const rows = judged(report);
  const count = (verdict: CheckRow['verdict']) =>
    rows.filter((row) => row.verdict === verdict).length;
  const cases = rows.map((row) => {
    const name = xml(`${row.figure || row.title} (${row.role})`);
    const head = `  <testcase classname="${xml(report.scenario)}" name="${name}"`;
    if (row.verdict === 'passed') return `${head}/>`;
    const element = row.verdict === 'missed' ? 'skipped' : 'failure';
    return `${head}>\n   <${element} message="${xml(rowText(row))}"/>\n  </testcase>`;
  });
  const errors = report.problems.map(
    ({ message }) =>
      `  <testcase classname="${xml(report.scenario)}" name="runs">\n   <error message="${xml(message)}"/>\n  </testcase>`,
  );
  const breaches = report.breaches.map(
    (message) =>
      `  <testcase classname="${xml(report.scenario)}" name="labels">\n   <failure message="${xml(message)}"/>\n  </testcase>`,
  );
  const all = [...cases, ...breaches, ...errors];
  return [
    ` <testsuite name="${xml(report.scenario)}" tests="${all.length}" failures="${count('failed') + breaches.length}" errors="${errors.length}" skipped="${count('missed')}">`,
    ...all,
    ' </testsuite>',
  ].join('\n');
}

export function checkJunit(reports: readonly CheckReport[]): string {
  const suites = reports.map(junitSuite).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="busyard check">\n${suites}\n</testsuites>\n`;
}

const MARKS: Readonly<Record<CheckRow['verdict'], string>> = {
  passed: '     ok',
  missed: ' missed',
  failed: ' FAILED',
  shown: '  shown',
};

/** "44 of 53 inside, 9 missed" */
function tallyText({ rows, passed, missed, failed }: Tally): string {
  const more = [missed > 0 ? `${missed} missed` : '', failed > 0 ? `${failed} failed` : ''];
  return [`${passed} of ${rows} inside`, ...more.filter((text) => text !== '')].join(', ');
}

/** What means most comes first: data from elsewhere, and predictions that were to be judged before they were known. */
function firstLine({ roles, before }: CheckTotals): string[] {
  const texts = [
    roles.outside.rows > 0 ? `outside data: ${tallyText(roles.outside)}` : '',
    before.rows > 0 ? `predicted with a tolerance set before the run: ${tallyText(before)}` : '',
  ].filter((text) => text !== '');
  return texts.length > 0 ? [texts.join('; ')] : [];
}

/** Predictions first; calibrated and structural rows are not predictions. */
export function totalsText(totals: CheckTotals): string[] {
  const { roles, phenomena, tolerances, passed, missed, failed } = totals;
  const { before, after, published, exact, unsaid } = tolerances;
  return [
    ...firstLine(totals),
    `predicted phenomena: ${tallyText(phenomena)}`,
    `held out: ${tallyText(roles['held-out'])}`,
    `calibrated: ${tallyText(roles.calibrated)}`,
    `structural: ${tallyText(roles.structural)}`,
    `shown for context: ${roles.context.rows}`,
    `tolerances: ${after} set after the result was known, ${before} before, ${published} ranges of the source, ${exact} exact${unsaid > 0 ? `, ${unsaid} unsaid` : ''}`,
    `${passed} passed, ${missed} missed, ${failed} failed`,
  ];
}

/** A table for the terminal, between the scores that mean most and all totals. */
export function checkPlain(reports: readonly CheckReport[]): string {
  const totals = totalsOf(reports);
  const lines = firstLine(totals).flatMap((line) => [line, '']);
  for (const report of reports) {
    lines.push(`${report.title} (${report.scenario})`);
    for (const { message } of report.problems) lines.push(`  could not be run: ${message}`);
    for (const row of report.rows)
      lines.push(`${MARKS[row.verdict]}  ${row.role.padEnd(10)}  ${row.title}: ${rowText(row)}`);
    for (const { columns, because } of report.beyondThird)
      lines.push(`  beyond a third calibrated: ${columns.join(', ')}: ${because}`);
    for (const sentence of report.breaches) lines.push(` FAILED  labels: ${sentence}`);
    for (const { text } of report.unexplained) lines.push(`  not explained: ${text}`);
    lines.push('');
  }
  lines.push(...totalsText(totals));
  return `${lines.join('\n')}\n`;
}
