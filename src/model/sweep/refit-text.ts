/** What a fit of the constants found, in words and tables. */
import { plainNumber, signed } from '../../base/format';
import { type Refit, type RefitRow, refitError } from './refit';

const cells = (rows: readonly (readonly string[])[], indent = '  '): string[] => {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    `${indent}${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd(),
  );
};

const rate = (value: number | null): string => (value === null ? '' : plainNumber(value, 4));

const off = (found: number | null, measured: number): string =>
  found === null ? '' : `${signed((found / measured - 1) * 100, 2)} %`;

/** "3.21 % before, 0.47 % after" */
export function refitErrorText(rows: readonly RefitRow[], use: RefitRow['use']): string {
  const [before, after] = [refitError(rows, use, 'before'), refitError(rows, use, 'after')];
  return before === null || after === null
    ? 'none'
    : `${before.toFixed(2)} % before, ${after.toFixed(2)} % after`;
}

/** "PIO write: 4, 16, 64 B" for each column. */
export function usedSizes(rows: readonly RefitRow[], use: RefitRow['use']): string[] {
  const columns = [...new Set(rows.map(({ column }) => column))];
  return columns.flatMap((column) => {
    const sizes = rows.filter((row) => row.column === column && row.use === use);
    return sizes.length > 0 ? [`${column}: ${sizes.map(({ size }) => size).join(', ')} B`] : [];
  });
}

const changeText = (change: number): string =>
  change === 0 ? 'unmoved' : `${signed(change * 100, 1)} %`;

export function refitText({ rows, constants, kept, steps, runs }: Refit): string {
  const counted = (use: RefitRow['use']) => rows.filter((row) => row.use === use).length;
  const left = rows.filter(({ use }) => use === 'left out');
  const lines = [
    `Fitted to ${counted('fitted')} rows in ${steps} ${steps === 1 ? 'step' : 'steps'} of least squares and ${runs} runs.`,
    `Mean error of the rows that were fitted: ${refitErrorText(rows, 'fitted')}.`,
    `Mean error of the ${counted('held out')} rows that were held out: ${refitErrorText(rows, 'held out')}.`,
    'Constants that only add up in these rows cannot be told apart; their sum is what is fitted.',
    '',
    'Constants:',
    ...cells(
      constants.map(({ path, before, after, change, columns }) => [
        path,
        before,
        after,
        changeText(change),
        columns.join(', '),
      ]),
    ),
    ...(kept.length > 0
      ? ['', 'Kept, because they act in steps:', ...cells(kept.map((one) => [one.path, one.value]))]
      : []),
    '',
    'Rows (MB/s):',
    ...cells([
      ['column', 'size', 'use', 'measured', 'before', 'error', 'after', 'error'],
      ...rows.map(({ column, size, use, measured, before, after }) => [
        column,
        `${size} B`,
        use,
        rate(measured),
        rate(before),
        off(before, measured),
        rate(after),
        off(after, measured),
      ]),
    ]),
    ...(left.length > 0
      ? [
          '',
          'Left out:',
          ...left.map(({ column, size, because }) => `  ${column}, ${size} B: ${because}`),
        ]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}
