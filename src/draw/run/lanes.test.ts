import { describe, expect, test } from 'vitest';
import { linearAxis } from '../axis';
import { type LaneGroupInput, type LaneSpan, laneBars, laneLabels, lanesModel } from './lanes';

const span = (fromPs: number, toPs: number, changes: Partial<LaneSpan> = {}): LaneSpan => ({
  fromPs,
  toPs,
  style: 'solid',
  tone: 'hue',
  text: '',
  ...changes,
});

const group = (title: string, endPs: number, spans: readonly LaneSpan[]): LaneGroupInput => ({
  id: title,
  title,
  note: '',
  hue: 1,
  endPs,
  recordedPs: endPs,
  lanes: [{ id: 'bus', title: 'PCI bus', spans, notes: [] }],
});

const draw = (...groups: LaneGroupInput[]) => lanesModel({ width: 1440, groups, compact: false });

describe('lanes', () => {
  test('put all runs on the time axis of the longest', () => {
    const { groups, right, left } = draw(group('PIO write', 7e6, []), group('DMA write', 14e6, []));
    expect(groups[1]?.end.x).toBeCloseTo(right);
    expect((groups[0]?.end.x ?? 0) - left).toBeCloseTo((right - left) / 2);
  });

  test('show which run is later and by how much', () => {
    const later = draw(group('PIO write', 8.33e6, []), group('DMA write', 12.6e6, []));
    expect(later.difference?.label.text).toBe('DMA write is 4.27\u00a0µs\u00a0later');
    const same = draw(group('a', 1e6, []), group('b', 1e6, []));
    expect(same.difference?.label.text).toBe('both end together');
    expect(draw(group('alone', 1e6, [])).difference).toBeNull();
  });

  test('label a bar only where the text fits inside it', () => {
    const words = { text: 'driver: pin page, build request' };
    const { groups } = draw(group('a', 14e6, [span(0, 5e6, words), span(6e6, 6.5e6, words)]));
    expect(groups[0]?.lanes[0]?.labels).toHaveLength(1);
  });

  test('draw each beat while beats can be told apart, and a solid bar otherwise', () => {
    const beats = (count: number) =>
      Array.from({ length: count }, (_, i) => span(i * 1000, i * 1000 + 600));
    const boxes = (count: number) =>
      draw(group('a', count * 1000, beats(count))).groups[0]?.lanes[0]?.bars[0]?.path.split('M')
        .length;
    expect(boxes(128)).toBe(129);
    expect(boxes(100_000)).toBe(2);
  });

  test('distinguish waiting from working', () => {
    const spans = [span(0, 1e6), span(1e6, 5e6, { style: 'hatch' }), span(5e6, 6e6)];
    const bars = draw(group('a', 6e6, spans)).groups[0]?.lanes[0]?.bars;
    expect(bars?.map((bar) => bar.style)).toEqual(['solid', 'hatch']);
    expect(bars?.[0]?.path.split('M')).toHaveLength(3);
  });

  test('label a sequence of short bars if there is room', () => {
    const note = { fromPs: 0, toPs: 4e6, text: 'stalled, 127 times', quiet: false };
    const lane = { id: 'cpu', title: 'CPU', spans: [], notes: [note, { ...note, toPs: 1e5 }] };
    const { groups } = draw({ ...group('a', 14e6, []), lanes: [lane] });
    expect(groups[0]?.lanes[0]?.notes.map((one) => one.text)).toEqual(['stalled, 127 times']);
  });

  test('show where a trace ends before its run does', () => {
    const cut = { ...group('a', 4e6, []), recordedPs: 1e6 };
    const { groups, difference } = draw(cut, group('b', 2e6, []));
    expect(groups[0]?.cut?.x).toBeLessThan(groups[0]?.end.x ?? 0);
    expect(groups[1]?.cut).toBeNull();
    expect(difference?.label.text).toContain('a is 2\u00a0µs');
  });

  test('keep names off the lanes on a small sheet', () => {
    const lane = (id: string) => ({ id, title: 'DMA write engine', spans: [], notes: [] });
    const run = { ...group('DMA write', 12e6, []), lanes: [lane('a'), lane('b')] };
    const { groups, difference, height } = lanesModel({
      width: 390,
      groups: [{ ...run, endPs: 8e6, recordedPs: 8e6 }, run],
      compact: true,
    });
    const [first, second] = groups;
    expect(first?.title.y).toBeLessThan(first?.lanes[0]?.y ?? 0);
    expect(second?.title.y).toBeGreaterThan(first?.end.to ?? 0);
    expect(difference?.label.y).toBeGreaterThan(second?.end.to ?? 0);
    expect(difference?.label.y).toBeLessThan(height);
  });

  test('are clipped to the time window', () => {
    const axis = linearAxis(1e6, 2e6, 0, 100);
    const inside = span(1.5e6, 9e6, { text: 'data' });
    const bars = laneBars([span(0, 0.5e6), inside], axis, 0, 11);
    expect(bars.map((bar) => bar.path)).toEqual(['M50.00 0h49.40v11h-49.40z']);
    expect(laneLabels([span(0, 0.9e6, { text: 'x' }), inside], axis)).toHaveLength(1);
    expect(laneLabels([inside], axis)).toHaveLength(1);
    expect(laneLabels([inside], axis, 20)).toEqual([]);
  });
});

test('background activity is a thin line without text', () => {
  const spans = [span(0, 1e6, { style: 'line', text: 'stack' })];
  const axis = linearAxis(0, 1e6, 0, 400);
  expect(laneBars(spans, axis, 10, 11)[0]?.path).toMatch(/^M0\.00 14\.5h[\d.]+v2h/);
  expect(laneLabels(spans, axis)).toEqual([]);
});
