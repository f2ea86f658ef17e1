/** Coherent machines to be measured: a bus that four caches snoop, one cache, and exhaustive exploration. */

import { Core } from '../src/engine/core';
import { inlineChecks, inlineCode } from '../src/engine/engine-code-inline';
import { PART_TYPES } from '../src/engine/gen/layout';
import { exploreLocally } from '../src/engine/inprocess';
import { MEASURE, SessionRunner } from '../src/engine/session';
import { referenceMachine, replayReferences } from '../src/model/coherence/reference-trace';
import { sourceOf } from '../src/model/pools/map-trace';
import { PROOFS } from '../src/model/verify/proofs';
import { machineOfProof } from '../src/model/verify/prove';
import { compiled, scenarioFrom } from '../tests/support/scenarios';
import type { Work } from './workload';

/** A session, and the types of its parts. */
interface Machine extends Work {
  readonly types: readonly string[];
}

const core = new Core(await inlineCode());
const checks = await inlineChecks();
const CACHES = 4;

interface Row {
  readonly do: string;
  readonly [field: string]: string | number;
}

/** Four processors with coherent caches, each with a program that it repeats for ever. */
function machine(memory: Readonly<Record<string, string | number>>, rows: (cpu: number) => Row[]) {
  const parts: Record<string, object> = {
    runway: { type: 'runway' },
    memory: { type: 'memory_controller', params: memory },
  };
  const wires = [['runway.memory', 'memory.bus']];
  const programs: Record<string, Row[]> = {};
  const workload: Record<string, string> = {};
  for (let i = 0; i < CACHES; i++) {
    parts[`cpu${i}`] = { type: 'processor' };
    parts[`cache${i}`] = { type: 'snoop_cache', params: { virtual_offset: '0x0' } };
    wires.push([`cpu${i}.cache`, `cache${i}.cpu`], [`cpu${i}.front`, `cache${i}.front`]);
    wires.push([`cache${i}.bus`, `runway.agent${i}`]);
    programs[`p${i}`] = [{ do: 'repeat', count: 0 }, ...rows(i), { do: 'again' }];
    workload[`cpu${i}`] = `p${i}`;
  }
  return { machine: { parts, wires }, programs, workload };
}

function session(of: ReturnType<typeof machine>, milliseconds: number): Machine {
  const head = { busyard: 1, title: 'bench', summary: 'To be measured.', system: 'hp' };
  const rest = { until: `${milliseconds} ms`, metrics: {}, view: { kind: 'machine' } };
  const scenario = scenarioFrom(JSON.stringify({ ...head, ...of, ...rest }), 'bench');
  const { config, untilPs, parts } = compiled(scenario, { traceLog2: 16 });
  return { config, untilPs, commands: [], types: parts.map(({ type }) => type.name) };
}

const at = (address: number) => `0x${address.toString(16)}`;

/** Memory as fast as the bus: loads and stores of lines that all share, streams of their own, and write-backs. */
export const transactions = (): Machine =>
  session(
    machine({ tracked: '1 MiB', latency: '60 ns', occupancy: '10 ns', banks: 64 }, (cpu) => [
      { do: 'load', from: at(0x10000), bytes: '32 KiB', width: 32 },
      { do: 'store', to: at(0x10000 + cpu * 0x2000), bytes: '8 KiB', width: 32 },
      { do: 'load', from: at(0x1000000 + cpu * 0x100000), bytes: '512 KiB', width: 32 },
      { do: 'store', to: at(0x2000000 + cpu * 0x100000), bytes: '64 KiB', width: 32 },
    ]),
    40,
  );

/** Loads of what is in the caches, each an event. */
export const hits = (): Machine =>
  session(
    machine({ tracked: '1 MiB' }, (cpu) => [
      { do: 'load', from: at(0x10000 + cpu * 0x10000), bytes: '64 KiB', width: 8 },
    ]),
    5,
  );

/** A counter of all parts of a type. */
function sumOf({ types }: Machine, type: string, counter: string): number {
  const counters = PART_TYPES.find(({ name }) => name === type)?.counters ?? [];
  const column = counters.findIndex(({ name }) => name === counter);
  return types.reduce((sum, name, part) => {
    return name === type ? sum + (core.counters(part)[column] ?? 0) : sum;
  }, 0);
}

/** Events of a run in this process, milliseconds, snooped transactions and loads or stores, with the trace on. */
export function run(work: Machine) {
  const runner = new SessionRunner(core, work, { ...MEASURE, record: true });
  const start = performance.now();
  const { events } = runner.run({ untilPs: work.untilPs });
  const ms = performance.now() - start;
  const accesses = sumOf(work, 'processor', 'accesses');
  return { events, ms, transactions: sumOf(work, 'runway', 'snoops') / CACHES, accesses };
}

/** A trace in din format of which one reference in 64 lies outside what the cache holds. */
export function trace(references: number): Uint8Array {
  let [state, address] = [1, 0];
  const lines = Array.from({ length: references }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    address = i % 64 ? (address + 8) % 0x20000 : (state >>> 10) * 4;
    return `${state >>> 30 ? 0 : 1} ${(0x1000000 + address).toString(16)}`;
  });
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** Millions of references a second, reading the text included. */
export function references(text: Uint8Array): number {
  const start = performance.now();
  const { references } = replayReferences(checks, { cpus: 1, params: {} }, sourceOf(text));
  return references / (performance.now() - start) / 1000;
}

/** One cache and a player, for the native host. */
export const player = (): Uint8Array => referenceMachine({ cpus: 1, params: {} }).config;

/** The configuration that is explored: about a hundred thousand states. */
export function proof() {
  const found = PROOFS.find(({ name }) => name === 'coherent-2x1');
  if (!found) throw new Error('There is nothing to explore.');
  return { name: found.name, config: machineOfProof(found).config };
}

/** Thousands of states a second. */
export async function explored(config: Uint8Array): Promise<number> {
  const { states, seconds } = await exploreLocally(config);
  return states / seconds / 1000;
}
