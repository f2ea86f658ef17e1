import { describe, expect, test } from 'vitest';
import { pointsOf } from '../scenario/experiment';
import { compiled, loaded } from '../scenario/scenario.fixture';
import { createTrace } from '../trace/trace';
import { chunkOf } from '../trace/trace.fixture';
import { csvLine, experimentCsv, traceJsonLines, tracePerfetto } from './export';

const machine = compiled(loaded());

const trace = createTrace(machine);
trace.append(
  chunkOf([
    { at: 0, part: 0, kind: 1, b: 1 },
    { at: 100, part: 0, kind: 1, b: 2, cause: 1 },
    { at: 200, part: 0, kind: 2, a: 16, b: 4, c: 9, cause: 2 },
    { at: 300, part: 0, kind: 1, b: 0, cause: 3 },
  ]),
);

test('a CSV cell is quoted if necessary', () => {
  expect(csvLine(['a', 'b,c', 'say "d"', 1.5, null])).toBe('a,"b,c","say ""d""",1.5,\n');
});

test.each(['=1+1', '+1', '-cmd|x', '@sum', '\tx', '\r=1', '\uff1d1', '=HYPERLINK("x")'])(
  'a text that a spreadsheet would evaluate is marked as text: %j',
  (text) => {
    const cell = csvLine([text]);
    expect(cell.replace(/^"/, '').startsWith("'")).toBe(true);
  },
);

test('a signed number stays a number', () => {
  expect(csvLine([-3.92, 1e-7, -1e21, 'a-b', '1 = 1'])).toBe('-3.92,1e-7,-1e+21,a-b,1 = 1\n');
});

describe('an experiment as CSV', () => {
  const scenario = loaded((file) => {
    const axes = file.experiment.axes as Record<string, unknown>;
    axes.size = { values: axes.size, unit: 'B' };
    file.experiment.series = [
      { title: 'PIO', at: { method: 'pio_write' }, figures: 'gt.pio_write.{size}' },
    ];
  });

  test('has a row for each finished run, with the published figure', () => {
    const points = pointsOf(scenario);
    const done = points.map((point) => (point.index < 2 ? [[2, 4e5], [], []] : null));
    expect(experimentCsv(scenario, points, done)).toBe(
      'size (B),method,throughput (MB/s),published\n4,pio_write,20,27.72\n8,pio_write,40,49.98\n',
    );
  });
});

describe('a trace', () => {
  test('as JSON lines has named fields and a sentence', () => {
    const lines = [...traceJsonLines(machine, trace)].map((line) => JSON.parse(line));
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatchObject({
      seq: 2,
      time_ps: 100,
      event: 'state',
      state: 'wait',
      cause: 1,
    });
    expect(lines[2]).toMatchObject({ event: 'store', address: 16, bytes: 4, write: 9 });
  });

  test.each([2n ** 53n + 1n, 0x14d000000108001n, 2n ** 64n - 1n])(
    'has all digits of a 64-bit field: %d',
    (value) => {
      const large = createTrace(machine);
      large.append(chunkOf([{ at: 0, part: 0, kind: 2, a: value, b: 4, c: 9 }]));
      const [line] = [...traceJsonLines(machine, large)];
      expect(line).toContain(`"address":${value},`);
      expect(line).toContain(`0x${value.toString(16).toUpperCase()}`);
    },
  );

  test('in the Chrome trace format is JSON with a slice for each span', () => {
    const { traceEvents } = JSON.parse([...tracePerfetto(machine, trace, 500)].join(''));
    const slices = traceEvents.filter((event: { ph: string }) => event.ph === 'X');
    expect(slices).toEqual([
      { ph: 'X', pid: 1, tid: 1, ts: 0, dur: 0.0001, name: 'own work', args: { seq: 1 } },
      {
        ph: 'X',
        pid: 1,
        tid: 1,
        ts: 0.0001,
        dur: expect.closeTo(0.0002, 12),
        name: 'waiting for the bus',
        args: { seq: 2 },
      },
    ]);
    const marks = traceEvents.filter((event: { ph: string }) => event.ph === 'i');
    expect(marks).toMatchObject([{ name: 'store', ts: 0.0002, args: { seq: 3, cause: 2 } }]);
  });
});
