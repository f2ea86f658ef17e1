import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createStore } from '../../base/store';
import { nextTask } from '../../base/tasks';
import type { Engine, SweepJob, SweepResult } from '../../engine/api';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import { loadScenario } from '../scenario/load';
import type { Edits, Scenario } from '../scenario/scenario-types';
import { Lab, type LabSession } from './lab';
import { runAt, runsOf } from './runs';
import { pairShown, runName, viewOf } from './state';

const read = (path: string) =>
  readFileSync(new URL(`../../../scenarios/${path}`, import.meta.url), 'utf8');

/** The published crossover on its real engine, with the sizes that are cheap to run. */
function crossover(): Scenario {
  const machines = new Map([['gt-system-a', read('machines/gt-system-a.json')]]);
  const found = loadScenario(read('gt/crossover.json'), { id: 'gt/crossover', machines });
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.value;
}

let scenario: Scenario;
let engine: Engine;
/** Of the curves at the ends of a slider: a sweep cancels only what runs on its own engine. */
let fans: Engine;
const stops: (() => void)[] = [];

beforeAll(async () => {
  scenario = crossover();
  [engine, fans] = await Promise.all([createLocalEngine(), createLocalEngine()]);
});

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

interface Bench {
  readonly lab: Lab;
  readonly sweeps: { sessions: number; end: string }[];
  edit(edits: Edits, before?: Edits | null): void;
  edits(): Edits;
  view(): LabSession['view'];
  /** Commits made by the lab itself. */
  readonly commits: boolean[];
  settled(): Promise<void>;
}

function machineWith(edits: Edits) {
  const found = compile(scenario, { edits });
  if (!found.ok) throw new Error(found.problems[0]?.message);
  return found.value;
}

/**
 * A lab on an engine that records its requests. The first sweep has `times` times the sessions; the additional
 * results are ignored.
 */
function bench(times = 1): Bench {
  const session = createStore<LabSession>({
    data: scenario,
    machine: machineWith({}),
    edits: {},
    seed: null,
    before: null,
    view: {},
  });
  const sweeps: { sessions: number; end: string }[] = [];
  const commits: boolean[] = [];
  const noting: Engine = Object.create(engine);
  noting.sweep = async (job: SweepJob, onResult: (result: SweepResult) => void) => {
    const note = { sessions: job.sessions.length, end: 'running' };
    const first = sweeps.push(note) === 1;
    const sessions = Array.from({ length: first ? times : 1 }, () => job.sessions).flat();
    note.end = await engine.sweep({ ...job, sessions }, onResult);
    return note.end as 'done' | 'cancelled';
  };
  noting.dispose = () => engine.cancel();
  noting.cancel = () => engine.cancel();
  const fan: Engine = Object.create(fans);
  fan.dispose = () => fans.cancel();
  fan.cancel = () => fans.cancel();
  fan.sweep = (job, onResult) => fans.sweep(job, onResult);
  const edit = (edits: Edits, before: Edits | null = {}) =>
    session.setState({ edits, machine: machineWith(edits), before });
  const lab = new Lab({
    createEngine: () => noting,
    createSweeper: (workers) => (workers === undefined ? noting : fan),
    session,
    setParam: (path, text, { commit }) => {
      commits.push(commit);
      edit({ ...session.getState().edits, [path]: text });
      return null;
    },
    setEdits: (edits) => {
      commits.push(true);
      edit(edits);
      return null;
    },
    setView: (view) => session.setState({ view: { ...session.getState().view, ...view } }),
    soon: (flush) => void setTimeout(flush, 0),
  });
  stops.push(lab.follow());
  const idle = () => {
    const { progress, crossings, stopped } = lab.state.getState();
    return stopped || (!progress && crossings.every((crossing) => crossing.now.refined));
  };
  return {
    lab,
    sweeps,
    edit,
    edits: () => session.getState().edits,
    view: () => session.getState().view,
    commits,
    async settled() {
      while (!idle()) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

describe('the lab', () => {
  test('runs every point of the table and shows the published thresholds', async () => {
    const { lab, settled } = bench();
    await settled();
    const { plan, runs, crossings, took, problem } = lab.state.getState();
    expect(problem).toBeNull();
    expect(took?.runs).toBe(114);
    expect(plan?.series.map((series) => series.title)).toEqual([
      'PIO write',
      'DMA write',
      'PIO read',
      'DMA read',
      'memory write',
      'memory read',
    ]);
    expect(crossings.map((crossing) => crossing.now.grid)).toEqual([1024, 128]);
    expect(runAt(runs, 0, 512)?.values.throughput).toBeCloseTo(61.44, 1);
  });

  test('narrows each crossing down to adjacent words, both of them run', async () => {
    const { lab, settled } = bench();
    await settled();
    const { runs, crossings } = lab.state.getState();
    for (const { now, more, than } of crossings) {
      const low = Math.floor((now.exact ?? 0) / 4) * 4;
      const lead = (size: number) =>
        (runAt(runs, more.index, size)?.values.throughput ?? 0) -
        (runAt(runs, than.index, size)?.values.throughput ?? 0);
      expect(lead(low)).toBeLessThanOrEqual(0);
      expect(lead(low + 4)).toBeGreaterThan(0);
    }
  });

  test('keeps the runs before the last edit as a ghost', async () => {
    const { lab, edit, settled } = bench();
    await settled();
    const old = lab.state.getState().crossings[0]?.now.exact ?? 0;
    edit({ 'driver.setup_time': '4 us' });
    await settled();
    const { crossings, before, runs } = lab.state.getState();
    expect(before && runsOf(before, 1).length).toBeGreaterThanOrEqual(19);
    expect(crossings[0]?.before?.exact).toBeCloseTo(old);
    expect(crossings[0]?.now.exact).toBeGreaterThan(old + 50);
    expect(runAt(runs, 1, 4096)?.values.throughput).toBeLessThan(
      before ? (runAt(before, 1, 4096)?.values.throughput ?? 0) : 0,
    );
  });

  test('cancels the older sweep on a newer edit, and never mixes their results', async () => {
    // More than any machine runs before the edits arrive.
    const { lab, edit, sweeps, settled } = bench(1000);
    while (sweeps.length === 0) await nextTask();
    expect(sweeps[0]?.end).toBe('running');
    edit({ 'cpu.store_time': '200 ns' });
    edit({ 'cpu.store_time': '100 ns' });
    await settled();
    expect(sweeps[0]?.end).toBe('cancelled');
    const { runs } = lab.state.getState();
    expect([...runs.runs.values()].every((run) => run.key === runs.key)).toBe(true);
    expect(runAt(runs, 0, 4096)?.values.throughput).toBeCloseTo(40, 0);
  });

  test('needs no new runs for an undo', async () => {
    const { lab, edit, sweeps, settled } = bench();
    await settled();
    const first = lab.state.getState().runs;
    edit({ 'gt.accept': '30 ns' });
    await settled();
    sweeps.splice(0);
    edit({}, { 'gt.accept': '30 ns' });
    const { progress, runs } = lab.state.getState();
    expect(progress).toBeNull();
    expect(runAt(runs, 0, 1024)).toEqual(runAt(first, 0, 1024));
  });

  test('keeps the curves of before for as long as a drag lasts', async () => {
    const { lab, edit, settled } = bench();
    await settled();
    const first = lab.state.getState().runs;
    for (let move = 1; move <= 24; move++) {
      edit({ 'gt.accept': `${30 + move} ns` });
      await expect
        .poll(() => {
          const { runs } = lab.state.getState();
          return runAt(runs, 0, 4)?.key === runs.key;
        })
        .toBe(true);
      const { before } = lab.state.getState();
      expect(before && runAt(before, 0, 1024), `move ${move}`).toEqual(runAt(first, 0, 1024));
    }
  });

  test('shows both ends of the slider under the pointer, from runs', async () => {
    const { lab, edit, settled } = bench();
    await settled();
    const rate = (end: number, size: number) => {
      const set = lab.state.getState().fan?.ends[end]?.runs;
      return set && runAt(set, 0, size)?.values.throughput;
    };
    lab.preview('gt.accept');
    await expect.poll(() => rate(1, 4096)).toBeGreaterThan(0);
    const now = runAt(lab.state.getState().runs, 0, 4096)?.values.throughput ?? 0;
    expect(rate(0, 4096)).toBeGreaterThan(now);
    expect(rate(1, 4096)).toBeLessThan(now / 1.5);
    expect(lab.state.getState().progress).toBeNull();
    // The slider moves between the same ends.
    edit({ 'gt.accept': '90 ns' });
    await settled();
    expect(rate(0, 4096)).toBeGreaterThan(now);
    lab.preview(null);
    expect(lab.state.getState().fan).toBeNull();
  });

  test('stops, keeps finished runs, and continues from there', async () => {
    const { lab, settled } = bench();
    while ((lab.state.getState().progress?.done ?? 0) < 20)
      await new Promise((resolve) => setTimeout(resolve, 1));
    lab.stop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { progress, stopped } = lab.state.getState();
    expect(stopped).toBe(true);
    expect(progress?.done).toBeLessThan(114);
    lab.resume();
    await settled();
    expect(lab.state.getState().progress).toBeNull();
  });

  test('moves a crossing to the position of its handle by changing its parameter', async () => {
    const { lab, commits, edits, settled } = bench();
    await settled();
    lab.drag(1, 96);
    await lab.drop();
    await settled();
    const { crossings, drag } = lab.state.getState();
    expect(crossings[1]?.now.exact).toBeCloseTo(96, 0);
    expect(Object.keys(edits())).toEqual(['driver.finish_read']);
    expect(commits.at(-1)).toBe(true);
    expect(commits.slice(0, -1).every((commit) => !commit)).toBe(true);
    expect(drag).toBeNull();
  });

  test('keeps the position of a handle while the curves are rerun', async () => {
    const { lab, settled } = bench();
    await settled();
    const at: (number | null | undefined)[] = [];
    lab.state.subscribe(({ crossings }) => at.push(crossings[0]?.now.exact));
    const start = lab.state.getState().crossings[0]?.now.exact ?? 0;
    lab.drag(0, 850);
    await lab.drop();
    await settled();
    const near = (size: number) => at.map((now) => Math.abs((now ?? 0) - size) < 2);
    const put = near(850).indexOf(true);
    expect(near(start).slice(0, put)).not.toContain(false);
    expect(near(850).slice(put)).not.toContain(false);
    expect(at.length - put).toBeGreaterThan(3);
  });

  test('moves a handle as far as its parameter allows', async () => {
    const { lab, edits, settled } = bench();
    await settled();
    lab.drag(0, 300);
    await expect.poll(() => lab.state.getState().drag?.reached).toBe(false);
    await lab.drop();
    expect(edits()).toEqual({ 'cpu.switch_time': '0 ps' });
  });

  test('computes from runs what would move the crossing', async () => {
    const { lab, settled } = bench();
    await settled();
    const open = () => lab.state.getState().whatif.some((row) => !row.found && !row.refused);
    while (lab.state.getState().whatif.length === 0 || open())
      await new Promise((resolve) => setTimeout(resolve, 5));
    const { whatif, crossings } = lab.state.getState();
    const now = crossings[0]?.now.exact ?? 0;
    const found = Object.fromEntries(whatif.map((row) => [row.title, row.found?.exact ?? 0]));
    expect(found['Set-up takes no time']).toBeLessThan(now);
    expect(found['Card takes words twice as fast']).toBeGreaterThan(now);
  });

  test('applies a change of that list as one step', async () => {
    const { lab, commits, edits, settled } = bench();
    await settled();
    lab.tryChange(0);
    await settled();
    expect(edits()).toEqual({ 'driver.setup_time': '0 ps' });
    expect(commits).toEqual([true]);
  });

  test('runs between the sizes of the table where a curve bends', async () => {
    const { lab, settled } = bench();
    await settled();
    while (lab.state.getState().whatif.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const { plan, runs } = lab.state.getState();
    const between = runsOf(runs, 0)
      .map((run) => run.size)
      .filter((size) => !plan?.sizes.includes(size) && size < 64);
    expect(between).toContain(12);
    expect(runsOf(runs, 0).every((run) => run.size % 4 === 0)).toBe(true);
  });

  test('treats smaller times as better', async () => {
    const { lab, settled } = bench();
    await settled();
    const rate = lab.state.getState().crossings.map((crossing) => crossing.now.grid);
    lab.setMetric('time');
    await settled();
    const { crossings } = lab.state.getState();
    expect(crossings.map((crossing) => crossing.now.grid)).toEqual(rate);
  });
});

describe('navigation', () => {
  test('steps through the sizes of the table and stays within it', async () => {
    const { lab } = bench();
    lab.look(4);
    lab.walk(-1);
    expect(lab.state.getState().size).toBe(4);
    lab.walk(2);
    expect(lab.state.getState().size).toBe(16);
    lab.walk(100);
    expect(lab.state.getState().size).toBe(1048576);
  });

  test('is saved in the session and restored from it', () => {
    const { lab, view } = bench();
    lab.look(64);
    lab.setLinearFit(true);
    lab.explain(1);
    const { plan } = lab.state.getState();
    expect(plan && viewOf(plan, view())).toEqual({
      metric: 'throughput',
      size: 64,
      crossing: 1,
      context: false,
      linearFit: true,
    });
    expect(plan && viewOf(plan, { size: 65, metric: 'speed', crossing: 9 })).toEqual({
      metric: 'throughput',
      size: 512,
      crossing: 0,
      context: false,
      linearFit: false,
    });
    expect(plan && viewOf(plan, Object.fromEntries([['naive', true]]))).toMatchObject({
      linearFit: true,
    });
  });

  test('shows an opened run next to its competitor', async () => {
    const { lab } = bench();
    await new Promise((resolve) => setTimeout(resolve, 20));
    lab.open({ series: 3, size: 64 });
    const state = lab.state.getState();
    expect(state.crossing).toBe(1);
    expect(pairShown(state)).toEqual([
      { series: 2, size: 64 },
      { series: 3, size: 64 },
    ]);
    expect(state.plan && runName(state.plan, { series: 3, size: 64 })).toBe('run 62');
    lab.open({ series: 3, size: 128 }, true);
    expect(pairShown(lab.state.getState())).toEqual([
      { series: 2, size: 64 },
      { series: 3, size: 128 },
    ]);
  });
});
