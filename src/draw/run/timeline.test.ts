import { describe, expect, test } from 'vitest';
import { linearAxis } from '../axis';
import { busyBySamples, busyBySpans, overviewModel, sparkline } from './overview';
import { laneAt, type TimelineLane, timelineModel } from './timeline';
import { following, moved, windowTicks, zoomed } from './timeline-axis';
import { MARK_RADIUS, reasonMarks } from './timeline-marks';

const lane = (part: number, actor: string, ...spans: TimelineLane['spans']): TimelineLane => ({
  id: `${part}`,
  part,
  title: `part ${part}`,
  actor,
  spans,
});

const bar = (from: number, to: number, style = 'solid') => ({
  from,
  to,
  style,
  title: '',
  actor: null,
  seq: 1,
});

const draw = (lanes: readonly TimelineLane[], more: object = {}) =>
  timelineModel({
    width: 1124,
    window: { from: 1000, to: 2000 },
    lanes,
    chain: [],
    laneHeight: 14.2,
    left: 112,
    right: 12,
    top: 20,
    ...more,
  });

describe('the window', () => {
  test('zooms around the time under the pointer', () => {
    const window = zoomed({ from: 20_000, to: 40_000 }, 25_000, 0.5, 100_000);
    expect(window).toEqual({ from: 22_500, to: 32_500 });
  });

  test('stays within the run', () => {
    expect(moved({ from: 2000, to: 4000 }, -9000, 10_000)).toEqual({ from: 0, to: 2000 });
    expect(moved({ from: 2000, to: 4000 }, 9000, 10_000)).toEqual({ from: 8000, to: 10_000 });
    expect(zoomed({ from: 0, to: 5000 }, 2500, 99, 10_000)).toEqual({ from: 0, to: 10_000 });
  });

  test('does not move while the playhead is in it, and follows it when it is not', () => {
    const window = { from: 2000, to: 4000 };
    expect(following(window, 3900, 10_000, false)).toBe(window);
    expect(following(window, 3000, 10_000, true)).toBe(window);
    const after = following(window, 3900, 10_000, true);
    expect(after.to - after.from).toBe(2000);
    expect((3900 - after.from) / 2000).toBeCloseTo(0.66);
    expect(following({ from: 8000, to: 10_000 }, 9900, 10_000, true).to).toBe(10_000);
  });

  test('has round ticks, the unit at the first', () => {
    const ticks = windowTicks(linearAxis(4_826_000, 5_042_000, 0, 1000), 5);
    expect(ticks.map((tick) => tick.label)).toEqual(['4.85\u00a0µs', '4.90', '4.95', '5.00']);
  });
});

describe('lanes of one run', () => {
  test('have the hue of the actor, on a bus that of the part it works for', () => {
    const byDisk = { ...bar(1100, 1200), actor: 'disk' };
    const [cpu, bus] = draw([lane(0, 'cpu', bar(1100, 1200)), lane(1, 'bus', byDisk)]).rows;
    expect(cpu?.bars[0]?.tone).toBe('cpu');
    expect(bus?.bars[0]?.tone).toBe('disk');
  });

  test('find the lane under the pointer', () => {
    const model = draw([lane(0, 'cpu'), lane(1, 'bus')]);
    expect(laneAt(model, 25)?.lane.part).toBe(0);
    expect(laneAt(model, 45)?.lane.part).toBe(1);
    expect(laneAt(model, 5)).toBeUndefined();
  });
});

describe('arrows', () => {
  const lanes = [lane(0, 'cpu'), lane(1, 'bus'), lane(2, 'mem')];

  test('lead from each cause to its effect', () => {
    const chain = [
      { timePs: 1800, part: 2 },
      { timePs: 1500, part: 1 },
      { timePs: 1200, part: 0 },
    ];
    const { arrows, axis } = draw(lanes, { chain });
    expect(arrows).toHaveLength(2);
    expect(arrows[0]?.x).toBe(axis.at(1800));
    expect(arrows[0]?.down).toBe(true);
  });

  test('leave out causes before the window, and stop at a dozen', () => {
    const early = [
      { timePs: 1100, part: 1 },
      { timePs: 10, part: 0 },
    ];
    expect(draw(lanes, { chain: early }).arrows).toEqual([]);
    const long = Array.from({ length: 60 }, (_, i) => ({ timePs: 1900 - i, part: i % 2 }));
    expect(draw(lanes, { chain: long }).arrows).toHaveLength(12);
  });
});

describe('the overview', () => {
  test('shows exact shares of busy time', () => {
    const use = busyBySpans(
      [
        { from: 0, to: 50 },
        { from: 150, to: 250 },
      ],
      400,
      4,
    );
    expect(use).toEqual([0.5, 0.5, 0.5, 0]);
  });

  test('agrees between spans and samples', () => {
    const sample = (timePs: number, busy: number) => ({
      timePs,
      events: timePs,
      seq: 0,
      counters: Float64Array.of(7, busy),
    });
    const samples = [sample(0, 0), sample(100, 50), sample(200, 100), sample(400, 100)];
    expect(busyBySamples(samples, 1, 400, 4)).toEqual([0.5, 0.5, 0, 0]);
    const cycles = samples.map((one) => ({
      ...one,
      counters: one.counters.map((all) => all / 10),
    }));
    expect(busyBySamples(cycles, 1, 400, 4, 10)).toEqual([0.5, 0.5, 0, 0]);
  });

  test('draws events as separate strokes', () => {
    const model = overviewModel({
      width: 540,
      left: 20,
      right: 20,
      base: 34,
      height: 30,
      type: 11,
      endPs: 1000,
      use: [0, 1],
      notable: [0, 1, 2, 500, 1000],
    });
    expect(model.strokes.split('M')).toHaveLength(4);
    expect(model.axis.valueAt(model.axis.at(400))).toBeCloseTo(400);
  });

  test('sparklines keep within their box', () => {
    const line = sparkline([0, 5, 10], 64, 14);
    expect(line).toBe('M1.0 12.0L31.0 7.0L61.0 2.0');
    expect(sparkline([3], 64, 14)).toBe('');
  });
});

describe('the numbers of the causes', () => {
  const model = draw([lane(0, 'cpu', bar(1000, 2000)), lane(1, 'bus')]);
  const at = (number: number, timePs: number, part = 0) => ({ number, timePs, part });

  test('are side by side where they coincide, in order of time, and inside the sheet', () => {
    const marks = reasonMarks(model, [at(1, 2000), at(2, 2000), at(3, 1999), at(4, 1500, 1)]);
    expect(marks.map(({ number, row }) => [number, row])).toEqual([
      [3, 0],
      [1, 0],
      [2, 0],
      [4, 1],
    ]);
    const [first, second, third, other] = marks.map(({ x }) => x) as [
      number,
      number,
      number,
      number,
    ];
    expect(second - first).toBeGreaterThanOrEqual(2 * MARK_RADIUS);
    expect(third - second).toBeGreaterThanOrEqual(2 * MARK_RADIUS);
    expect(third).toBeLessThanOrEqual(1124);
    expect(other).toBeCloseTo(model.axis.at(1500));
  });

  test('outside the window are left out', () => {
    expect(reasonMarks(model, [at(1, 900), at(2, 2100), at(3, 1500, 7)])).toEqual([]);
  });
});
