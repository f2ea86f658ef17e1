/** The engine in a worker: the same results, and no failure of a worker loses more than it must. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SessionSpec, SweepResult, Sweeps } from '../src/engine/api';
import { Client, type OnUnresponsive, type WorkerPort } from '../src/engine/client';
import { inlineChecks, inlineCode } from '../src/engine/engine-code-inline';
import { FAULT } from '../src/engine/engine-errors';
import type { Explore } from '../src/engine/explore';
import { exploreIn, serveExploration } from '../src/engine/explore-client';
import { Host } from '../src/engine/host';
import { exploreLocally } from '../src/engine/inprocess';
import { SweepPool } from '../src/engine/pool';
import type { Port } from '../src/engine/worker-protocol';
import { serve } from '../src/engine/worker-server';
import { compile } from '../src/model/scenario/compile';
import { loadScenario } from '../src/model/scenario/load';
import { proofScenario } from '../src/model/verify/proof-scenario';
import { PROOFS } from '../src/model/verify/proofs';
import { prove } from '../src/model/verify/prove';
import { brokenCode } from './support/broken';
import { gtSession, PART } from './support/machines';
import { compiled, scenarioAt } from './support/scenarios';

const code = await inlineCode();
const session: SessionSpec = { config: gtSession(), commands: [] };
const other: SessionSpec = { config: gtSession({ seed: 9 }), commands: [] };
const clients: Client[] = [];

/** A worker in this thread: the same code behind a message channel. */
function startWorker(): WorkerPort {
  const { port1, port2 } = new MessageChannel();
  serve(port1 as Port, inlineChecks);
  return Object.assign(port2 as Port, { onerror: null, terminate: () => port1.close() });
}

function connect(
  start: () => WorkerPort = startWorker,
  load = () => Promise.resolve(code),
  onSilence?: OnUnresponsive,
) {
  const client = new Client(start, load, onSilence);
  clients.push(client);
  return client;
}

afterEach(() => {
  for (const client of clients.splice(0)) client.dispose();
});

/** The hash after this many events, by an engine in this process. */
async function hashAt(spec: SessionSpec, events: number): Promise<string> {
  const host = new Host(code, inlineChecks);
  await host.open(spec);
  await host.run({ untilEvents: events });
  return host.hash();
}

/** A machine that only the larger module can run. */
function provedSession(): SessionSpec {
  const [proof] = PROOFS;
  const scenario = loadScenario(proofScenario(proof as (typeof PROOFS)[0]), { forChecks: true });
  const machine = scenario.ok ? compile(scenario.value) : scenario;
  if (!machine.ok) throw new Error('The machine of a proof does not compile.');
  return { config: machine.value.config, commands: [] };
}

describe('a worker', () => {
  test('opens a machine that checks itself, with the larger module', async () => {
    const engine = connect();
    await engine.open(provedSession());
    expect(await engine.run({ untilEvents: 500 })).toMatchObject({ events: 500 });
  });

  test('opens it although a stop was requested while that module was loading', async () => {
    let arrive = () => {};
    const comes = new Promise<void>((come) => {
      arrive = come;
    });
    const host = new Host(code, () => comes.then(inlineChecks));
    const opened = host.open(provedSession());
    host.cancel();
    arrive();
    expect(await opened).toMatchObject({ events: 0 });
    expect(await host.run({ untilEvents: 500 })).toMatchObject({ events: 500 });
  });

  test('gives the same answers as an engine in this process', async () => {
    const [near, far] = [new Host(code, inlineChecks), connect()];
    const answers = [];
    for (const engine of [near, far]) {
      await engine.open(session);
      const run = await engine.run({ untilPs: 4e8 });
      const back = await engine.seekEvents(1234);
      const changed = await engine.setCommands([
        { atEvents: 1000, part: PART.memory, param: 0, value: 90_000n },
      ]);
      const views = [{ part: PART.cpu, view: 1 }];
      const frame = await engine.frame({ views, trace: { fromSeq: 100, max: 50 } });
      const rest = [await engine.hash(), await engine.overview(), await engine.choices()];
      answers.push({ run, back, changed, frame, rest });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]?.frame.trace?.length).toBe(50);
    expect(answers[0]?.frame.views[0]?.rows).toBeGreaterThan(0);
  });

  test('gives the rows of a packed view as they lie in memory', async () => {
    const machine = compiled(scenarioAt('scenarios/pools/fragmentation.json'));
    const part = machine.parts.findIndex(({ name }) => name === 'map');
    const views = machine.parts[part]?.type.views ?? [];
    const view = views.findIndex(({ name }) => name === 'bitmap');
    const client = connect();
    await client.open({ config: machine.config, commands: [] });
    await client.run({ untilPs: machine.untilPs });
    const both = [
      { part, view },
      { part, view, packed: true },
    ];
    const [columns, packed] = (await client.frame({ views: both })).views;
    expect([...(packed?.words ?? [])]).toEqual([...(columns?.columns[0] ?? [])]);
    expect(packed?.words?.some((word) => word !== 0)).toBe(true);
    expect([packed?.columns, columns?.words]).toEqual([[], null]);
  });

  test('sends frames without copying, and uses memory that is handed back', async () => {
    const client = connect();
    await client.open(session);
    const first = await client.frame({ views: [] });
    const { buffer } = first.counters[0] as Float64Array;
    client.release(first);
    await client.hash();
    expect(buffer.byteLength).toBe(0);
    await client.run({ untilEvents: 100 });
    const second = await client.frame({ views: [] });
    expect(second).toMatchObject({ events: 100 });
    expect(second.counters[PART.pci]?.length).toBeGreaterThan(0);
  });

  test('stops a run on request, between two events, and can continue', async () => {
    const client = connect();
    await client.open(session);
    const running = client.run({});
    client.cancel();
    const { reason, events } = await running;
    expect(reason).toBe('cancelled');
    expect(await client.hash()).toBe(await hashAt(session, events));
    expect(await client.run({ untilEvents: events + 10 })).toMatchObject({ reason: 'events' });
  });

  test('answers frame requests while it runs, and ends the run for the next one', async () => {
    const client = connect();
    await client.open(session);
    const first = client.run({});
    const early = await client.frame({ views: [] });
    const later = await client.frame({ views: [] });
    expect(later.events).toBeGreaterThan(early.events);
    const second = client.run({ untilEvents: later.events + 100_000 });
    expect((await first).reason).toBe('cancelled');
    expect((await second).reason).toBe('events');
  });

  test('makes a frame request wait for the seek before it', async () => {
    const client = connect();
    await client.open(session);
    const seeking = client.seekEvents(300_000);
    const frame = await client.frame({ views: [] });
    expect(frame.events).toBe(300_000);
    expect((await seeking).events).toBe(300_000);
  });

  test('completes a seek when commands change meanwhile', async () => {
    const client = connect();
    await client.open(session);
    const seeking = client.seekEvents(300_000);
    const commands = [{ atEvents: 10, part: PART.memory, param: 0, value: 90_000n }];
    const arrived = await client.setCommands(commands);
    expect(arrived.events).toBe(300_000);
    expect((await seeking).events).toBeLessThan(300_000);
    expect(await client.hash()).toBe(await hashAt({ ...session, commands }, 300_000));
  });

  test('gives the reason of a refusal', async () => {
    const client = connect();
    const wireless = { config: gtSession({ wires: [] }), commands: [] };
    await expect(client.open(wireless)).rejects.toMatchObject({
      name: 'EngineError',
      code: FAULT.unwired,
      part: PART.cache,
    });
  });
});

describe('a sweep', () => {
  const sessions = Array.from({ length: 12 }, (_, i) => (i % 2 ? other : session));
  const limit = { untilEvents: 20_000 };

  test('returns every run in order, as if it had been opened alone', async () => {
    const client = connect();
    const results: SweepResult[] = [];
    const job = { sessions, limit, hash: true };
    expect(await client.sweep(job, (result) => results.push(result))).toBe('done');
    expect(results.map(({ index }) => index)).toEqual(sessions.map((_, i) => i));
    const hashes = [await hashAt(session, 20_000), await hashAt(other, 20_000)];
    for (const { index, hash, events, counters } of results) {
      expect(hash).toBe(hashes[index % 2]);
      expect(events).toBe(20_000);
      expect(counters[PART.pci]).toEqual(results[index % 2]?.counters[PART.pci]);
    }
  });

  test('leaves the open session alone', async () => {
    const client = connect();
    await client.open(session);
    await client.run({ untilEvents: 1000 });
    const running = client.run({ untilEvents: 50_000 });
    await client.sweep({ sessions, limit }, () => undefined);
    await running;
    expect(await client.hash()).toBe(await hashAt(session, 50_000));
  });

  test('ends for the next one, and when stopped', async () => {
    const client = connect();
    const endless = { sessions: [session], limit: {} };
    const results: SweepResult[] = [];
    const first = client.sweep(endless, (result) => results.push(result));
    const second = client.sweep({ sessions, limit }, () => undefined);
    expect(await first).toBe('cancelled');
    expect(await second).toBe('done');
    const third = client.sweep(endless, () => undefined);
    client.cancel();
    expect(await third).toBe('cancelled');
    expect(results).toEqual([]);
  });
});

describe('a sweep over several workers', () => {
  const sessions = Array.from({ length: 25 }, (_, i) => (i % 3 ? other : session));
  const limit = { untilEvents: 3000 };

  test('brings the same results as over one', async () => {
    const [one, several]: [SweepResult[], SweepResult[]] = [[], []];
    const job = { sessions, limit, hash: true };
    await connect().sweep(job, (result) => one.push(result));
    const pool = new SweepPool(() => connect(), 3);
    expect(await pool.sweep(job, (result) => several.push(result))).toBe('done');
    const plain = ({ index, hash, events, counters }: SweepResult) => ({
      index,
      hash,
      events,
      counters,
    });
    several.sort((a, b) => a.index - b.index);
    expect(several.map(plain)).toEqual(one.map(plain));
  });

  test('begins with the longest runs and leaves no worker a long rest', async () => {
    const lengths = [1, 1, 1, 90, 1, 1, 40, 1];
    const batches: number[][] = [];
    const idle = (): Sweeps => ({
      sweep: async ({ sessions }, onResult) => {
        batches.push(sessions.map(({ config }) => config[0] ?? 0));
        for (const [index] of sessions.entries()) onResult({ index } as SweepResult);
        return 'done';
      },
      cancel: () => undefined,
      dispose: () => undefined,
    });
    const numbered = lengths.map((_, run) => ({ config: Uint8Array.of(run), commands: [] }));
    const seen: number[] = [];
    const job = { sessions: numbered, lengths, limit };
    await new SweepPool(idle, 2).sweep(job, ({ index }) => seen.push(index));
    expect(batches.slice(0, 2)).toEqual([[3], [6]]);
    expect(seen.toSorted((a, b) => a - b)).toEqual([...lengths.keys()]);
    expect(batches.flat()).toEqual(seen);
  });

  test('ends for the next one and when a session is refused', async () => {
    const pool = new SweepPool(() => connect(), 2);
    const results: number[] = [];
    const endless = { sessions: [session, other, session], limit: {} };
    const first = pool.sweep(endless, ({ index }) => results.push(index));
    const bad = { config: gtSession({ wires: [] }), commands: [] };
    const second = pool.sweep({ sessions: [...sessions, bad], limit }, () => undefined);
    expect(await first).toBe('cancelled');
    await expect(second).rejects.toMatchObject({ code: FAULT.unwired });
    expect(results).toEqual([]);
    expect(await pool.sweep({ sessions, limit }, ({ index }) => results.push(index))).toBe('done');
    expect(results.length).toBe(sessions.length);
  });
});

describe('an engine that traps', () => {
  test('reports it, stays dead, and another session can be opened', async () => {
    const client = connect(startWorker, async () => brokenCode());
    const session = { config: new Uint8Array(), commands: [] };
    await client.open(session);
    const sentence = /^The engine stopped.* after event 0: an invariant does not hold/;
    await expect(client.run({})).rejects.toMatchObject({ code: FAULT.trap });
    await expect(client.run({})).rejects.toThrow(sentence);
    expect(await client.open(session)).toMatchObject({ events: 0 });
    const reasons: string[] = [];
    await client.sweep({ sessions: [session, session], limit: {} }, ({ reason }) => {
      reasons.push(reason);
    });
    expect(reasons).toEqual(['trap', 'trap']);
  });
});

describe('a worker that', () => {
  /** A worker that takes messages and never answers. */
  const mute = (): WorkerPort => ({
    postMessage: () => undefined,
    onmessage: null,
    onerror: null,
    terminate: vi.fn(),
  });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('falls silent is ended, and the next session gets another', async () => {
    const worker = mute();
    const workers = [worker, startWorker()];
    const client = connect(() => workers.shift() ?? mute());
    const opening = client.open(session);
    const outcome = expect(opening).rejects.toMatchObject({ code: FAULT.silent });
    await Promise.resolve();
    await vi.advanceTimersByTimeAsync(10_000);
    await outcome;
    expect(worker.terminate).toHaveBeenCalled();
    expect(await client.open(session)).toMatchObject({ events: 0 });
  });

  test('falls silent is reported within two seconds, and no more once it is ended', async () => {
    const reports: boolean[] = [];
    const load = () => Promise.resolve(code);
    const client = connect(mute, load, (silent) => reports.push(silent));
    const outcome = expect(client.open(session)).rejects.toMatchObject({ code: FAULT.silent });
    await Promise.resolve();
    await vi.advanceTimersByTimeAsync(1000);
    expect(reports).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(reports).toEqual([true]);
    await vi.advanceTimersByTimeAsync(8000);
    await outcome;
    expect(reports).toEqual([true, false]);
  });

  test('is late but answers is reported, then as heard again, and not ended', async () => {
    const reports: boolean[] = [];
    const worker = mute();
    const load = () => Promise.resolve(code);
    const client = connect(
      () => worker,
      load,
      (silent) => reports.push(silent),
    );
    const opening = client.open(session);
    await Promise.resolve();
    for (let late = 0; late < 3; late++) {
      await vi.advanceTimersByTimeAsync(4000);
      worker.onmessage?.({ data: { kind: 'pong' } } as MessageEvent);
    }
    expect(reports).toEqual([true, false, true, false, true, false]);
    expect(worker.terminate).not.toHaveBeenCalled();
    client.dispose();
    await expect(opening).rejects.toThrow('The engine was closed.');
  });

  test('answers is left alone, however long it takes', async () => {
    const client = connect();
    await client.open(session);
    const running = client.run({});
    for (let second = 0; second < 20; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      await client.frame({ views: [] });
    }
    client.cancel();
    expect((await running).reason).toBe('cancelled');
  });

  test('does not start is reported', async () => {
    const worker = mute();
    const client = connect(() => worker);
    const opening = client.open(session);
    worker.onerror?.({ message: '' } as ErrorEvent);
    await expect(opening).rejects.toThrow('The engine failed: its worker did not start.');
  });

  test('cannot be made rejects the request', async () => {
    const client = connect(() => {
      throw new Error('Workers are not allowed here.');
    });
    await expect(client.open(session)).rejects.toThrow('Workers are not allowed here.');
  });

  test('cannot have its code is reported', async () => {
    const client = connect(mute, () => Promise.reject(new Error('The engine is not there.')));
    await expect(client.open(session)).rejects.toThrow('The engine is not there.');
  });

  test('is closed rejects pending requests', async () => {
    const client = connect();
    const opening = client.open(session);
    client.dispose();
    await expect(opening).rejects.toThrow('The engine was closed.');
  });
});

describe('an exploration in a worker', () => {
  const proof = PROOFS[0] as (typeof PROOFS)[0];
  /** A worker in this thread, as above, that explores. */
  const startExplorer = (): WorkerPort => {
    const { port1, port2 } = new MessageChannel();
    serveExploration(port1 as Port, inlineChecks);
    return Object.assign(port2 as Port, { onerror: null, terminate: () => port1.close() });
  };
  const there: Explore = (config, options) => exploreIn(startExplorer, config, options);

  test('finds what one in this process finds', async () => {
    const [near, far] = [await prove(proof, exploreLocally), await prove(proof, there)];
    expect({ ...far, seconds: 0 }).toEqual({ ...near, seconds: 0 });
    expect(far.end).toBe('complete');
  });

  test('reports its progress, and can be ended', async () => {
    const longer = PROOFS.find(({ name }) => name === 'coherent-2x1') ?? proof;
    const stop = new AbortController();
    const onProgress = vi.fn(() => stop.abort());
    const found = await prove(longer, there, { onProgress, signal: stop.signal });
    expect(onProgress).toHaveBeenCalledOnce();
    expect(found).toMatchObject({ end: 'cancelled', invariant: null });
    expect(found.states).toBeGreaterThan(0);
  });

  test('gives the reason why a machine is refused', async () => {
    await expect(there(new Uint8Array(64))).rejects.toThrow('refuses the machine');
  });
});
