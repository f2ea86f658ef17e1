/**
 * The pictures of the gallery are moments of runs: what they show is kept beside the gallery, so that the
 * first page needs no run, and is run again here. `npx vitest run tests/golden -u` writes it anew.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cacheBytes } from '../../src/draw/coherence/map';
import { momentOf } from '../../src/draw/machine/moment';
import { stripsModel, WHOLE } from '../../src/draw/pools/strips';
import { usesOf } from '../../src/draw/pools/usage';
import type { Engine, Frame } from '../../src/engine/api';
import { createLocalEngine } from '../../src/engine/inprocess';
import { coherentMachine, viewsOf } from '../../src/model/coherence/coherence-roles';
import { poolMapOf, wantedViews } from '../../src/model/pools/pool-bitmap';
import { poolViewsOf } from '../../src/model/pools/pool-views';
import { compile } from '../../src/model/scenario/compile';
import type { CompiledMachine } from '../../src/model/scenario/compiled';
import { metricValue, variablesAt } from '../../src/model/scenario/experiment';
import type { Assignment } from '../../src/model/scenario/scenario-types';
import { readScenario } from '../../src/model/scenario/scenarios';
import { createTrace, type Trace } from '../../src/model/trace/trace';
import { TIME_OUT } from '../support/time-out.mjs';

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

const MOST_RECORDS = 8192;

interface Shot {
  readonly machine: CompiledMachine;
  readonly frame: Frame;
  readonly trace: Trace;
  readonly timePs: number;
}

/** What caches and memory hold. */
function heldBy(machine: CompiledMachine) {
  const roles = coherentMachine(machine);
  const keepers = [...roles.caches, ...(roles.memory ? [roles.memory] : [])];
  return viewsOf(
    roles,
    keepers.map(({ part }) => [part, 'lines', 'data', 'cells'] as const),
  );
}

/** A run as it stands at a time; without one, at the moment at which the scenario opens. */
async function shot(id: string, variables: Assignment, at?: number): Promise<Shot> {
  const scenario = await readScenario(id);
  if (!scenario.ok) throw new Error(`${id} does not load.`);
  const compiled = compile(scenario.value, { variables });
  if (!compiled.ok) throw new Error(`${id} does not compile.`);
  const machine = compiled.value;
  const timePs = at ?? scenario.value.view.fromPs;
  await engine.open({ config: machine.config, commands: [] });
  const { seq } = await engine.run({ untilPs: timePs });
  const pools = poolViewsOf(machine);
  const views = pools ? wantedViews(pools) : heldBy(machine);
  const fromSeq = Math.max(1, seq - MOST_RECORDS);
  const frame = await engine.frame({ views, trace: { fromSeq, max: MOST_RECORDS + 1 } });
  const trace = createTrace(machine);
  if (frame.trace) trace.append(frame.trace);
  return { machine, frame, trace, timePs };
}

/** As many as each processor's box of the thumbnail has cells: 12 in a row, 5 rows. */
const CELLS = 60;

/** Of the lines under a cell the one that is furthest from memory, as a digit. */
function cells(bytes: Uint8Array): string {
  const per = Math.ceil(bytes.length / CELLS);
  return Array.from({ length: CELLS }, (_, i) =>
    Math.max(0, ...bytes.subarray(i * per, (i + 1) * per)),
  ).join('');
}

/** The film of the caches: moments of the run up to the one at which the scenario opens. */
const FILM = { frames: 18, apartPs: 1_500_000 };

async function coherent() {
  const scenario = await readScenario('hp/at-work');
  if (!scenario.ok) throw new Error('hp/at-work does not load.');
  const frames = [];
  for (let left = FILM.frames - 1; left >= 0; left--)
    frames.push(await cachesAt(scenario.value.view.fromPs - left * FILM.apartPs));
  return { frames };
}

async function cachesAt(at: number): Promise<string[]> {
  const { machine, frame, trace, timePs } = await shot('hp/at-work', {}, at);
  const roles = coherentMachine(machine);
  const now = { timePs, events: frame.events, seq: frame.seq };
  const moment = momentOf({ parts: machine.parts, frame, trace, now });
  return roles.caches.map((cache) => {
    const bytes = new Uint8Array(moment.view(cache.part, 'lines')?.rows ?? 0);
    cacheBytes(roles, cache, moment, bytes);
    return cells(bytes);
  });
}

const POOLS = 8;
const CPUS = 5;
const WINDOW_PS = 24e6;
/** States of a processor that the lanes show, and the letter each has in the file. */
const STATES: Readonly<Record<string, string>> = { spin: 'w', locked: 'h', hypercall: 'c' };

/** What a processor did shortly before a shot: letter, start and end in percent. */
function spansOf(
  { machine, trace, timePs }: Shot,
  name: string,
  states: typeof STATES,
  ps: number,
) {
  const cpu = machine.parts.findIndex((part) => part.name === name);
  const track = machine.parts[cpu]?.type.tracks[0]?.name ?? '';
  const from = timePs - ps;
  const percent = (at: number) => Math.round(Math.min(1, Math.max(0, (at - from) / ps)) * 100);
  return (trace.lane(cpu, track)?.between(from, timePs) ?? []).flatMap((span) => {
    const letter = states[span.state?.name ?? ''];
    return letter ? [[letter, percent(span.from), percent(span.to)]] : [];
  });
}

const lanes = (moment: Shot) =>
  Array.from({ length: CPUS }, (_, i) => spansOf(moment, `cpu${i}`, STATES, WINDOW_PS));

const SOC_WINDOW_PS = 6e9;
/** Work for the network, an application, and a task beside it. */
const SOC_STATES = {
  interrupt: 'n',
  protocol: 'n',
  carry: 'n',
  message: 'n',
  decode: 'h',
  work: 't',
};

/** The same load on one processor and on two. */
async function realTime() {
  const scenario = await readScenario('soc/gains');
  if (!scenario.ok) throw new Error('soc/gains does not load.');
  const at = 60e9;
  const side = async (design: string, cpus: readonly string[]) => {
    const variables = variablesAt(scenario.value, { load: 'crc_task', design });
    if (!variables.ok) throw new Error('There is no such run.');
    const moment = await shot('soc/gains', variables.value, at);
    return cpus.map((name) => spansOf(moment, name, SOC_STATES, SOC_WINDOW_PS));
  };
  return { uni: await side('uni', ['main']), shared: await side('shared', ['main', 'io']) };
}

const BURST_WINDOW_PS = 6.4e6;
/** A read that is retried at once takes three clocks; a longer one carries data. */
const LEAST_BURST_PERCENT = 2;

/** The PCI transactions of a read by the number of lines prefetched, and the device's throughput. */
async function hints() {
  const scenario = await readScenario('zx1/lines-ahead');
  const rate = scenario.ok && scenario.value.metrics.get('rate');
  if (!rate) throw new Error('zx1/lines-ahead does not load.');
  const rows = [];
  for (const depth of [0, 1, 2, 3]) {
    const moment = await shot('zx1/lines-ahead', { depth }, 200e6);
    const bursts = spansOf(moment, 'bus', { read_multiple: 'b' }, BURST_WINDOW_PS);
    await engine.run({ untilPs: 10e9 });
    const { counters } = await engine.frame({ views: [] });
    rows.push({
      depth,
      bursts: bursts.filter(([, from, to]) => Number(to) - Number(from) > LEAST_BURST_PERCENT),
      rate: Math.round(metricValue(rate, moment.machine.variables, counters) ?? Number.NaN),
    });
  }
  return rows;
}

async function pools() {
  const at = 3e9;
  const [before, after] = [
    await shot('pools/one-lock-or-sixteen', { case: 'before' }, at),
    await shot('pools/one-lock-or-sixteen', { case: 'after', pools: 16, scope: 'outside' }, at),
  ];
  const views = poolViewsOf(after.machine);
  const map = views && poolMapOf(views, after.frame);
  if (!map) throw new Error('The map of pools cannot be read.');
  const sheet = { map, uses: usesOf(map), width: 700, height: 400, ratio: 0.25, scale: 1 };
  const { strips, tones, columns } = stripsModel({
    ...sheet,
    stretch: WHOLE,
    colouring: 'owner',
    chosen: null,
  });
  return {
    strips: strips.slice(0, POOLS).map(({ use, from, to }, row) => ({
      pool: use.pool.number,
      tones: [...tones.subarray(row * columns, (row + 1) * columns)]
        .map((tone) => tone.toString(36).padStart(2, '0'))
        .join(''),
      cursor: Math.round(((use.pool.cursor - from) / (to - from)) * 1000) / 10,
    })),
    one: lanes(before),
    sixteen: lanes(after),
  };
}

test('the gallery shows the results of these runs', {
  tags: ['pin'],
  // Many machines run for it.
  timeout: 2 * TIME_OUT,
}, async () => {
  const text = `${JSON.stringify({ coherent: await coherent(), hints: await hints(), pools: await pools(), realTime: await realTime() }, null, 1)}\n`;
  await expect(text).toMatchFileSnapshot('../../src/panels/gallery/runs.json');
});
