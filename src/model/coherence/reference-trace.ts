/**
 * Replays a recorded trace of memory references through the coherent caches of the HP machine. Formats: Dinero's
 * din, and the output of Valgrind's lackey with --trace-mem=yes. An additional column may contain the processor.
 */
import { PART_TYPES } from '../../engine/gen/layout';
import { type ReferenceFault, ReferencePlayer } from '../../engine/reference-player';
import type { ByteSource } from '../pools/map-trace';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import { loadScenario } from '../scenario/load';

export const MAX_CPUS = 8;

/** Cache parameters that a replay can set. */
export const CACHE_SETTINGS = ['size', 'ways', 'line', 'buffer', 'assist', 'speculate'] as const;
export type CacheSetting = (typeof CACHE_SETTINGS)[number];

export interface CacheShape {
  readonly cpus: number;
  /** Values as written in scenarios. */
  readonly params: Readonly<Partial<Record<CacheSetting, string>>>;
}

export interface CacheReport {
  readonly hits: number;
  readonly misses: number;
  readonly write_backs: number;
  /** Lines supplied to other caches. */
  readonly copies: number;
  /** Lines lost to accesses of other caches. */
  readonly invalidated: number;
  /** Number of lines in each state at the end. */
  readonly states: Readonly<Record<string, number>>;
}

export interface ReferenceReport extends CacheReport {
  /** Loads and stores, counted once per cache line that a reference touches. */
  readonly references: number;
  readonly loads: number;
  readonly stores: number;
  /** Instruction fetches, which are not replayed: the caches are data caches. */
  readonly instructions: number;
  /** One report per processor. */
  readonly caches: readonly CacheReport[];
  /** Warnings about parts of the trace that may have been misread. */
  readonly remarks: readonly string[];
}

/** A trace that cannot be read, with its position; or an invalid cache configuration, without one. */
export class ReferenceTraceError extends Error {
  constructor(
    readonly sentence: string,
    readonly line = 0,
    readonly column = 0,
  ) {
    super(line > 0 ? `line ${line}, column ${column}: ${sentence}` : sentence);
  }
}

/** Size of the text buffer in bytes. */
const ROOM = 1 << 20;
const CACHE = PART_TYPES.find(({ name }) => name === 'snoop_cache');
const STATES = (CACHE?.enums.line ?? []).slice(0, 4).map(({ name }) => name);
const LINE_ROW = { words: 3, state: 1 };
const counterOf = (name: string) => CACHE?.counters.findIndex((one) => one.name === name) ?? -1;

export const noProcessor = (cpu: number): string =>
  `there is no processor ${cpu}; choose more processors or, if this column is a size, remove it.`;

const WHY: Record<ReferenceFault['reason'], (fault: ReferenceFault) => string> = {
  kind: () => 'a line begins with 0, 1 or 2 (din), or with I, L, S or M (lackey), and a blank.',
  address: () => 'a hexadecimal address of at most 16 digits is expected here.',
  bytes: () => 'a comma and the number of bytes, 1 to 4096, are expected here.',
  cpu: () => 'only the number of a processor may follow here.',
  cpus: ({ cpu }) => noProcessor(cpu),
  long: () => 'this line is too long for a trace of references.',
  spread: () =>
    'the addresses lie in more blocks of 4 GiB than the tags of such short lines can tell apart.',
};

/** A machine with caches of the given shape and a trace player instead of processors. */
export function referenceMachine({ cpus, params }: CacheShape): CompiledMachine {
  const parts: Record<string, object> = {
    memory: { type: 'memory_controller', params: { tracked: '0 B' } },
    runway: { type: 'runway' },
    player: { type: 'player' },
  };
  const wires: [string, string][] = [['runway.memory', 'memory.bus']];
  const edits: Record<string, string> = {};
  for (let i = 0; i < cpus; i++) {
    parts[`cache${i}`] = { type: 'snoop_cache', params: { virtual_offset: '0x0' } };
    for (const [name, value] of Object.entries(params)) edits[`cache${i}.${name}`] = value;
    wires.push([`player.cpu${i}`, `cache${i}.cpu`], [`cache${i}.bus`, `runway.agent${i}`]);
  }
  const scenario = loadScenario(
    JSON.stringify({
      busyard: 1,
      title: 'A recorded trace',
      summary: 'References played through coherent caches.',
      system: 'hp',
      machine: { parts, wires },
      until: '1 s',
      metrics: {},
      view: { kind: 'machine' },
    }),
    { forChecks: true },
  );
  const machine = scenario.ok
    ? compile(scenario.value, { edits, traceLog2: 0, counted: true })
    : scenario;
  if (machine.ok) return machine.value;
  throw new ReferenceTraceError(machine.problems[0]?.message ?? 'There are no such caches.');
}

function playAll(player: ReferencePlayer, source: ByteSource): void {
  for (let last = false; !last; ) {
    const got = source.read(player.room);
    last = got === 0;
    const fault = player.play(got, last);
    if (!fault) continue;
    throw new ReferenceTraceError(WHY[fault.reason](fault), fault.line, fault.column);
  }
}

function reportOf(player: ReferencePlayer, part: number): CacheReport {
  const counter = (name: string) => player.counter(part, counterOf(name));
  const lines = CACHE?.views.findIndex(({ name }) => name === 'lines') ?? 0;
  const tally = player.tally(part, lines, LINE_ROW.words, LINE_ROW.state, STATES.length);
  return {
    hits: counter('hits'),
    misses: counter('misses'),
    write_backs: counter('write_backs'),
    copies: counter('copies'),
    invalidated: counter('invalidated'),
    states: Object.fromEntries(STATES.map((name, i) => [name, tally[i] ?? 0])),
  };
}

function total(caches: readonly CacheReport[]): CacheReport {
  const sum = (of: (cache: CacheReport) => number) =>
    caches.reduce((all, cache) => all + of(cache), 0);
  return {
    hits: sum((cache) => cache.hits),
    misses: sum((cache) => cache.misses),
    write_backs: sum((cache) => cache.write_backs),
    copies: sum((cache) => cache.copies),
    invalidated: sum((cache) => cache.invalidated),
    states: Object.fromEntries(
      STATES.map((name) => [name, sum(({ states }) => states[name] ?? 0)]),
    ),
  };
}

/** If several processors are configured but the first has no references, the third column is probably a size. */
function columnWarnings(caches: readonly CacheReport[]): string[] {
  const used = caches.flatMap(({ hits, misses }, cpu) => (hits + misses > 0 ? [cpu] : []));
  if (used.length === 0 || used[0] === 0) return [];
  const who = used.length === 1 ? `processor ${used[0]} has` : `processors ${used.join(', ')} have`;
  return [
    `The third column was read as the processor, and only ${who} references. If the column is a size, remove it.`,
  ];
}

/**
 * Replays a trace through the caches of one or several processors.
 * @throws {ReferenceTraceError} with line, column and reason if the trace cannot be read
 */
export function replayReferences(
  module: WebAssembly.Module,
  shape: CacheShape,
  source: ByteSource,
): ReferenceReport {
  const machine = referenceMachine(shape);
  const index = (type: string) =>
    machine.parts.flatMap((part, i) => (part.type.name === type ? [i] : []));
  const [at = 0] = index('player');
  let player: ReferencePlayer;
  try {
    player = new ReferencePlayer(module, machine.config, at, ROOM);
  } catch (error) {
    throw new ReferenceTraceError((error as Error).message);
  }
  playAll(player, source);
  const [loads, stores] = [player.counter(at, 0), player.counter(at, 1)];
  const caches = index('snoop_cache').map((part) => reportOf(player, part));
  return {
    references: loads + stores,
    loads,
    stores,
    instructions: player.instructions,
    ...total(caches),
    caches,
    remarks: columnWarnings(caches),
  };
}
