/** A run with too many records to keep is searched completely, and shown around any of its places. */
import { expect, test } from 'vitest';
import { createLocalEngine } from '../src/engine/inprocess';
import type { Port } from '../src/engine/worker-protocol';
import { failureText } from '../src/model/scenario/engine-errors';
import { Recorder, type Recording } from '../src/model/session/recorder';
import {
  MAX_HITS,
  nextHit,
  type RunSearchJob,
  type SearchProgress,
  searchIn,
  searchRun,
  serveSearch,
} from '../src/model/session/run-search';
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

/** A worker in this thread. */
function startHere() {
  const state = { ended: false };
  const page: Parameters<typeof searchIn>[0] extends () => infer P ? P : never = {
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
  serveSearch(inside, createLocalEngine);
  return { start: () => page, state };
}

test('a search ends its worker at the end of the run, when it is stopped, and when it fails', async () => {
  const short = job({ words: 'update', endEvents: 10_000 });
  const whole = startHere();
  const counts: number[] = [];
  const done = searchIn(
    whole.start,
    short,
    ({ count }) => counts.push(count),
    new AbortController().signal,
  );
  expect(await done).toBe('done');
  expect(counts.at(-1)).toBeGreaterThan(0);
  expect(whole.state.ended).toBe(true);

  const stopped = startHere();
  const stopping = new AbortController();
  const search = searchIn(
    stopped.start,
    job({ words: 'update' }),
    () => stopping.abort(),
    stopping.signal,
  );
  expect(await search).toBe('stopped');
  expect(stopped.state.ended).toBe(true);

  const failed = startHere();
  const broken = job({ words: 'cpu', session: { config: new Uint8Array(8), commands: [] } });
  const signal = new AbortController().signal;
  await expect(searchIn(failed.start, broken, () => undefined, signal)).rejects.toThrow(/\w+/);
  expect(failed.state.ended).toBe(true);
});

test("a search rejected by the engine is explained in the scenario's terms", async () => {
  const refused = compiled(scenarioAt('scenarios/pools/last-two.json'), {
    edits: { 'map.entries': '16', 'map.pools': '16' },
  });
  const { start } = startHere();
  const { signal } = new AbortController();
  const ofIt = job({
    words: 'cpu',
    machine: refused,
    session: { config: refused.config, commands: [] },
  });
  const failed = searchIn(start, ofIt, () => undefined, signal);
  const failure = await failed.catch((error: unknown) => failureText(refused, error));
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
