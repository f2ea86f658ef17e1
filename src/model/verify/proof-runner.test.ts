/** Explorations as used by the page: progress, cancellation, and counterexamples that can be replayed. */
import { expect, test } from 'vitest';
import { EngineError } from '../../engine/api';
import { FAULT } from '../../engine/engine-errors';
import type { Explore } from '../../engine/explore';
import { createLocalEngine, exploreLocally } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import { loadScenario } from '../scenario/load';
import { createTrace } from '../trace/trace';
import { verdictOf, whereOf } from './counterexample-text';
import { DEFECT_PROOFS } from './proof-defects';
import { ProofRunner, type Task } from './proof-runner';
import { PROOFS } from './proofs';
import { counterexample, prove } from './prove';

const proof = (name: string) => PROOFS.find((one) => one.name === name) ?? expect.unreachable();
const fault = (name: string) =>
  DEFECT_PROOFS.find((one) => one.name === name) ?? expect.unreachable();

const ended = (proving: ProofRunner): Promise<void> =>
  new Promise((done) => {
    const stop = proving.state.subscribe(({ running }) => {
      if (running) return;
      stop();
      done();
    });
  });

test('explores one after another and keeps the results', async () => {
  const proving = new ProofRunner(exploreLocally);
  proving.run([proof('processors-2x1'), proof('orders-2x1')]);
  expect(proving.state.getState().trials['orders-2x1']?.status).toBe('waiting');
  await ended(proving);
  const { trials } = proving.state.getState();
  expect(Object.values(trials).map(({ problem }) => problem)).toEqual([null, null]);
  for (const name of ['processors-2x1', 'orders-2x1']) {
    expect(trials[name]?.status).toBe('done');
    const alone = await prove(proof(name), exploreLocally);
    expect(trials[name]?.found?.states).toBe(alone.states);
    expect(trials[name]?.found?.waiting).toBe(0);
    expect(trials[name]?.growth.at(-1)?.states).toBe(alone.states);
  }
});

test.each([
  ['tlb_not_purged', 'Broken after 10\u00a0transitions (14\u00a0events)', 10],
  ['write_back_queued', 'Broken after 12\u00a0transitions (17\u00a0events)', 12],
])(
  '%s: length of a shortest counterexample, in transitions and events',
  async (name, says, distance) => {
    const proving = new ProofRunner(exploreLocally);
    proving.run([fault(name)]);
    await ended(proving);
    const trial = proving.state.getState().trials[name] ?? expect.unreachable();
    expect(verdictOf(trial)).toContain(says);
    expect(verdictOf(trial)).toContain('No shorter path leads there.');
    expect(trial.growth.at(-1)?.distance).toBe(distance);
  },
);

test('the place of a defect has a title, not the id of a part', () => {
  const named = new Set(DEFECT_PROOFS.flatMap((one) => whereOf(one).split(', ')));
  const ids = new Set(DEFECT_PROOFS.flatMap(({ broken }) => Object.keys(broken)));
  const words = ['memory', 'kernel'];
  expect([...named].filter((name) => ids.has(name) && !words.includes(name))).toEqual([]);
});

test('stops on request with its results, and drops queued tasks', async () => {
  const proving = new ProofRunner(exploreLocally);
  proving.run([proof('coherent-1x2'), proof('processors-2x1')]);
  const stop = proving.state.subscribe(({ trials }) => {
    if (!trials['coherent-1x2']?.found) return;
    stop();
    proving.stop();
  });
  await ended(proving);
  const { trials } = proving.state.getState();
  expect(trials['coherent-1x2']?.status).toBe('stopped');
  expect(trials['coherent-1x2']?.found?.states).toBeGreaterThan(0);
  expect(trials['processors-2x1']).toMatchObject({ status: 'stopped', found: null });
});

test('an error belongs to its task; the next one continues', async () => {
  let calls = 0;
  const explore: Explore = (config, options) =>
    ++calls === 1
      ? Promise.reject(new Error('There is no memory.'))
      : exploreLocally(config, options);
  const proving = new ProofRunner(explore);
  proving.run([proof('orders-2x1'), proof('processors-2x1')]);
  await ended(proving);
  const { trials } = proving.state.getState();
  expect(trials['orders-2x1']).toMatchObject({ status: 'failed', problem: 'There is no memory.' });
  expect(trials['processors-2x1']?.status).toBe('done');
});

test.each([
  [
    'ok_while_dirty',
    'no lost data',
    /: the newest write no longer exists anywhere: it is lost/,
    /./,
  ],
  [
    'early_owner',
    'what was sent',
    /: the data read from a packet/,
    /the sum over packet 1 is .* instead of/,
  ],
  [
    'released_twice',
    'still to be read',
    /: a buffer went back to the adapter/,
    /is released a second time/,
  ],
  [
    'lost_wake',
    'in turn',
    /: a packet was read out of order, or twice/,
    /is put into queue 0, which now holds 1/,
  ],
])(
  'the counterexample to %s is a scenario that ends with the violation',
  async (name, rule, end, shown) => {
    const broken = fault(name);
    const proving = new ProofRunner(exploreLocally);
    proving.run([broken]);
    await ended(proving);
    const found = proving.state.getState().trials[broken.name]?.found;
    if (!found) return expect.unreachable();
    const scenario = loadScenario(counterexample(broken, found));
    if (!scenario.ok) return expect.unreachable(scenario.problems[0]?.message);
    expect(scenario.value.title).toBe(broken.title);
    expect(scenario.value.lesson).toContain(rule);
    const machine = compile(scenario.value);
    if (!machine.ok) return expect.unreachable(machine.problems[0]?.message);
    const engine = await createLocalEngine();
    await engine.open({ config: machine.value.config, commands: [] });
    const { events, seq, reason } = await engine.run({ untilPs: machine.value.untilPs * 2 });
    expect({ events, reason }).toEqual({ events: found.steps + 1, reason: 'idle' });
    const trace = createTrace(machine.value);
    const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: seq } });
    if (frame.trace) trace.append(frame.trace);
    engine.dispose();
    expect(trace.sentence(seq)).toMatch(end);
    const sentences = Array.from({ length: seq }, (_, i) => trace.sentence(i + 1));
    expect(sentences.some((sentence) => shown.test(sentence))).toBe(true);
    expect(trace.why(seq).length).toBeGreaterThan(2);
  },
);

test('a long one retries with less memory', async () => {
  const requests: (number | undefined)[] = [];
  const explore: Explore = (config, options) => {
    requests.push(options?.mebibytes);
    if (requests.length < 3) throw new EngineError('There is no memory.', FAULT.noMemory, -1);
    return exploreLocally(config, { ...options, mebibytes: 64 });
  };
  const proving = new ProofRunner(explore);
  proving.run([{ ...proof('processors-2x1'), name: 'long', pinned: null } as Task]);
  await ended(proving);
  expect(requests).toEqual([3072, 1536, 768]);
  expect(proving.state.getState().trials.long?.status).toBe('done');
});
