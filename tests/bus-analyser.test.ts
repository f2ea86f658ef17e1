/** A PCI or PCI-X bus clock by clock: phases add up to the bus's counters and agree with its rules. */
import { describe, expect, test } from 'vitest';
import { analyserModel, columnAt, placeOfTime } from '../src/draw/run/bus-analyser';
import { columnText, transactionText } from '../src/draw/run/bus-analyser-text';
import {
  type AnalysedBus,
  allTransactions,
  asserted,
  type BusTransaction,
  busesOf,
  transactionsAround,
} from '../src/model/coherence/bus-phases';
import { traceVcd } from '../src/model/report/vcd';
import { createTrace, type Trace } from '../src/model/trace/trace';
import { HOST, IDLE, Run } from './support/one-machine';

interface Analysed {
  readonly run: Run;
  readonly trace: Trace;
  readonly bus: AnalysedBus;
  readonly all: readonly BusTransaction[];
}

function analysed(asked: ConstructorParameters<typeof Run>[0]): Analysed {
  const run = new Run(asked);
  const trace = createTrace(run.machine);
  trace.append(run.core.trace(1, 200_000));
  const bus = busesOf(run.machine)[0];
  if (!bus) throw new Error('no bus');
  return { run, trace, bus, all: [...allTransactions(run.machine, trace, bus)] };
}

const sum = (all: readonly BusTransaction[], of: (one: BusTransaction) => number): number =>
  all.reduce((total, one) => total + of(one), 0);

const phases = (one: BusTransaction | undefined): string =>
  (one?.phases ?? []).map(({ kind, clocks }) => `${kind} ${clocks}`).join(', ');

const disks = (params: object, rest: object = {}) => ({
  scsi: { params: { blocks: 1, address: HOST, ...params } },
  ...rest,
});

const MACHINES: readonly (readonly [string, ConstructorParameters<typeof Run>[0]])[] = [
  [
    'a storage adapter on PCI',
    { machine: 'zx1-53c1010', parts: disks({ bytes: 8192 }), rows: [IDLE] },
  ],
  [
    'a network card on PCI that hears doorbells',
    {
      machine: 'zx1-bcm5701',
      rows: Array.from({ length: 12 }, () => [
        { do: 'io_store', to: 0xf000_0000, count: 1 },
        { do: 'spend', time: '900 ns' },
      ]).flat(),
    },
  ],
  [
    'two ports on PCI-X',
    {
      machine: 'zx1-x-lan',
      rows: [
        { do: 'io_store', to: 0xf000_0000, count: 6 },
        { do: 'io_store', to: 0xf001_0000, count: 6 },
        { do: 'spend', time: '20 us' },
      ],
    },
  ],
];

describe.each(MACHINES)('%s', (_, asked) => {
  const { run, bus, all } = analysed(asked);
  const { name } = run.machine.parts[bus.part] ?? { name: '' };
  const counted = (counter: string) => run.counter(name, counter);
  const ended = (outcome: string) => all.filter((one) => one.outcome === outcome).length;

  test("has phases that add up to the bus's counters", () => {
    expect(all.length).toBeGreaterThan(10);
    for (const one of all) {
      expect(sum([one], ({ phases: of }) => of.reduce((n, { clocks }) => n + clocks, 0))).toBe(
        one.clocks,
      );
    }
    // A clock is 14 999.99... ps here, and the engine cuts each duration to whole picoseconds.
    const near = (ps: number) => Math.round(ps / bus.clockPs);
    expect(sum(all, ({ clocks }) => clocks)).toBe(near(counted('busy')));
    expect(sum(all, ({ dataClocks }) => dataClocks)).toBe(near(counted('data')));
    const moved = all.filter(({ dataClocks }) => dataClocks > 0);
    expect(sum(moved, ({ bytes }) => bytes)).toBe(counted('bytes'));
    expect(moved.length).toBe(counted('transactions'));
  });

  test('has as many retries, interrupted bursts and splits as the bus counts', () => {
    expect(ended('retried')).toBe(counted('retries'));
    expect(ended('preempted')).toBe(counted('preempted'));
    if (bus.isX) expect(ended('split')).toBe(counted('splits'));
    else expect(ended('disconnected')).toBe(counted('disconnects'));
  });

  test('never has two transactions at once, and has an idle clock between them', () => {
    all.forEach((one, i) => {
      const next = all[i + 1];
      if (next) expect(next.from - one.to).toBeGreaterThan(bus.clockPs * (bus.isX ? 1.9 : 0.9));
    });
  });
});

describe('one read of 256 B on PCI', () => {
  const { bus, all } = analysed({
    machine: 'zx1-53c1010',
    parts: disks({ bytes: 256 }, { lba: { params: { mrm_consistent_depth: 0 } } }),
    rows: [IDLE],
  });

  test('is retried until its line has arrived; then come 16 data phases and a disconnect', () => {
    expect(phases(all[0])).toBe('address 1, turn 1, retry 1');
    expect(all[0]?.command.name).toBe('read_multiple');
    const first = all.find(({ dataClocks }) => dataClocks > 0);
    expect(phases(first)).toBe('address 1, turn 1, data 16');
    expect(first?.outcome).toBe('disconnected');
    // The remaining line is read by MRL.
    const last = all.at(-1);
    expect(last?.command.name).toBe('read_line');
    expect(last?.outcome).toBe('end');
    expect(last?.address).toBe(HOST + 128);
  });

  test('is described in words, with the share of clocks that carry data', () => {
    const first = all.find(({ dataClocks }) => dataClocks > 0);
    if (!first) throw new Error('nothing moved');
    expect(transactionText(first, 'Disk').replaceAll('\u00a0', ' ')).toBe(
      'Disk, memory read multiple of 128 B at 0x100000: clock 0 address, clock 1 turn-around, clocks 2 to 17 data; the target ends the burst (disconnect). 16 of 18 clocks carry data: 89 %, 474 MB/s.',
    );
  });

  test('is laid out around the playhead, with long idle times and bursts folded', () => {
    const playheadPs = all.at(-2)?.from ?? 0;
    const model = analyserModel({ bus, around: all, playheadPs, left: 76, width: 620 });
    const { columns, transactions } = model;
    expect(transactions.at(-1)?.seq).toBe(all.at(-1)?.seq);
    expect(columns.every(({ x, width }) => x >= 76 && x + width <= 620)).toBe(true);
    columns.forEach((column, i) => {
      const next = columns[i + 1];
      if (next) expect(next.x).toBeCloseTo(column.x + column.width, 6);
    });
    const at = placeOfTime(model, playheadPs);
    expect(columns[columnAt(model, (at ?? 0) + 1) ?? -1]).toMatchObject({
      kind: 'address',
      clock: 0,
    });
    const texts = columns.map((column) => columnText(model, column, 'Disk'));
    expect(texts).toContain(
      'Clock 2, retry; Disk owns the bus; low: IRDY#, DEVSEL#, STOP#. Here the target asks for a retry.',
    );
    expect(texts).toContain(
      'Clock 2, data 1 of 16; Disk owns the bus; low: FRAME#, IRDY#, DEVSEL#, TRDY#.',
    );
  });

  test("has the signals that PCI's rules define for those phases", () => {
    const [retried] = all;
    const first = all.find(({ dataClocks }) => dataClocks > 0);
    if (!retried || !first) throw new Error('nothing moved');
    expect(asserted(bus, retried, 0)).toEqual(['FRAME#']);
    expect(asserted(bus, retried, 2)).toEqual(['IRDY#', 'DEVSEL#', 'STOP#']);
    expect(asserted(bus, first, 1)).toEqual(['FRAME#', 'IRDY#']);
    expect(asserted(bus, first, 2)).toEqual(['FRAME#', 'IRDY#', 'DEVSEL#', 'TRDY#']);
    expect(asserted(bus, first, 17)).toEqual(['IRDY#', 'DEVSEL#', 'TRDY#', 'STOP#']);
  });

  test('takes longer only where decode is slower than the turn-around', () => {
    const slow = analysed({
      machine: 'zx1-53c1010',
      parts: { ...disks({ bytes: 256 }), bus: { params: { decode: 2 } } },
      rows: [IDLE],
    });
    const first = slow.all.find(({ dataClocks }) => dataClocks > 0);
    if (!first) throw new Error('nothing moved');
    expect(phases(first)).toMatch(/^address 1, turn 1, decode 1, data /);
    expect(asserted(slow.bus, first, 2)).toEqual(['FRAME#', 'IRDY#']);
    expect(asserted(slow.bus, first, 3)).toEqual(['FRAME#', 'IRDY#', 'DEVSEL#', 'TRDY#']);
  });
});

test('a read on PCI-X is split, and its data comes as a completion of the bridge', () => {
  const { run, bus, all, trace } = analysed({
    machine: 'zx1-x-scsi',
    parts: disks({ bytes: 512 }),
    rows: [IDLE],
  });
  expect(phases(all[0])).toBe('address 1, attributes 1, decode 1, split 1');
  expect(all[0]?.command.name).toBe('read_block');
  expect(all[0]?.bytes).toBe(512);
  const completion = all[1];
  expect(phases(completion)).toMatch(/^address 1, attributes 1, decode 2, data 16/);
  expect(run.name(completion?.master ?? -1)).toBe('lba');
  expect(all[0] && asserted(bus, all[0], 3)).toEqual(['IRDY#', 'TRDY#']);
  // A window around a time shows part of the whole.
  const at = completion?.from ?? 0;
  const seqs = transactionsAround(run.machine, trace, bus, at, { before: 1, after: 1 });
  expect(seqs.map(({ seq }) => seq)).toEqual(all.slice(0, 3).map(({ seq }) => seq));
});

test('a dump for waveform viewers has each clock, and the same shares', () => {
  const { run, trace, bus, all } = analysed({
    machine: 'zx1-53c1010',
    parts: disks({ bytes: 1024 }),
    rows: [IDLE],
  });
  const endPs = 50e9;
  const lines = [...traceVcd(run.machine, trace, endPs)].join('').split('\n');
  const codeOf = (name: string) =>
    lines.find((line) => line.endsWith(` ${name} $end`))?.split(' ')[3] ?? name;
  const [phase, trdy] = [codeOf('phase'), codeOf('TRDY_n')];
  let [now, dataPs, lowPs, inData, isLow] = [0, 0, 0, false, false];
  for (const line of lines) {
    if (line.startsWith('#')) {
      const to = Number(line.slice(1));
      expect(to).toBeGreaterThanOrEqual(now);
      if (inData) dataPs += to - now;
      if (isLow) lowPs += to - now;
      now = to;
    } else if (line.endsWith(` ${phase}`)) inData = line === `sdata ${phase}`;
    else if (line === `0${trdy}`) isLow = true;
    else if (line === `1${trdy}`) isLow = false;
  }
  const clocks = sum(all, ({ dataClocks }) => dataClocks);
  expect(now).toBe(endPs);
  expect(clocks).toBe(1024 / 8);
  expect(Math.round(dataPs / bus.clockPs)).toBe(clocks);
  expect(Math.round(lowPs / bus.clockPs)).toBe(clocks);
});
