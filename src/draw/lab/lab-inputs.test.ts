/** From runs of the published system to their drawings. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../engine/api';
import { createLocalEngine } from '../../engine/inprocess';
import { type LabPlan, phasesOf, planOf } from '../../model/lab/plan';
import { LabRecorder } from '../../model/lab/records';
import { type LabRun, type RunSet, runAt } from '../../model/lab/runs';
import { type LabRecord, type LabState, NOTHING, placeKey } from '../../model/lab/state';
import { LabSweeper } from '../../model/lab/sweep';
import { readScenario } from '../../model/scenario/scenarios';
import { laneGroup } from '../run/lab-lanes';
import { costInputs, transferTime } from './bars-input';
import { chartInput, fromThroughput, quantityOf } from './input';

const SHEET = { width: 836, height: 620, compact: false };
const BESIDE = { own: null, linearFit: null, source: 'measured', shownValue: () => '3.47\u00a0µs' };

let plan: LabPlan;
let engine: Engine;
let runs: RunSet;

async function record(series: number, size: number): Promise<LabRecord> {
  const found = await new LabRecorder(() => engine).record(plan, { series, size }, {});
  if (!found) throw new Error('The run was not recorded.');
  return found;
}

beforeAll(async () => {
  const scenario = await readScenario('gt/crossover');
  const found = scenario.ok ? planOf(scenario.value) : null;
  if (!found) throw new Error('There is no plan.');
  plan = found;
  engine = await createLocalEngine();
  const points = phasesOf(plan, false).quick.filter((point) => point.size <= 1024);
  const set = await new LabSweeper(() => engine).trial({ plan, edits: {}, points });
  if (!set) throw new Error('The runs were cancelled.');
  runs = set;
});

const state = (changes: Partial<LabState> = {}): LabState => ({
  ...NOTHING,
  plan,
  metric: 'throughput',
  size: 512,
  runs,
  ...changes,
});

describe('the chart of the lab', () => {
  test('has a hue per mechanism and a line style per direction, and leaves memory out by default', () => {
    const { series } = chartInput(state(), plan, BESIDE, SHEET);
    expect(series.map(({ title, hue, dash, open }) => [title, hue, dash, open])).toEqual([
      ['PIO write', 2, 'solid', false],
      ['DMA write', 1, 'solid', false],
      ['PIO read', 2, 'dashed', true],
      ['DMA read', 1, 'dashed', true],
    ]);
    expect(chartInput(state({ context: true }), plan, BESIDE, SHEET).series).toHaveLength(6);
  });

  test('distinguishes series without a mechanism, or with the same one, by hue and dashes', () => {
    const looksOfMechanisms = (mechanisms: readonly string[]) => {
      const series = plan.series.slice(0, mechanisms.length);
      const bare = {
        ...plan,
        series: series.map((one, i) => ({ ...one, mechanism: mechanisms[i] ?? '' })),
      };
      return chartInput(state(), bare, BESIDE, SHEET).series.map(({ hue, dash }) => [hue, dash]);
    };
    for (const mechanisms of [
      ['', ''],
      ['', '', '', ''],
      ['pio', '', 'pio', ''],
    ]) {
      const looks = looksOfMechanisms(mechanisms);
      for (const place of [0, 1])
        expect(new Set(looks.map((look) => look[place])).size, mechanisms.join()).toBe(
          mechanisms[0] === 'pio' && place === 0 ? 3 : looks.length,
        );
    }
    const twice = {
      ...plan,
      series: plan.series.slice(0, 2).map((one) => ({ ...one, mechanism: 'dma', direction: null })),
    };
    const [a, b] = chartInput(state(), twice, BESIDE, SHEET).series;
    expect([a?.hue, a?.dash]).toEqual([1, 'solid']);
    expect([b?.hue, b?.dash]).not.toContain(a?.hue);
    expect([b?.hue, b?.dash]).not.toContain(a?.dash);
  });

  test('marks the rows used for calibration', () => {
    const [first] = chartInput(state(), plan, BESIDE, SHEET).series;
    const used = first?.measured.filter((one) => one.calibrated).map((one) => one.size);
    expect(used).toEqual([4, 8, 64, 128, 256, 512, 1024, 4096]);
    expect(first?.measured).toHaveLength(19);
  });

  test('converts published throughputs to times, and not to processor time', () => {
    expect(plan.scenario.experiment?.metrics.map((name) => quantityOf(plan, name))).toEqual([
      'throughput',
      'time',
      'cpu',
    ]);
    const time = fromThroughput('time', 512, 65.55);
    expect((time ?? 0) / 1e6).toBeCloseTo(7.811, 3);
    const cpu = chartInput(state({ metric: 'cpu_time' }), plan, BESIDE, SHEET);
    expect(cpu.series.every((series) => series.measured.length === 0)).toBe(true);
  });

  test('draws the previous curve only if it moved', () => {
    const slower = new Map(
      [...runs.runs].map(([place, run]): [string, LabRun] => {
        const rate = (run.values.throughput ?? 0) * (run.series === 1 ? 0.8 : 1);
        return [place, { ...run, values: { ...run.values, throughput: rate } }];
      }),
    );
    const { series } = chartInput(
      state({ before: { key: 'b', runs: slower } }),
      plan,
      BESIDE,
      SHEET,
    );
    expect(series.map((one) => one.before.length > 0)).toEqual([false, true, false, false]);
  });

  test('shows the parameter and its value beside a dragged handle', () => {
    const crossings = plan.crossings.map((crossing) => ({
      ...crossing,
      now: { grid: 1024, exact: 772, refined: true, own: true },
      before: null,
    }));
    const still = chartInput(state({ crossings }), plan, BESIDE, SHEET).crossings;
    expect(still.map((one) => [one.solves, one.solving])).toEqual([
      ['Context switch', null],
      ['Bookkeeping', null],
    ]);
    const words = (reached: boolean) => {
      const drag = { crossing: 0, size: 700, reached };
      return chartInput(state({ crossings, drag }), plan, BESIDE, SHEET).crossings[0]?.solving;
    };
    expect(words(true)).toBe('Context switch 3.47\u00a0µs');
    expect(words(false)).toBe('Context switch 3.47\u00a0µs, its limit');
  });

  test('shows the user’s own table beside the series of the same column', () => {
    const own = { dma_write: [{ size: 64, value: 9 }] };
    const { series } = chartInput(state(), plan, { ...BESIDE, own }, SHEET);
    expect(series.map((one) => one.own)).toEqual([[], [{ size: 64, value: 9 }], [], []]);
  });
});

describe('the cost bars', () => {
  test('have the length of the run on the chart, and segments once it was recorded', async () => {
    const dma = await record(1, 512);
    const records = new Map([[placeKey(dma.place), dma]]);
    const { rows, pairs } = costInputs(state({ records }), plan, 512);
    expect(pairs).toEqual([2]);
    expect(rows.map((row) => row.segments.length > 0)).toEqual([false, true, false, false]);
    const total = transferTime(plan, runAt(runs, 1, 512)) ?? 0;
    expect(rows[1]?.totalPs).toBe(total);
    expect((rows[1]?.segments.at(-1)?.toPs ?? 0) / total).toBeCloseTo(1, 2);
    expect(rows[1]?.segments.map((segment) => segment.cost)).toContain('device');
  });

  test('do not show segments of a run with other parameters', async () => {
    const dma = { ...(await record(1, 512)), key: 'other' };
    const records = new Map([[placeKey(dma.place), dma]]);
    const { rows } = costInputs(state({ records }), plan, 512);
    expect(rows[1]?.segments).toEqual([]);
  });

  test('name a method whose time a question asks for, but give no time', () => {
    const { rows } = costInputs(state({ sealed: [{ series: 1, step: 0 }] }), plan, 512);
    expect(rows.map((row) => row.totalPs === null)).toEqual([false, true, false, false]);
  });

  test('merge alternating pieces when they are too many to tell apart', async () => {
    const pio = await record(0, 65_536);
    expect(pio.costs.pieces.length).toBeGreaterThan(100);
    const run = { ...runAt(runs, 0, 512), size: 65_536 } as LabRun;
    const set = { ...runs, runs: new Map([['0 65536', run]]) };
    const records = new Map([[placeKey(pio.place), pio]]);
    const { rows } = costInputs(state({ runs: set, records }), plan, 65_536);
    expect(rows[0]?.segments.length).toBeLessThan(5);
    const last = rows[0]?.segments.at(-1);
    expect(last?.toPs).toBeCloseTo(pio.to - pio.from, 0);
  });
});

describe('the lanes of a run', () => {
  test('begin and end with its transfer', async () => {
    const dma = await record(1, 512);
    const group = laneGroup(plan, dma);
    expect(group?.title).toBe('DMA write');
    expect(group?.lanes.map((lane) => lane.title)).toEqual(['CPU', 'DMA write engine', 'PCI bus']);
    const spans = group?.lanes.flatMap((lane) => lane.spans) ?? [];
    expect(Math.min(...spans.map((span) => span.fromPs))).toBe(0);
    expect(Math.max(...spans.map((span) => span.toPs))).toBeLessThanOrEqual(group?.endPs ?? 0);
    expect(group?.recordedPs).toBe(group?.endPs);
  });

  test('label single actions, and count repeated ones', async () => {
    const dma = laneGroup(plan, await record(1, 512));
    const cpu = dma?.lanes.find((lane) => lane.title === 'CPU');
    expect(cpu?.spans.map((span) => span.text)).toContain('driver');
    expect(cpu?.notes).toEqual([]);
    const bus = laneGroup(plan, await record(0, 512))?.lanes.at(-1);
    expect(bus?.spans).toHaveLength(128);
    expect(bus?.spans.every((span) => span.text === '')).toBe(true);
    expect(bus?.notes.map((note) => note.text)).toEqual(['memory write, 128\u00a0times']);
  });

  test('state how long the processor is free for other work', async () => {
    const long = laneGroup(plan, await record(1, 65_536));
    const cpu = long?.lanes.find((lane) => lane.title === 'CPU');
    expect(cpu?.notes.some((note) => note.text.startsWith('free for other work'))).toBe(true);
  });

  test('of a run too long to be recorded end where its trace ends', async () => {
    const pio = await record(0, 1_048_576);
    const group = laneGroup(plan, pio);
    expect(group?.recordedPs).toBeLessThan((group?.endPs ?? 0) / 2);
    expect(group?.note).toBe('the start of it');
    // The costs do not depend on the trace: they come from counters of the whole run.
    const { total, busyTime } = pio.costs;
    expect(busyTime).toBeCloseTo(pio.to - pio.from, -3);
    expect(total.words / (pio.to - pio.from)).toBeGreaterThan(0.7);
  });
});
