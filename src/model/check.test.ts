import { describe, expect, test } from 'vitest';
import type { Engine, SweepJob, SweepResult } from '../engine/api';
import { checkScenario, totalsOf } from './check';
import { checkCsv, checkJson, checkJunit, checkPlain } from './checkText';
import { metricValue } from './experiment';
import { FIXTURE, type File, loaded } from './fixture';

/** An engine whose runs take a time that follows from the transfer size and the method alone. */
function engineWith(timePs: (size: number, dma: boolean) => number): Engine {
  const sweep = async ({ sessions }: SweepJob, onResult: (result: SweepResult) => void) => {
    for (const [index, { config }] of sessions.entries()) {
      const words = new Uint32Array(config.slice().buffer);
      // Header, type, two parameters, number of rows: then do, from, to, bytes.
      const [operation = 0, size = 0] = [words[15], words[21]];
      const counters = [Float64Array.of(1, timePs(size, operation === 3)), new Float64Array(2)];
      const position = { timePs: 0, events: 0, seq: 0 };
      onResult({ ...position, index, hash: null, reason: 'idle', counters, wallMs: 0 });
    }
    return 'done' as const;
  };
  return { sweep } as unknown as Engine;
}

const at = (size: number, method = 'pio_write') => ({ size, method });
const value = (size: number, rest: object) => ({
  figure: `gt.pio_write.${size}`,
  at: at(size),
  metric: 'throughput',
  ...rest,
});

async function check(change: (file: File) => void, timePs: (size: number, dma: boolean) => number) {
  return checkScenario(engineWith(timePs), loaded(change), undefined, FIXTURE);
}

/** 27.72, 49.98 and 61.06 MB/s were published for 4, 8 and 16 bytes. */
const exact = (size: number) => (size * 1e6) / ({ 4: 27.72, 8: 49.98, 16: 61.06 }[size] ?? 1);

describe('rows', () => {
  test('pass within their tolerance, above and below', async () => {
    const expects = (file: File) => {
      file.expect = [4, 8].map((size) => value(size, { tolerance: 1, role: 'held-out' }));
    };
    const good = await check(expects, (size) => exact(size) * (size === 4 ? 1.009 : 0.991));
    expect(good.rows.map((row) => [row.pass, row.error_percent?.toFixed(3)])).toEqual([
      [true, '-0.892'],
      [true, '0.908'],
    ]);
    const bad = await check(expects, (size) => exact(size) * 0.98);
    expect(bad.rows.map((row) => row.pass)).toEqual([false, false]);
  });

  test('for context are shown and never fail', async () => {
    const report = await check(
      (file) => {
        file.expect = [
          value(4, { role: 'context' }),
          { title: 'time of 8 B', at: at(8), metric: 'throughput' },
        ];
      },
      (size) => exact(size) * 3,
    );
    expect(report.rows.map(({ pass, published, role }) => ({ pass, published, role }))).toEqual([
      { pass: true, published: 27.72, role: 'context' },
      { pass: true, published: null, role: 'context' },
    ]);
    expect(totalsOf([report])).toMatchObject({ passed: 0, failed: 0, context: 2 });
  });

  test('fail when the run gave no value', async () => {
    const report = await check(
      (file) => {
        file.expect = [value(4, { tolerance: 1, role: 'held-out' })];
      },
      () => 0,
    );
    expect(report.rows[0]).toMatchObject({
      simulated: null,
      pass: false,
      detail: 'The run gave no value.',
    });
  });

  test('fail when the engine refuses, with its sentence', async () => {
    const broken = { sweep: () => Promise.reject(new Error('The engine stopped.')) };
    const scenario = loaded((file) => {
      file.expect = [value(4, { tolerance: 1, role: 'held-out' })];
    });
    const report = await checkScenario(broken as unknown as Engine, scenario, undefined, FIXTURE);
    expect(report.problems[0]?.message).toBe('The engine stopped.');
    expect(totalsOf([report])).toMatchObject({ passed: 0, failed: 1 });
  });
});

describe('a crossing', () => {
  const crossing = (tolerance: number, report: string) => (file: File) => {
    file.experiment.axes = { size: [4, 512, 1024, 2048], method: ['pio_write', 'dma_write'] };
    file.expect = [
      {
        figure: 'gt.threshold.write',
        crossing: {
          axis: 'size',
          more: { method: 'dma_write' },
          than: { method: 'pio_write' },
          metric: 'throughput',
        },
        report,
        tolerance,
        role: 'held-out',
      },
    ];
  };
  const times = (size: number, dma: boolean) => (dma ? 8e6 : size * 10_000);

  test('is reported on the grid, with the true crossing beside it', async () => {
    const report = await check(crossing(0, 'grid'), times);
    expect(report.rows[0]).toMatchObject({
      simulated: 1024,
      error_percent: 0,
      pass: true,
      unit: 'B',
      detail: 'Between the values of the table it is 804.',
    });
  });

  test('between grid values is another number', async () => {
    const report = await check(crossing(5, 'crossing'), times);
    expect(report.rows[0]).toMatchObject({ simulated: 804, pass: false });
  });

  test('that does not happen fails', async () => {
    const report = await check(crossing(0, 'grid'), (size, dma) => (dma ? 1e12 : size));
    expect(report.rows[0]).toMatchObject({
      simulated: null,
      pass: false,
      detail: 'The curves do not cross.',
    });
  });
});

test('a ratio compares two runs', async () => {
  const report = await check(
    (file) => {
      file.expect = [
        {
          figure: 'gt.gfixit.speedup',
          ratio: [at(16), at(4)],
          metric: 'throughput',
          tolerance: 5,
          role: 'held-out',
        },
      ];
    },
    (size) => (size === 16 ? 400 : 600),
  );
  expect(report.rows[0]).toMatchObject({ simulated: 6, unit: 'x', pass: true });
});

describe('a statistic', () => {
  const statistic = (name: string, over?: string) => (file: File) => {
    file.expect = [
      {
        figures: 'gt.pio_write.{size}',
        at: { method: 'pio_write' },
        metric: 'throughput',
        tolerance: 10,
        calibrated: [4],
      },
      { group: 'gt.pio_write.*', statistic: name, tolerance: 3, ...(over ? { over } : {}) },
    ];
  };
  const off = (size: number) => exact(size) / (1 + ({ 4: 0, 8: 0.03, 16: -0.06 }[size] ?? 0));

  test.each([
    ['mean-abs-error', undefined, 3, true, 'calibrated'],
    ['mean-abs-error', 'held-out', 4.5, false, 'held-out'],
    ['worst-abs-error', undefined, 6, false, 'calibrated'],
  ])('%s over %s rows', async (name, over, expected, pass, role) => {
    const { rows } = await check(statistic(name, over), off);
    expect(rows.at(-1)?.simulated).toBeCloseTo(expected, 9);
    expect(rows.at(-1)).toMatchObject({ pass, role, kind: 'statistic' });
  });
});

describe('a report', () => {
  const report = check(
    (file) => {
      file.title = 'Rows & <columns>';
      file.expect = [
        value(4, { tolerance: 1, role: 'held-out' }),
        value(8, { tolerance: 1, role: 'calibrated' }),
        value(16, { role: 'context' }),
      ];
    },
    (size) => exact(size) * (size === 8 ? 1.1 : 1),
  );

  test('as JSON has the rows that are judged, and apart those for context', async () => {
    const { rows, context, passed, failed } = JSON.parse(checkJson([await report]));
    expect(rows).toMatchObject([
      {
        figure: 'gt.pio_write.4',
        published: 27.72,
        role: 'held-out',
        tolerance_percent: 1,
        pass: true,
      },
      { figure: 'gt.pio_write.8', role: 'calibrated', pass: false },
    ]);
    expect(context).toMatchObject([{ figure: 'gt.pio_write.16', role: 'context' }]);
    expect([passed, failed]).toEqual([1, 1]);
  });

  test('as JUnit counts failures and escapes what XML needs', async () => {
    const text = checkJunit([{ ...(await report), scenario: 'a<b&"c"' }]);
    expect(text).toContain(
      '<testsuite name="a&lt;b&amp;&quot;c&quot;" tests="2" failures="1" errors="0">',
    );
    expect(text.match(/<testcase /g)).toHaveLength(2);
  });

  test('as text and CSV has every row', async () => {
    expect(checkPlain([await report])).toContain(
      ' FAILED  calibrated  PIO write, 8 B: published 49.98, simulated 45.44 MB/s, error -9.09 %, tolerance 1 %',
    );
    expect(
      checkCsv([await report])
        .trimEnd()
        .split('\n'),
    ).toHaveLength(4);
  });
});

test('more than a third of a column used to calibrate is refused', () => {
  const calibrated = [4, 8, 16, 32, 64, 128, 256];
  const change = (file: File) => {
    file.experiment.axes = { size: calibrated, method: ['pio_write', 'dma_write'] };
    file.expect = [
      {
        figures: 'gt.pio_write.{size}',
        at: { method: 'pio_write' },
        metric: 'throughput',
        tolerance: 1,
        calibrated,
      },
    ];
  };
  expect(() => loaded(change)).toThrow(
    '7 of the 19 published rows of \\"gt.pio_write\\" are used to calibrate; at most a third may be.',
  );
});

test('the fixture measures what it should', () => {
  const metric = loaded().metrics.get('throughput');
  expect(metric && metricValue(metric, at(4), [[1, exact(4)]])).toBeCloseTo(27.72, 12);
});
