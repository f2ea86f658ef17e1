import { describe, expect, test } from 'vitest';
import type { RunRow, RunTable } from '../../model/lab/run-table';
import type { Figure } from '../../model/published/published';
import type { Axis, Metric, Scenario, Value } from '../../model/scenario/scenario-types';
import { comparedRows, namedTitle, numberAxes } from '../run/run-rows';
import { barsModel, columnsModel } from './results';

const axis = (name: string, values: readonly Value[], titles = values.map(String)): Axis => ({
  name,
  title: name,
  unit: '',
  values,
  titles,
  also: {},
});

const threads = axis('threads', [1, 2, 4, 8]);
const pools = axis('pools', [1, 4, 16]);
const tso = axis('TSO', [false, true], ['off', 'on']);
const axes = [threads, pools, tso];

const metric = (name: string, unit: string) => ({ name, title: name, unit }) as Metric;
const published = { value: 9, range: [8.5, 9.5], unit: 'Gb/s' } as unknown as Figure;

/** Throughput is threads times pools; one run has not ended. */
function table(): RunTable {
  const rows: RunRow[] = [];
  for (const on of [false, true])
    for (const count of [1, 4, 16])
      for (const senders of [1, 2, 4, 8]) {
        const at = { threads: senders, pools: count, TSO: on };
        const value = senders * count;
        const ended = senders < 8 || count < 16;
        rows.push({
          point: { index: rows.length, at, variables: at },
          titles: [String(senders), String(count), on ? 'on' : 'off'],
          values: ended ? [value, 100 / value] : [undefined, undefined],
          original: [],
          counters: null,
          changes: '',
          state: 'final',
          published: [count === 16 && senders === 8 ? published : null, null],
        });
      }
  const scenario = { experiment: { x: threads, series: [] } } as unknown as Scenario;
  return {
    scenario,
    axes,
    metrics: [metric('throughput', 'Gb/s'), metric('contended', '%')],
    rows,
    done: 0,
    problem: null,
    paused: false,
  };
}

const here = { threads: 4, pools: 16, TSO: false };

describe('bars', () => {
  test('compare runs at the same load, with switches unchanged', () => {
    const rows = comparedRows(table(), here);
    expect(rows.map(({ point }) => point.at)).toEqual(
      [1, 4, 16].map((count) => ({ threads: 4, pools: count, TSO: false })),
    );
  });

  test('are as long as their values, and the open run is marked', () => {
    const model = barsModel(table(), here, 300);
    expect(model?.bars.map(({ title, current, text }) => [title, current, text])).toEqual([
      ['1 pool', false, '4'],
      ['4 pools', false, '16'],
      ['16 pools', true, '64'],
    ]);
    const [first, , last] = model?.bars ?? [];
    expect((last?.width ?? 0) / (first?.width ?? 1)).toBeCloseTo(16);
  });

  test('have a scale of their unit before any run has ended', () => {
    const fresh = table();
    const rows = fresh.rows.map((row) => ({
      ...row,
      values: [undefined, undefined],
      published: [null, null],
    }));
    const labels = (unit: string) =>
      barsModel({ ...fresh, rows, metrics: [metric('share', unit)] }, here, 300)?.ticks.map(
        ({ label }) => label,
      );
    expect(labels('%')?.at(-1)).toBe('100 %');
    expect(labels('Gb/s')?.at(-1)).toBe('1 Gb/s');
  });

  test('show the published range, also before their run has ended', () => {
    const bars = barsModel(table(), { ...here, threads: 8 }, 300)?.bars ?? [];
    const last = bars.at(-1);
    expect([last?.value, last?.text, last?.width]).toEqual([undefined, '', 0]);
    expect(last?.bracket?.text).toBe('published 8.5 to 9.5 Gb/s');
    expect(last?.bracket && last.bracket.to > last.bracket.from).toBe(true);
    expect(last?.textX).toBeGreaterThan(last?.bracket?.to ?? Number.POSITIVE_INFINITY);
    expect(bars[0]?.bracket).toBeNull();
  });
});

describe('columns', () => {
  test('follow one axis of numbers, with everything else as in the open run', () => {
    expect(numberAxes(table())).toEqual([threads, pools]);
    const model = columnsModel(table(), pools, { ...here, threads: 2 }, 300);
    expect(model?.columns.map(({ title, texts }) => [title, ...texts])).toEqual([
      ['1', '2', '50\u00a0%'],
      ['4', '8', '13\u00a0%'],
      ['16', '32', '3\u00a0%'],
    ]);
    const tops = model?.columns.map(({ top }) => top) ?? [];
    expect(tops).toEqual(tops.toSorted((a, b) => b - a));
  });

  test('become fewer where there is no room, but keep the open run', () => {
    const long = axis(
      'threads',
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    const rows = long.values.map(
      (value, index): RunRow => ({
        point: { index, at: { threads: value }, variables: { threads: value } },
        titles: [String(value)],
        values: [1, 1],
        original: [],
        counters: null,
        changes: '',
        state: 'final',
        published: [null, null],
      }),
    );
    const model = columnsModel({ ...table(), axes: [long], rows }, long, { threads: 7 }, 300);
    expect(model?.columns.length).toBeLessThan(12);
    expect(model?.columns.filter(({ current }) => current).map(({ title }) => title)).toEqual([
      '7',
    ]);
  });
});

test('bare numbers and switches take the name of their axis', () => {
  expect([namedTitle('1', pools), namedTitle('16', pools)]).toEqual(['1 pool', '16 pools']);
  const packets = { ...pools, title: 'packets per connection' };
  expect(namedTitle('1', packets)).toBe('1 packet per connection');
  expect([namedTitle('off', tso), namedTitle('TSO off', tso)]).toEqual(['TSO off', 'TSO off']);
  expect(namedTitle('call outside', axis('case', ['a']))).toBe('call outside');
});
