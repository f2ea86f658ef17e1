import { describe, expect, test } from 'vitest';
import { calibrationShareViolations } from '../report/calibration-share';
import { loaded } from './scenario.fixture';

const row = (size: number, rest: object = {}) => ({
  figure: `gt.pio_write.${size}`,
  at: { size, method: 'pio_write' },
  metric: 'throughput',
  tolerance: 1,
  role: 'held-out',
  ...rest,
});

const column = (rest: object = {}) => ({
  figures: 'gt.pio_write.{size}',
  at: { method: 'pio_write' },
  metric: 'throughput',
  tolerance: 1,
  ...rest,
});

/** The problems of a scenario with these expectations. */
function problemsOf(expectations: readonly object[]): string {
  try {
    loaded((file) => {
      file.expect = [...expectations];
    });
    return '';
  } catch (error) {
    return String(error);
  }
}

const rolesOf = (expectation: object) =>
  loaded((file) => {
    file.expect = [expectation];
  }).expect.map(({ figure, role, because, missed }) => [figure, role, because || missed]);

describe('labels', () => {
  test('of a column list some of its rows, with reasons', () => {
    const labels = {
      calibrated: [4],
      structural: { values: [8], because: 'The rate of row 4 again.' },
      missed: { values: [16], because: 'Not modelled.' },
    };
    expect(rolesOf(column(labels))).toEqual([
      ['gt.pio_write.4', 'calibrated', ''],
      ['gt.pio_write.8', 'structural', 'The rate of row 4 again.'],
      ['gt.pio_write.16', 'held-out', 'Not modelled.'],
    ]);
    const whole = column({ role: 'structural', because: 'All of it is an input.' });
    expect(rolesOf(whole).map(([, role]) => role)).toEqual(Array(3).fill('structural'));
  });

  test('of older files still load', () => {
    const old = column({ role: 'held-out', calibrated: [4], context: [16] });
    expect(rolesOf(old).map(([, role]) => role)).toEqual(['calibrated', 'held-out', 'context']);
  });

  test.each([
    [row(4, { role: 'structural' }), 'A structural row needs \\"because\\": what it restates.'],
    [row(4, { because: 'So.' }), 'Only a structural row can have \\"because\\"'],
    [
      row(4, { missed: { values: [4], because: 'So.' } }),
      'In a single row, \\"missed\\" must be a string',
    ],
    [row(4, { role: 'context', missed: 'So.' }), 'A context row has no tolerance'],
    [column({ missed: 'So.' }), 'In a column, missed needs the rows and the reason'],
    [
      column({ calibrated: [4], structural: { values: [4], because: 'So.' } }),
      'is listed with two roles in this column.',
    ],
    [column({ structural: { values: [5], because: 'So.' } }), 'is not a row of this column.'],
    [row(4, { tolerance: 0, toleranceSet: 'after' }), 'applies only to a tolerance in percent'],
    [row(4, { tolerance: 'published' }), 'The source of \\"gt.pio_write.4\\" gives no range.'],
  ])('that do not make sense are refused: %j', (expectation, sentence) => {
    expect(problemsOf([expectation])).toContain(sentence);
  });
});

describe('the rule of a third', () => {
  const breaches = (expectation: object, columns: readonly string[] = []) =>
    calibrationShareViolations(
      loaded((file) => {
        file.expect = [expectation];
        if (columns.length > 0)
          Object.assign(file, { beyondThird: [{ columns, because: 'One row is all there is.' }] });
      }),
    );
  const contentions = {
    figure: 'pool.lock.before.contentions',
    ratio: [
      { size: 4, method: 'pio_write' },
      { size: 8, method: 'pio_write' },
    ],
    metric: 'throughput',
    tolerance: 1,
    role: 'calibrated',
  };

  test('applies to a column of two rows', () => {
    expect(breaches(contentions)).toEqual([
      '1 of the 2 published rows of "pool.lock.before" chose constants; a scenario that exceeds a third needs a reason in "beyondThird".',
    ]);
    expect(breaches(column({ calibrated: [4, 8, 16] }))).toEqual([]);
  });

  test('can be exceeded with a reason', () => {
    expect(breaches(contentions, ['pool.lock.before'])).toEqual([]);
  });

  test('needs no reason where it is not exceeded', () => {
    expect(breaches(column({ calibrated: [4] }), ['gt.pio_write'])).toEqual([
      'At most a third of "gt.pio_write" chose constants, so it needs no exception.',
    ]);
  });
});

describe('a figure that chose a constant of the machine', () => {
  const roleOf = (role: string) =>
    loaded((file) => {
      const call = { value: '130 ns', basis: 'derived', figures: ['gt.pio_write.4'] };
      file.machine = { extends: 'pair', parts: { cpu: { params: { call } } } };
      file.expect = [row(4, { role, because: role === 'structural' ? 'So.' : undefined }), row(8)];
    }).expect.map((one) => one.role);

  test.each(['calibrated', 'held-out', 'outside', 'structural'])(
    'counts as calibrated if its row has the role %s',
    (role) => {
      expect(roleOf(role)).toEqual(['calibrated', 'held-out']);
    },
  );

  test('may be shown as context', () => {
    expect(roleOf('context')).toEqual(['context', 'held-out']);
  });
});
