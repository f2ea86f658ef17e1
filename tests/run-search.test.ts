/** A run with too many records to keep is searched completely, and shown around any of its places. */
import { expect, test } from 'vitest';
import type { WorkerPort } from '../src/engine/client';
import { createLocalEngine } from '../src/engine/inprocess';
import { serveCalls, WorkerCalls } from '../src/engine/worker-calls';
import type { Port } from '../src/engine/worker-protocol';
import { failureText } from '../src/model/scenario/engine-errors';
import { Recorder, type Recording } from '../src/model/session/recorder';
import {
  MAX_HITS,
  nextHit,
  type RunSearchJob,
  type SearchProgress,
  searchRun,
} from '../src/model/session/run-search';
import { RunSearcher } from '../src/model/session/run-searcher';
import { createTrace, type Trace } from '../src/model/trace/trace';
import { compiled, scenarioAt } from './support/scenarios';

const machine = compiled(scenarioAt('scenarios/gt/under-load.json'), {
  edits: { 'ring.update_every': '3 ps' },
});
const session = { config: machine.config, commands: [] };

/** Two events for each record: more records than the page keeps. */
const END_EVENTS = 700_000;
const TRACE_RECORDS = 1 << 18;

const job = (changes: Partial<RunSearchJob>): RunSearchJob => ({
  ...{ machine, session, endEvents: END_EVENTS },
  ...{ listed: 'all', words: '', terms: [] },
  ...changes,
});

async function search(changes: Partial<RunSearchJob>) {
  const reports: SearchProgress[] = [];
  await searchRun(await createLocalEngine(), job(changes), (progress) => reports.push(progress));
  const column = (name: keyof SearchProgress['hits']) => reports.flatMap(({ hits }) => hits[name]);
  const hits = { seqs: column('seqs'), timesPs: column('timesPs'), parts: column('parts') };
  return { reports, hits, count: reports.at(-1)?.count };
}

/** Records whose field `a` has a value, read from the engine record by record. */
async function recordsWith(a: number) {
  const engine = await createLocalEngine();
  await engine.open(session);
  const found: { seq: number; timePs: number; part: number }[] = [];
  for (let [events, next] = [0, 1]; events < END_EVENTS; ) {
    const end = await engine.run({ untilEvents: Math.min(END_EVENTS, events + 1000) });
    events = end.events;
    const { trace } = await engine.frame({ views: [], trace: { fromSeq: next, max: 2000 } });
    for (let i = 0; trace && i < trace.length; i++) {
      const [timePs = 0, part = 0] = [trace.timePs[i], trace.part[i]];
      if (Number(trace.a[i]) === a) found.push({ seq: trace.firstSeq + i, timePs, part });
    }
    next = end.seq + 1;
  }
  return found;
}

const ADDRESS = 0x80000020;

test('hits are found anywhere in a run longer than its kept trace', async () => {
  const { hits, count, reports } = await search({ words: '0x80000020-0x80000020' });
  const wanted = await recordsWith(ADDRESS);
  expect(wanted.at(-1)?.seq).toBeGreaterThan(TRACE_RECORDS);
  expect(hits.seqs).toEqual(wanted.map(({ seq }) => seq));
  expect(hits.timesPs).toEqual(wanted.map(({ timePs }) => timePs));
  expect(hits.parts).toEqual(wanted.map(({ part }) => part));
  expect(count).toBe(wanted.length);
  expect(reports.at(-1)).toMatchObject({ events: END_EVENTS });
});

test('hits beyond those kept are counted too', async () => {
  const { hits, count } = await search({ words: 'update' });
  expect(hits.seqs).toHaveLength(MAX_HITS);
  expect(count).toBeGreaterThan(TRACE_RECORDS);
});

test('only events shown in the list are searched', async () => {
  const notable = await search({ words: 'cpu', listed: 'notable', endEvents: 10_000 });
  const all = await search({ words: 'cpu', listed: 'all', endEvents: 10_000 });
  expect(notable.count).toBeGreaterThan(0);
  expect(all.count).toBeGreaterThan(notable.count ?? 0);
});

test('a second search of a run needs no run, and finds what the first way finds', async () => {
  let engines = 0;
  const searcher = new RunSearcher(async () => {
    engines++;
    return createLocalEngine();
  });
  const find = async (words: string) => {
    const hits: number[] = [];
    let count = 0;
    const report = (progress: SearchProgress) => {
      hits.push(...progress.hits.seqs);
      ({ count } = progress);
    };
    const ofRun = job({ words, endEvents: 300_000 });
    await searcher.search(ofRun, report, new AbortController().signal);
    return { hits, count };
  };
  for (const words of [
    'update',
    '0x80000020',
    '0x80000020-0x8000002F -kind:update',
    'bytes>=4 at:10ns-20ns',
    'cause:(kind=store)',
    'cpu.stores>=2',
  ]) {
    const { hits, count } = await search({ words, endEvents: 300_000 });
    expect(await find(words), words).toEqual({ hits: hits.seqs, count });
  }
  // One for the run, and one for when a counter becomes so large.
  expect(engines).toBe(2);
});

test('a run with too many records to keep is made again for each search', async () => {
  const searcher = new RunSearcher(createLocalEngine, 50_000);
  const counts: number[] = [];
  const ofRun = job({ words: '0x80000020', endEvents: 300_000 });
  const { signal } = new AbortController();
  for (let i = 0; i < 2; i++) {
    let last = 0;
    await searcher.search(ofRun, ({ count }) => (last = count), signal);
    counts.push(last);
  }
  const { count } = await search({ words: '0x80000020', endEvents: 300_000 });
  expect(counts).toEqual([count, count]);
});

/** A worker in this thread. */
function startHere() {
  const state = { ended: false };
  const page: WorkerPort = {
    onmessage: null,
    onerror: null,
    postMessage: (data) => void inside.onmessage?.({ data } as MessageEvent),
    terminate: () => {
      state.ended = true;
    },
  };
  const inside: Port = {
    onmessage: null,
    postMessage: (data) => page.onmessage?.({ data: structuredClone(data) } as MessageEvent),
  };
  const searcher = new RunSearcher(createLocalEngine);
  serveCalls<RunSearchJob, null, SearchProgress>(inside, async (one, onProgress, signal) => {
    await searcher.search(one, onProgress, signal);
    return null;
  });
  return { calls: new WorkerCalls<RunSearchJob, null, SearchProgress>(() => page), state };
}

test('a search in a worker tells its progress, stops when asked, and leaves the worker for the next', async () => {
  const { calls, state } = startHere();
  const stopping = new AbortController();
  const stopped = calls.ask(job({ words: 'update' }), () => stopping.abort(), stopping.signal);
  expect(await stopped).toBeNull();
  const counts: number[] = [];
  const done = calls.ask(job({ words: 'update' }), ({ count }) => counts.push(count));
  await done;
  expect(counts.at(-1)).toBeGreaterThan(TRACE_RECORDS);
  expect(state.ended).toBe(false);
  calls.dispose();
  expect(state.ended).toBe(true);
});

test("a search rejected by the engine is explained in the scenario's terms", async () => {
  const refused = compiled(scenarioAt('scenarios/pools/last-two.json'), {
    edits: { 'map.entries': '16', 'map.pools': '16' },
  });
  const ofIt = job({
    words: 'cpu',
    machine: refused,
    session: { config: refused.config, commands: [] },
  });
  const failure = await startHere()
    .calls.ask(ofIt)
    .catch((error: unknown) => failureText(refused, error));
  expect(failure).toMatch(/^"pools" of "map" cannot be 16\./);
});

test('the last hit is followed by the first once the whole run is searched, not before', () => {
  const seqs = [10, 20, 30];
  expect(nextHit(seqs, 10, 1, false)).toBe(1);
  expect(nextHit(seqs, 15, -1, false)).toBe(0);
  expect(nextHit(seqs, 30, 1, false)).toBeNull();
  expect(nextHit(seqs, 30, 1, true)).toBe(0);
  expect(nextHit(seqs, 10, -1, true)).toBe(2);
  expect(nextHit([], 10, 1, true)).toBeNull();
});

test('records around a time are fetched where the samples of the run lie far apart', async () => {
  const recorder = new Recorder<Trace>(await createLocalEngine());
  const recording = await new Promise<Recording<Trace>>((resolve, reject) => {
    recorder
      .record({
        session,
        untilPs: machine.untilPs,
        types: machine.parts.map(({ type }) => type),
        makeTrace: () => createTrace(machine),
        onLong: () => recorder.stopRecording(),
        onProgress: (now) => now.paused && resolve(now),
      })
      .catch(reject);
  });
  const { trace } = recording;
  for (const share of [0.6, 0.97, 0.3]) {
    const timePs = Math.round(recording.endPs * share);
    await recorder.loadTraceAround(recording, timePs);
    expect(trace.record(trace.first)?.timePs).toBeLessThanOrEqual(timePs);
    expect(trace.record(trace.last)?.timePs).toBeGreaterThan(timePs);
  }
  recorder.stop();
});
