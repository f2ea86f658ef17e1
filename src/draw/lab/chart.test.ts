import { describe, expect, test } from 'vitest';
import { widthOf } from '../text-width';
import { sizeText } from './along-curve';
import { chartOf, valueText } from './chart';
import { crossing, FOUR, input, SIZES, series } from './chart.fixture';
import { spread } from './labels';

describe('the size chart', () => {
  test('draws each curve through its simulated points and nowhere else', () => {
    const chart = chartOf(input());
    const curve = chart.curves.find((one) => one.id === 'dma_write-simulated');
    const corners = curve?.path.match(/[ML]?(-?[\d.]+),(-?[\d.]+)/g) ?? [];
    const points = chart.marks.filter((m) => m.series === 'dma_write' && m.kind === 'simulated');
    expect(corners).toHaveLength(SIZES.length);
    expect(points).toHaveLength(SIZES.length);
    expect(curve?.path).toContain(`${Number(points[5]?.x.toFixed(2))},`);
  });

  test('draws only the runs that have finished', () => {
    const some = series('pio_write', 'PIO write', [20_000, 16_260]);
    const half = { ...some, simulated: some.simulated.slice(0, 7) };
    const none = { ...some, id: 'dma_write', simulated: [] };
    const chart = chartOf(input({ series: [half, none], crossings: [] }));
    expect(chart.curves.map((curve) => curve.id)).toEqual(['pio_write-simulated']);
    expect(chart.marks.filter((mark) => mark.kind === 'simulated')).toHaveLength(7);
  });

  test('joins no points of different parameters', () => {
    const [one] = FOUR;
    if (!one) throw new Error('no series');
    const older = (from: number, to: number, parameters: string) => (index: number) =>
      index >= from && index < to ? { parameters, stale: true } : null;
    const kinds = [older(6, 12, 'older'), older(12, 19, 'oldest')];
    const simulated = one.simulated.map((reading, index) => ({
      ...reading,
      ...kinds.map((kind) => kind(index)).find((kind) => kind !== null),
    }));
    const chart = chartOf(input({ series: [{ ...one, simulated }], crossings: [] }));
    const corners = (id: string) =>
      chart.curves
        .find((curve) => curve.id === `${one.id}-${id}`)
        ?.path.split('M')
        .slice(1)
        .map((piece) => piece.split('L').length);
    expect(corners('simulated')).toEqual([6]);
    expect(corners('stale')).toEqual([6, 7]);
    const stale = chart.marks.filter((mark) => mark.kind === 'simulated' && mark.stale);
    expect(stale).toHaveLength(13);
    expect(chart.legend.map((row) => row.kind)).toContain('stale');
  });

  test('fills the reach of a slider between its lowest and highest curve', () => {
    const [one] = FOUR;
    if (!one) throw new Error('no series');
    const at = (factor: number, count: number) =>
      one.simulated.slice(0, count).map(({ size, value }) => ({ size, value: value * factor }));
    const fan = [at(0.5, 19), at(2, 10)];
    const chart = chartOf(
      input({ series: [{ ...one, fan }], crossings: [], fan: 'Per call: from 0 ns to 1 µs' }),
    );
    expect(chart.bands.map(({ path }) => path.match(/[ML]/g)?.length)).toEqual([20]);
    expect(chart.curves.filter((curve) => curve.kind === 'fan')).toHaveLength(1);
    expect(chart.legend[0]?.text).toBe('Per call: from 0 ns to 1 µs');
    const without = chartOf(input({ series: [one], crossings: [] }));
    expect(chart.valueTicks).toEqual(without.valueTicks);
    expect(without.bands).toEqual([]);
  });

  test('keeps every mark inside the plot', () => {
    const { plot, marks } = chartOf(input());
    for (const mark of marks) {
      expect(mark.x).toBeGreaterThanOrEqual(plot.x - 0.01);
      expect(mark.x).toBeLessThanOrEqual(plot.x + plot.width + 0.01);
      expect(mark.y).toBeGreaterThanOrEqual(plot.y);
      expect(mark.y).toBeLessThanOrEqual(plot.y + plot.height);
    }
  });

  test('rings the measured value of each method at the size under the pointer', () => {
    const { hover } = chartOf(input({ size: 512 }));
    expect(hover?.rings.map((ring) => [ring.series, ring.kind])).toEqual([
      ['pio_write', 'measured'],
      ['dma_write', 'measured'],
      ['pio_read', 'measured'],
      ['dma_read', 'measured'],
    ]);
    expect(chartOf(input({ size: null })).hover).toBeNull();
  });

  test('rings the simulated value where there is no measurement', () => {
    const bare = FOUR.map((one) => ({ ...one, measured: [] }));
    const { hover, residuals } = chartOf(input({ quantity: 'cpu', series: bare }));
    expect(hover?.rings.every((ring) => ring.kind === 'simulated')).toBe(true);
    expect(residuals).toBeNull();
  });

  test('finds the size and the mark under the pointer', () => {
    const chart = chartOf(input());
    const mark = chart.marks.find((one) => one.series === 'dma_read' && one.size === 64);
    if (!mark) throw new Error('no mark');
    expect(chart.sizeAt(mark.x + 6)).toBe(64);
    expect(chart.markAt(mark.x + 3, mark.y - 2)).toMatchObject({ series: 'dma_read', size: 64 });
    expect(chart.markAt(chart.plot.x + 400, chart.plot.y + 5)).toBeNull();
  });

  test('has a layout of its own for a small screen', () => {
    const wide = chartOf(input());
    const small = chartOf(input({ width: 390, height: 420, compact: true }));
    const named = (chart: typeof wide) => chart.sizeTicks.filter((tick) => tick.label).length;
    expect(named(small)).toBeLessThan(named(wide));
    expect(small.residuals).toBeNull();
    expect(small.legend.map((row) => row.text)).toEqual(['measured', 'simulated']);
    expect(small.markers.map((marker) => marker.lines.map((line) => line.text))).toEqual([
      ['read 128\u00a0B'],
      ['write 1\u202f024\u00a0B'],
    ]);
    expect(small.plot.width).toBeGreaterThan(330);
    expect(small.labels.every((label) => label.anchor === 'end')).toBe(true);
  });

  test('gives the height to the curves when there is little', () => {
    expect(chartOf(input({ height: 400 })).residuals).toBeNull();
    expect(chartOf(input({ height: 620 })).residuals?.rows).toHaveLength(4);
  });

  test('keeps a fixed scale, and draws no mark beyond it', () => {
    const { low, high } = { low: 1, high: 40 };
    const { plot, valueTicks, marks } = chartOf(input({ range: [low, high] }));
    expect(valueTicks[0]).toMatchObject({ value: low, at: plot.y + plot.height });
    expect(marks.length).toBeGreaterThan(0);
    for (const { value } of marks) {
      expect(value).toBeGreaterThanOrEqual(low * 0.999);
      expect(value).toBeLessThanOrEqual(high * 1.001);
    }
  });

  test('explains in the legend exactly what is drawn', () => {
    const kinds = chartOf(input()).legend.map((row) => row.kind);
    expect(kinds).toEqual(['measured', 'simulated']);
    const more = FOUR.map((one) => ({ ...one, before: one.simulated, own: one.measured }));
    expect(chartOf(input({ series: more })).legend.map((row) => row.kind)).toEqual([
      'measured',
      'own',
      'simulated',
      'before',
    ]);
  });

  test('labels of close curves do not overlap', () => {
    const close = FOUR.map((one, i) => ({
      ...one,
      id: String(i),
      simulated: FOUR[0]?.simulated ?? [],
    }));
    const at = chartOf(input({ series: close, crossings: [] }))
      .labels.map((label) => label.y)
      .sort((a, b) => a - b);
    at.slice(1).forEach((y, i) => {
      expect(y - (at[i] ?? 0)).toBeGreaterThanOrEqual(14 - 1e-6);
    });
  });
});

describe('along an axis other than size', () => {
  const depths = [1, 2, 4, 8, 16];
  const over = (sizes: readonly number[], along = { title: 'posting buffer', unit: 'stores' }) => {
    const flat = (one: (typeof FOUR)[number]) => ({
      ...one,
      measured: [],
      simulated: sizes.map((size) => ({ size, value: 10, parameters: '', stale: false })),
    });
    return input({ along, sizes, size: sizes[1] ?? null, series: FOUR.map(flat), crossings: [] });
  };
  const named = (chart: ReturnType<typeof chartOf>) =>
    chart.sizeTicks.map((tick) => tick.label).filter(Boolean);

  test('titles the axis with its unit, and writes no bytes', () => {
    const chart = chartOf(over(depths));
    expect(chart.sizeTitle.map((line) => line.text).join(' ')).toBe('posting buffer, stores');
    expect(named(chart)).toEqual(['1', '2', '4', '8', '16']);
    for (const { x, text } of chart.sizeTitle)
      expect(x + widthOf(text, 12)).toBeLessThanOrEqual(chart.width);
  });

  test('is logarithmic if values grow by a factor, and linear if they grow by a constant', () => {
    const gaps = (sizes: readonly number[]) => {
      const at = chartOf(over(sizes)).sizeTicks.map((tick) => tick.at);
      return at.slice(1).map((x, i) => Math.round(x - (at[i] ?? 0)));
    };
    expect(new Set(gaps(depths)).size).toBe(1);
    expect(new Set(gaps([0, 5, 10, 15, 20])).size).toBe(1);
    expect(new Set(gaps([10, 20, 30, 40])).size).toBe(1);
  });

  test('finds the value under the pointer, also zero', () => {
    const chart = chartOf(over([0, 5, 10, 15, 20]));
    expect(chart.sizeAt(chart.plot.x + 3)).toBe(0);
    expect(chart.sizeAt(chart.plot.x + chart.plot.width * 0.26)).toBe(5);
  });

  test('states a crossing in its unit, or by name if it has none', () => {
    const found = crossing('write', { now: { grid: 4, exact: 3.37 } });
    const sentences = (unit: string) => {
      const along = { title: 'burst', unit };
      return chartOf({ ...over(depths, along), crossings: [found] }).markers[0]?.text;
    };
    expect(sentences('words')).toBe(
      'write: DMA from 4\u00a0words; curves cross at 3.37\u00a0words',
    );
    expect(sentences('')).toBe('write: DMA from burst\u00a04; curves cross at burst\u00a03.37');
    expect(sizeText({ title: 'burst', unit: 'words' }, 1)).toBe('1\u00a0word');
  });

  test('writes values in their own unit', () => {
    const chart = chartOf({ ...over(depths), quantity: 'amount', unit: 'packets' });
    expect(chart.valueTitle.text).toBe('packets');
    expect(valueText('amount', 'packets', 12)).toBe('12.00\u00a0packets');
  });
});

describe('a long title of a crossing', () => {
  const title = 'When does my own DMA engine beat programmed stores';
  for (const [width, compact] of [
    [836, false],
    [390, true],
  ] as const)
    test(`fits on the sheet at a width of ${width}, clear of its strip`, () => {
      const crossings = [crossing('write', { title }), crossing('read', { title })];
      const chart = chartOf(input({ width, compact, crossings }));
      let above = 0;
      for (const strip of chart.strips) {
        const { x, y, text, anchor } = strip.title;
        expect(anchor).toBe('start');
        expect(text.slice(0, 30)).toBe(title.slice(0, 30));
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + widthOf(text, 11)).toBeLessThanOrEqual(width);
        expect(y).toBeLessThan(strip.y);
        expect(y - 10).toBeGreaterThanOrEqual(above);
        above = strip.y + strip.height;
      }
      for (const marker of chart.markers) {
        expect(marker.grip.y).toBeGreaterThanOrEqual(above - 2);
        for (const { x, text, anchor } of marker.lines) {
          const wide = widthOf(text, 12.5);
          expect(anchor === 'start' ? x : x - wide).toBeGreaterThanOrEqual(0);
          expect(anchor === 'start' ? x + wide : x).toBeLessThanOrEqual(width);
        }
      }
    });
});

describe('a crossing', () => {
  test('states the first size of the table and where the curves meet', () => {
    const marker = chartOf(input()).markers.find((one) => one.id === 'write');
    expect(marker?.text).toBe(
      'write: DMA from 1\u202f024\u00a0B; curves cross at 1\u202f011\u00a0B',
    );
    expect(marker?.ring).not.toBeNull();
  });

  test('rings the curve of the method that is overtaken', () => {
    const chart = chartOf(input());
    const marker = chart.markers.find((one) => one.id === 'write');
    const flat = chart.marks.find((m) => m.series === 'pio_write' && m.size === 1024);
    expect(marker?.ring).toBeCloseTo(flat?.y ?? 0, -1);
    expect(chart.exactSizeAt(marker?.x ?? 0)).toBeCloseTo(1010.7, 3);
  });

  test('that never happens has its handle at the edge and says so', () => {
    const never = crossing('write', { now: { grid: null, exact: null } });
    const chart = chartOf(input({ crossings: [never] }));
    const [marker] = chart.markers;
    expect(marker?.text).toBe('write: DMA never wins');
    expect(marker?.ring).toBeNull();
    expect(marker?.x).toBeCloseTo(chart.plot.x + chart.plot.width);
    expect(chart.strips[0]?.spans.map((span) => span.text)).toEqual(['PIO faster']);
  });

  test('that precedes all sizes says so', () => {
    const always = crossing('read', { now: { grid: 4, exact: null } });
    const chart = chartOf(input({ crossings: [always] }));
    expect(chart.markers[0]?.text).toBe('read: PIO never wins');
    expect(chart.strips[0]?.spans.map((span) => span.text)).toEqual(['DMA faster']);
  });

  test('shows its position before the last edit, if it moved', () => {
    const moved = crossing('write', { before: { grid: 2048, exact: 1500 } });
    const still = crossing('read', { before: { grid: 128, exact: 70.4 } });
    const { markers } = chartOf(input({ crossings: [moved, still] }));
    const before = markers.map((marker) => marker.before?.label.text ?? null);
    expect(before).toEqual([null, 'before: DMA from 2\u202f048\u00a0B']);
  });

  test('labels of two handles do not overlap', () => {
    for (const exact of [80, 120, 200, 500, 1200]) {
      const near = crossing('write', { now: { grid: 2 * exact, exact } });
      const { markers } = chartOf(input({ crossings: [near, crossing('read')] }));
      const [a, b] = markers.map((marker) => marker.lines[0]);
      if (!a || !b) throw new Error('no labels');
      const apart = a.anchor === 'end' && b.anchor === 'start' ? b.x - a.x > 0 : a.y !== b.y;
      expect(apart, `crossings at 70 and ${exact} B`).toBe(true);
    }
  });

  test('compares processor time in the view of processor time', () => {
    const { strips, markers } = chartOf(input({ quantity: 'cpu' }));
    expect(strips[0]?.spans[1]?.text).toBe('DMA less CPU');
    expect(markers[0]?.text).toContain('read: DMA from 128');
  });
});

describe('the residual strip', () => {
  test('compares all rows on one scale and names the worst', () => {
    const off = series('dma_write', 'DMA write', [7_600_000, 8_760], {
      measured: [{ size: 4, value: 0.5, calibrated: true }],
    });
    const rows = chartOf(input({ series: [...FOUR.slice(0, 1), off] })).residuals?.rows ?? [];
    expect(rows.map((row) => row.title.text)).toEqual(['PIO w', 'DMA w']);
    expect(rows[0]?.worst.text).toBe('worst 2.0\u00a0%');
    expect(rows[1]?.bars[0]).toMatchObject({ calibrated: true, size: 4 });
    const plain = rows[0]?.bars[3];
    expect(plain?.percent).toBeCloseTo(-1.96, 2);
    expect(plain?.y).toBe(rows[0]?.y);
  });

  test('shows the deviation of the linear fit beside that of the runs', () => {
    const one = series('dma_write', 'DMA write', [7_600_000, 8_760]);
    const linearFit = one.measured.map(({ size, value }) => ({ size, value: value * 1.28 }));
    const [row] =
      chartOf(input({ series: [{ ...one, linearFit }], crossings: [] })).residuals?.rows ?? [];
    expect(row?.worst.text).toBe('worst 2.0, fit 28\u00a0%');
    expect(row?.linearFit).toHaveLength(SIZES.length);
  });

  test('clips what is off the scale and marks it', () => {
    const wild = series('pio_read', 'PIO read', [340_000, 96_600], {
      measured: [{ size: 64, value: 1, calibrated: false }],
    });
    const bar = chartOf(input({ series: [wild], crossings: [] })).residuals?.rows[0]?.bars[0];
    expect(bar?.clipped).toBe(true);
    expect(bar?.height).toBeLessThan(11);
  });
});

test('spread keeps the order and the limits', () => {
  expect(spread([10, 11, 50], 14, 0, 60)).toEqual([10, 24, 50]);
  expect(spread([58, 59], 14, 0, 60)).toEqual([46, 60]);
});
