import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SweepJob, SweepResult, Sweeps } from '../../engine/api';
import { agrees } from '../scenario/experiment';
import { readScenario } from '../scenario/scenarios';
import { addCommand, setEdits, setParam, setVariables, undoEdit } from '../session/editing';
import { session } from '../session/session';
import { openScenario } from '../session/session-module';
import { isOpenAt, RunTables, startTable } from './run-table';

/** Generous, for a busy machine. */
const SLOW = { timeout: 20_000 };

test('a table of runs has a row for each point with its published value', async () => {
  const scenario = await readScenario('gt/gfixit');
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  const { rows, metrics } = startTable(scenario.value);
  expect(rows.map((row) => row.titles[0])).toEqual([
    'as written',
    'as rewritten',
    "skip one's own segment",
    'one PIO read',
    'fifteen DMA reads',
  ]);
  const time = metrics.findIndex((metric) => metric.name === 'time');
  expect(rows.map((row) => row.published[time]?.value)).toEqual([
    46.875,
    7.811,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a scenario without an experiment has no table', async () => {
  const scenario = await readScenario('gt/one-word');
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  expect(startTable(scenario.value).rows).toEqual([]);
});

/** Sweeps that record requests and answer on command. */
class FakeSweeps implements Sweeps {
  readonly jobs: {
    job: SweepJob;
    end(how: 'done' | 'cancelled'): void;
    answer(bytes: number): void;
  }[] = [];

  sweep(job: SweepJob, onResult: (result: SweepResult) => void) {
    return new Promise<'done' | 'cancelled'>((end) => {
      this.jobs.at(-1)?.end('cancelled');
      const parts = session.getState().machine?.parts ?? [];
      const answer = (bytes: number) => {
        const counters = parts.map(({ type }) =>
          Float64Array.from(type.counters, ({ name }) => (name === 'bytes' ? bytes : 0)),
        );
        const where = { timePs: 0, events: 0, seq: 0, hash: null, wallMs: 0 };
        for (const index of job.sessions.keys())
          onResult({ ...where, index, counters, reason: 'until' });
        end('done');
      };
      this.jobs.push({ job, end, answer });
    });
  }

  cancel(): void {
    this.jobs.at(-1)?.end('cancelled');
  }

  dispose(): void {}
}

describe('a table that follows the session', () => {
  let sweeps: FakeSweeps;
  let tables: RunTables;
  let stop: () => void;

  const job = async (index: number) => {
    await vi.waitFor(() => expect(sweeps.jobs.length).toBeGreaterThan(index), SLOW);
    return sweeps.jobs[index] as FakeSweeps['jobs'][0];
  };
  const current = () => {
    const { machine } = session.getState();
    const row = tables.state
      .getState()
      .rows.find(({ point }) => agrees(point.at, machine?.variables ?? {}));
    return row && { state: row.state, value: row.values[0], original: row.original[0] };
  };
  const edit = (time: string) => setParam('map.demap_call', time, { commit: false });

  beforeEach(async () => {
    await openScenario('pools/one-lock-or-sixteen');
    sweeps = new FakeSweeps();
    tables = new RunTables(() => sweeps);
    stop = tables.show();
  });
  afterEach(() => stop());

  test('runs each point to its own end, also if the experiment varies the end', async () => {
    await openScenario('hp/two-hours');
    const from = sweeps.jobs.length;
    const ends: unknown[] = [];
    for (const i of [from, from + 1]) {
      const { job: one, answer } = await job(i);
      ends.push([(one.limit.untilPs ?? 0) / 60e12, one.sessions.length]);
      answer(0);
    }
    // The open run is 120 minutes long; each end has one run per allocator.
    expect(ends).toEqual([
      [120, 4],
      [3, 4],
    ]);
  });

  /** The bytes that correspond to a rate in Gb/s over 20 ms. */
  const gigabits = (rate: number) => (rate * 20e6) / 8;

  test('estimates the rows nearest to the open run from their first tenth, then runs all', async () => {
    const first = await job(0);
    const { length } = tables.state.getState().rows;
    expect(first.job.sessions.length).toBeLessThan(length);
    first.answer(gigabits(0.15));
    expect(current()).toMatchObject({ state: 'estimate' });
    expect(current()?.value).toBeCloseTo(1.5);
    const second = await job(1);
    expect(second.job.sessions).toHaveLength(length);
    expect(second.job.limit.untilPs).toBe((first.job.limit.untilPs ?? 0) * 10);
    second.answer(gigabits(1.6));
    expect(current()).toMatchObject({ state: 'final', original: undefined });
    expect(current()?.value).toBeCloseTo(1.6);
    expect(tables.state.getState().done).toBe(length);
  });

  test('an edit keeps the previous value and cancels outdated runs', async () => {
    (await job(0)).answer(gigabits(0.15));
    (await job(1)).answer(gigabits(1.6));
    await vi.waitFor(() => expect(current()?.state).toBe('final'), SLOW);
    edit('2 us');
    expect(current()).toMatchObject({ state: 'old', value: current()?.original });
    (await job(2)).answer(gigabits(0.2));
    await job(3);
    edit('1 us');
    (await job(4)).answer(gigabits(0.3));
    expect(current()?.value).toBeCloseTo(3);
    expect(current()?.original).toBeCloseTo(1.6);
  });

  test('stopped runs give no values until they are continued', async () => {
    (await job(0)).answer(gigabits(0.15));
    const stopped = await job(1);
    tables.stopRecording();
    stopped.answer(gigabits(1.6));
    expect(tables.state.getState()).toMatchObject({ paused: true, done: 0 });
    expect(current()?.state).toBe('estimate');
    tables.resume();
    expect(tables.state.getState().paused).toBe(false);
    (await job(2)).answer(gigabits(0.2));
    (await job(3)).answer(gigabits(1.7));
    expect(current()).toMatchObject({ state: 'final' });
  });

  test('edits during estimates wait for them, so that a drag shows intermediate results', async () => {
    const first = await job(0);
    edit('2 us');
    edit('1 us');
    expect(sweeps.jobs).toHaveLength(1);
    first.answer(gigabits(0.15));
    expect(current()?.value).toBeCloseTo(1.5);
    (await job(1)).answer(gigabits(0.25));
    expect(sweeps.jobs[1]?.job.sessions.length).toBe(first.job.sessions.length);
    expect(current()?.value).toBeCloseTo(2.5);
  });
});

describe('a table of a session with', () => {
  let sweeps: FakeSweeps;
  let tables: RunTables;
  let stop = () => {};

  async function shown(id: string) {
    await openScenario(id);
    sweeps = new FakeSweeps();
    tables = new RunTables(() => sweeps);
    stop = tables.show();
    await answered();
  }
  /**
   * Answers the newest job.
   * @returns the number of its sessions, and their commands
   */
  async function answered() {
    await vi.waitFor(() => expect(sweeps.jobs.length).toBeGreaterThan(0), SLOW);
    const { job, answer } = sweeps.jobs.splice(0).at(-1) as FakeSweeps['jobs'][0];
    answer(0);
    return job.sessions;
  }
  afterEach(() => stop());

  test('timed changes applies them to the open run only', async () => {
    await shown('gt/gfixit');
    const { length } = tables.state.getState().rows;
    const command = { at: 12, param: 'cpu.load_time', value: '500 ns' };
    expect(addCommand(command, { commit: true })).toBeNull();
    const [own, ...others] = await answered();
    expect(own?.commands).toMatchObject([{ atEvents: 12 }]);
    expect(others).toEqual([]);
    expect(tables.state.getState().done).toBe(length);
    setVariables({ way: 'rewritten' });
    const both = await answered();
    expect(both.map(({ commands }) => commands.length).sort()).toEqual([0, 1]);
    undoEdit();
    undoEdit();
    const back = await answered();
    expect(back.flatMap(({ commands }) => commands)).toEqual([]);
  });

  test('a manual edit of an axis parameter runs each point as its axes say, and none is the open run', async () => {
    await shown('hp/two-streams');
    const configs = new Set<string>();
    setEdits({ 'services.allocator': 'hpux', 'adapter.rows': 128 });
    for (const { config } of await answered()) configs.add(config.join());
    expect(configs.size).toBe(tables.state.getState().rows.length);
    const now = session.getState();
    expect(tables.state.getState().rows.filter(({ point }) => isOpenAt(now, point))).toEqual([]);
  });
});
