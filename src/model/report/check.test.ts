import { describe, expect, test } from 'vitest';
import type { Engine, SweepJob, SweepResult } from '../../engine/api';
import { metricValue } from '../scenario/experiment';
import { FIXTURE, type File, loaded } from '../scenario/scenario.fixture';
import { checkScenario } from './check';
import { checkCsv, checkJson, checkJunit, checkPlain } from './check-text';
import { totalsOf } from './check-totals';

/** An engine whose run time depends only on transfer size and method. */
function engineWith(timePs: (size: number, dma: boolean) => number): Engine {
  const sweep = async ({ sessions }: SweepJob, onResult: (result: SweepResult) => void) => {
    for (const [index, { config }] of sessions.entries()) {
      const words = new Uint32Array(config.slice().buffer);
      // Header, type, two parameters, number of rows: then do, from, to, bytes.
      const [operation = 0, size = 0] = [words[14], words[20]];
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
  return checkScenario(engineWith(timePs), loaded(change), undefined, { catalogue: FIXTURE });
}

const throughputOf = (size: number, time: number) => (size * 1e6) / time;

/** 27.72, 49.98 and 61.06 MB/s were published for 4, 8 and 16 bytes. */
const exact = (size: number) => (size * 1e6) / ({ 4: 27.72, 8: 49.98, 16: 61.06 }[size] ?? 1);

describe('rows', () => {
  test('pass within their tolerance, above and below', async () => {
    const expects = (file: File) => {
      file.expect = [4, 8].map((size) => value(size, { tolerance: 1, role: 'held-out' }));
    };
    const good = await check(expects, (size) => exact(size) * (size === 4 ? 1.009 : 0.991));
    expect(good.rows.map((row) => [row.verdict, row.error_percent?.toFixed(3)])).toEqual([
      ['passed', '-0.892'],
      ['passed', '0.908'],
    ]);
    const bad = await check(expects, (size) => exact(size) * 0.98);
    expect(bad.rows.map((row) => row.verdict)).toEqual(['failed', 'failed']);
  });

  test('with the role context are shown and never fail', async () => {
    const report = await check(
      (file) => {
        file.expect = [
          value(4, { role: 'context' }),
          { title: 'time of 8 B', at: at(8), metric: 'throughput' },
        ];
      },
      (size) => exact(size) * 3,
    );
    expect(
      report.rows.map(({ verdict, published, role }) => ({ verdict, published, role })),
    ).toEqual([
      { verdict: 'shown', published: 27.72, role: 'context' },
      { verdict: 'shown', published: null, role: 'context' },
    ]);
    expect(totalsOf([report])).toMatchObject({
      passed: 0,
      failed: 0,
      roles: { context: { rows: 2 } },
    });
  });

  test('fail if the run gave no value', async () => {
    const report = await check(
      (file) => {
        file.expect = [value(4, { tolerance: 1, role: 'held-out' })];
      },
      () => 0,
    );
    expect(report.rows[0]).toMatchObject({
      simulated: null,
      verdict: 'failed',
      detail: 'The run gave no value.',
    });
  });

  test('fail with the engine’s message if it refuses', async () => {
    const broken = { sweep: () => Promise.reject(new Error('The engine stopped.')) };
    const scenario = loaded((file) => {
      file.expect = [value(4, { tolerance: 1, role: 'held-out' })];
    });
    const report = await checkScenario(broken as unknown as Engine, scenario, undefined, {
      catalogue: FIXTURE,
    });
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

  test('is reported on the grid, together with the refined crossing', async () => {
    const report = await check(crossing(0, 'grid'), times);
    expect(report.rows[0]).toMatchObject({
      simulated: 1024,
      error_percent: 0,
      verdict: 'passed',
      unit: 'B',
      detail: 'Between the values of the table: 804.',
    });
  });

  test('between grid values is a different number', async () => {
    const report = await check(crossing(5, 'crossing'), times);
    expect(report.rows[0]).toMatchObject({ simulated: 804, verdict: 'failed' });
  });

  test('that does not exist fails', async () => {
    const report = await check(crossing(0, 'grid'), (size, dma) => (dma ? 1e12 : size));
    expect(report.rows[0]).toMatchObject({
      simulated: null,
      verdict: 'failed',
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
  expect(report.rows[0]).toMatchObject({ simulated: 6, unit: 'x', verdict: 'passed' });
});

test('a difference of two runs may be divided by another metric of the first', async () => {
  const simulated = async (per: object) => {
    const report = await check(
      (file) => {
        const row = {
          difference: [at(16), at(4)],
          metric: 'throughput',
          tolerance: 5,
          role: 'held-out',
        };
        file.expect = [{ figure: 'gt.pio_write.16', ...row, ...per }];
      },
      (size) => (size === 16 ? 400 : 600),
    );
    return report.rows[0]?.simulated ?? Number.NaN;
  };
  expect(await simulated({ per: 'throughput' })).toBeCloseTo(1 - 1 / 6);
  expect(await simulated({})).toBeCloseTo(throughputOf(16, 400) - throughputOf(4, 600));
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
    ['mean-abs-error', undefined, 3, 'passed'],
    ['mean-abs-error', 'held-out', 4.5, 'failed'],
    ['worst-abs-error', undefined, 6, 'failed'],
  ])(
    '%s over %s rows is not counted, because its rows are',
    async (name, over, expected, verdict) => {
      const { rows } = await check(statistic(name, over), off);
      expect(rows.at(-1)?.simulated).toBeCloseTo(expected, 9);
      expect(rows.at(-1)).toMatchObject({ verdict, role: 'structural', kind: 'statistic' });
    },
  );
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

  test('as JSON has judged rows and, separately, context rows', async () => {
    const { rows, context, passed, failed } = JSON.parse(checkJson([await report]));
    expect(rows).toMatchObject([
      {
        figure: 'gt.pio_write.4',
        published: 27.72,
        role: 'held-out',
        tolerance_percent: 1,
        verdict: 'passed',
      },
      { figure: 'gt.pio_write.8', role: 'calibrated', verdict: 'failed' },
    ]);
    expect(context).toMatchObject([{ figure: 'gt.pio_write.16', role: 'context' }]);
    expect([passed, failed]).toEqual([1, 1]);
  });

  test('as JUnit counts failures and escapes what XML needs', async () => {
    const text = checkJunit([{ ...(await report), scenario: 'a<b&"c"' }]);
    expect(text).toContain(
      '<testsuite name="a&lt;b&amp;&quot;c&quot;" tests="2" failures="1" errors="0" skipped="0">',
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

describe('labels of a row', () => {
  const judge = async (rest: object, factor = 1) => {
    const report = await check(
      (file) => {
        file.expect = [value(4, { tolerance: 1, role: 'held-out', ...rest })];
      },
      (size) => exact(size) * factor,
    );
    return { row: report.rows[0], totals: totalsOf([report]), report };
  };

  test('a structural row is tested and counted separately, with its reason', async () => {
    const { row, totals, report } = await judge({ role: 'structural', because: 'An input.' });
    expect(row).toMatchObject({ verdict: 'passed', because: 'An input.' });
    expect(totals.roles['held-out'].rows).toBe(0);
    expect(totals.roles.structural).toEqual({ rows: 1, passed: 1, missed: 0, failed: 0 });
    expect(checkPlain([report])).toContain('structural: 1 of 1 inside');
    expect((await judge({ role: 'structural', because: 'An input.' }, 2)).totals.failed).toBe(1);
  });

  test('predictions of one column are one phenomenon, which one miss spoils', async () => {
    const both = async (rest: object) => {
      const report = await check((file) => {
        file.expect = [
          value(4, { tolerance: 1, role: 'held-out', toleranceSet: 'before' }),
          value(8, { tolerance: 1, role: 'held-out', ...rest }),
        ];
      }, exact);
      return [totalsOf([report]), checkPlain([report])] as const;
    };
    const [good, text] = await both({});
    expect(good.phenomena).toEqual({ rows: 1, passed: 1, missed: 0, failed: 0 });
    expect(good.before).toEqual({ rows: 1, passed: 1, missed: 0, failed: 0 });
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toBe('predicted with a tolerance set before the run: 1 of 1 inside');
    expect(lines.indexOf('predicted phenomena: 1 of 1 inside')).toBeLessThan(
      lines.indexOf('held out: 2 of 2 inside'),
    );
    const [bad] = await both({ missed: 'It has no cause here.' });
    expect(bad.phenomena).toMatchObject({ rows: 1, passed: 0, failed: 1 });
  });

  test('a row marked as missed neither passes nor fails while it misses', async () => {
    const missed = await judge({ missed: 'A store queue is not modelled.' }, 1.1);
    expect(missed.totals).toMatchObject({ passed: 0, failed: 0, missed: 1 });
    expect(checkPlain([missed.report])).toContain(' missed  held-out');
    expect(checkJunit([missed.report])).toContain('<skipped message="published 27.72');
    const inside = await judge({ missed: 'A store queue is not modelled.' });
    expect(inside.totals).toMatchObject({ passed: 0, failed: 1, missed: 0 });
  });

  test('a tolerance shows when it was chosen', async () => {
    const after = await judge({ toleranceSet: 'after' });
    expect(after.totals.tolerances).toMatchObject({ after: 1, before: 0, unsaid: 0 });
    expect(checkPlain([after.report])).toContain('tolerance 1 % set after');
    expect((await judge({})).totals.tolerances.unsaid).toBe(1);
    expect((await judge({ tolerance: 0 })).totals.tolerances.exact).toBe(1);
  });

  test('if the source gives only a bound, the side is judged and there is no error', async () => {
    const light = (ratio: number) =>
      check(
        (file) => {
          file.expect = [
            {
              figure: 'soc.light.sign.crc',
              ratio: [at(16), at(4)],
              metric: 'throughput',
              tolerance: 'published',
              role: 'structural',
              because: 'It ruled out other costs.',
            },
          ];
        },
        (size) => (size === 16 ? 4 : ratio),
      );
    const better = await light(0.999);
    expect(better.rows[0]).toMatchObject({ verdict: 'passed', error_percent: null });
    expect(checkPlain([better])).toContain('published below 1, simulated 0.999 x: It ruled out');
    expect(totalsOf([better]).tolerances.published).toBe(1);
    expect((await light(1)).rows[0]?.verdict).toBe('failed');
  });

  test('the range given by a source serves as a tolerance', async () => {
    const report = (factor: number) =>
      check(
        (file) => {
          file.expect = [
            {
              figure: 'pool.iperf.before',
              ratio: [at(16), at(4)],
              metric: 'throughput',
              tolerance: 'published',
              role: 'held-out',
            },
          ];
        },
        (size) => (size === 16 ? 4 : factor),
      );
    const edge = await report(2);
    expect(edge.rows[0]).toMatchObject({ simulated: 2, verdict: 'passed' });
    expect(edge.rows[0]?.tolerance_percent).toBeCloseTo(100 / 3, 9);
    expect((await report(2.001)).rows[0]?.verdict).toBe('failed');
  });

  test('seeds are averaged, and their spread is shown', async () => {
    const seen: number[] = [];
    const engine = engineWith((size) => exact(size));
    const sweep: Engine['sweep'] = async (job, onResult) =>
      engine.sweep(job, (result) => {
        const seed = new DataView(job.sessions[result.index]?.config.buffer ?? new ArrayBuffer(64));
        seen.push(seed.getUint32(12, true));
        const [cpu, bus] = result.counters;
        const times = Float64Array.of(1, (cpu?.[1] ?? 0) / (1 + 0.01 * (seen.length - 2)));
        onResult({ ...result, counters: [times, bus ?? times] });
      });
    const scenario = loaded((file) => {
      file.expect = [value(4, { tolerance: 1, role: 'held-out', seeds: 3 })];
    });
    const report = await checkScenario({ ...engine, sweep }, scenario, undefined, {
      catalogue: FIXTURE,
    });
    expect(seen).toEqual([1, 2, 3]);
    expect(report.rows[0]).toMatchObject({ seeds: 3, verdict: 'passed' });
    expect(report.rows[0]?.simulated).toBeCloseTo(27.72, 9);
    expect(report.rows[0]?.lowest).toBeCloseTo(27.72 * 0.99, 9);
    expect(report.rows[0]?.highest).toBeCloseTo(27.72 * 1.01, 9);
    expect(checkPlain([report])).toContain('(mean of 3 seeds, 27.44 to 28)');
  });
});

test('the fixture measures what it should', () => {
  const metric = loaded().metrics.get('throughput');
  expect(metric && metricValue(metric, at(4), [[1, exact(4)]])).toBeCloseTo(27.72, 12);
});
