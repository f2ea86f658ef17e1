/**
 * Some of a recording, from its beginning or from a later step on, as the text of a scenario, so that it opens with the panels of its system: what was
 * recorded becomes programs of the processors, and the allocators or caches that replay it the values of the
 * experiment.
 */
import { count, integer } from '../../base/format';
import { noProcessor, ReferenceTraceError } from '../coherence/reference-trace';
import type { PatternStep } from '../pools/map-owners';
import { readPattern } from '../pools/map-pattern';
import { MAP_POLICIES, type MapPolicy, type MapRule } from '../pools/map-policies';
import { geometryOf, type MapGeometry } from '../pools/map-run';
import { type ByteSource, TraceError } from '../pools/map-trace';
import type { TraceInit } from '../pools/map-trace-rules';
import { patternNotes } from '../pools/recording-words';
import { readReferences } from './recorded-references';

export interface RecordedRun {
  readonly text: string;
  /** Recorded operations or references in it. */
  readonly steps: number;
  /** Whether the recording goes on after them. */
  readonly cut: boolean;
  /** What of the recording is not in the run. */
  readonly notes: readonly string[];
}

/** Where in a recording a run begins: at its first operation or reference, or at a later one. */
interface Start {
  /** From 1 on. */
  readonly from: number;
}

/** Bytes of the rows of all programs: with more, loading the scenario would take seconds. */
const ROOM = 160 * 1024;
/** As many events of Linux as such a run can hold, several times over: their unmaps decide what is one mapping. */
const BEGINNING = 4 << 20;

type Row = Readonly<Record<string, string | number>>;

/**
 * Programs whose rows follow one another in the recorded order. Processors take turns: before the first row after
 * another processor's, a program waits for the row's own moment.
 */
class Programs {
  readonly #rows: string[][] = [];
  readonly #slotUs: number;
  #last = -1;
  #bytes = 0;
  steps = 0;

  constructor(processors: number, slotUs: number) {
    this.#rows = Array.from({ length: processors }, () => []);
    this.#slotUs = slotUs;
  }

  get full(): boolean {
    return this.#bytes > ROOM;
  }

  add(processor: number, rows: readonly Row[]): void {
    const turn: Row = { do: 'until', time: `${++this.steps * this.#slotUs} us` };
    const own = this.#rows[processor];
    for (const row of processor === this.#last ? rows : [turn, ...rows]) {
      const text = JSON.stringify(row);
      own?.push(text);
      this.#bytes += text.length + 8;
    }
    this.#last = processor;
  }

  get until(): string {
    return `${(this.steps + 1) * this.#slotUs} us`;
  }

  /** The programs, and which processor runs which; processors without a row do nothing. */
  get text(): string {
    const used = this.#rows.flatMap((rows, i) => (rows.length > 0 ? [{ i, rows }] : []));
    const programs = used.map(
      ({ i, rows }) => `    "of_cpu${i}": [\n      ${rows.join(',\n      ')}\n    ]`,
    );
    const workload = this.#rows.map(
      (rows, i) => `"cpu${i}": ${rows.length > 0 ? `"of_cpu${i}"` : '[]'}`,
    );
    return `  "programs": {\n${programs.join(',\n')}\n  },\n  "workload": {${workload.join(', ')}}`;
  }
}

const section = (name: string, value: unknown): string => `  "${name}": ${JSON.stringify(value)}`;

const fileOf = (sections: readonly string[]): string => `{\n${sections.join(',\n')}\n}\n`;

/** What the run holds and what it lacks, in sentences. */
function summaryOf(what: string, run: Omit<RecordedRun, 'text'>, from: number, name: string) {
  const number = integer(run.steps);
  const which =
    from > 1
      ? `From number ${integer(from)} on, ${number}`
      : `${run.cut ? 'The first' : 'All'} ${number}`;
  const held = `${which} ${what} of ${name}, one after another in the recorded order.`;
  return [held, ...run.notes.map((note) => `${note}.`)].join(' ');
}

/**
 * The source of a run: as much as it can hold, several times over; more is needed to reach a later start.
 */
const sourceFor = (source: ByteSource, { from }: Start): ByteSource =>
  from > 1 ? source : beginningOf(source, BEGINNING);

// ---- mappings

/** The parameters of the mapping service that a rule of the allocator sets. */
const SETS: Readonly<Partial<Record<MapRule, readonly [string, string]>>> = {
  first_fit: ['search', 'first'],
  end_exact: ['ends', 'mended'],
  end_exclusive: ['ends', 'powerpc'],
  large: ['large', 'linux'],
  large_spills: ['large', 'powerpc'],
  lazy: ['flush', 'lazy'],
  flush_ahead: ['flush', 'lazy_mended'],
  pool_flags: ['flag', 'mended'],
  own_limit: ['mask', 'mended'],
  home_scaled: ['home', 'scaled'],
  all_pools: ['reach', 'mended'],
  keep_cursor: ['spill', 'mended'],
  remainder: ['remainder', 'mended'],
};

/** Their values as in Linux 4.1. */
const LINUX: Readonly<Record<string, string>> = {
  search: 'next',
  ends: 'linux',
  large: 'none',
  flush: 'each',
  flag: 'linux',
  mask: 'linux',
  home: 'linux',
  reach: 'linux',
  spill: 'linux',
  remainder: 'linux',
};

const RECORDED = 'recorded';

/** The allocator that was recorded, where the file says what it is. */
const recordedPolicy = (init: TraceInit | null): MapPolicy => ({
  name: RECORDED,
  title: init ? 'as recorded' : 'as in Linux 4.1',
  pools: null,
  rules: [...(init?.large ? ['large' as const] : []), ...(init?.lazy ? ['lazy' as const] : [])],
});

function settingsOf(
  { rules, pools }: MapPolicy,
  table: MapGeometry,
): Record<string, string | number> {
  const sets = rules.flatMap((rule) => (SETS[rule] ? [SETS[rule]] : []));
  return { pools: pools ?? table.pools, ...LINUX, ...Object.fromEntries(sets) };
}

/** Names the live mappings, and unmaps each when the last of its pages is released. */
class Handles {
  readonly #live = new Map<number, { readonly tag: number; left: number }>();
  readonly #free: number[] = [];
  most = 0;

  constructor(private readonly pageBytes: number) {}

  #take(): number {
    return this.#free.pop() ?? this.most++;
  }

  rowsOf({ kind, id, pages }: PatternStep): Row[] {
    if (kind === 'give') {
      const mapping = this.#live.get(id);
      if (!mapping) return [];
      mapping.left -= pages;
      if (mapping.left > 0) return [];
      this.#live.delete(id);
      this.#free.push(mapping.tag);
      return [{ do: 'unmap', tag: mapping.tag }];
    }
    if (pages === 0) return [];
    const tag = this.#take();
    const map: Row = { do: 'map', from: '0x100000', bytes: pages * this.pageBytes, tag };
    if (kind === 'take') {
      this.#live.set(id, { tag, left: pages });
      return [map];
    }
    this.#free.push(tag);
    return [map, { do: 'unmap', tag }];
  }
}

/** Processors by their numbers; one whose number is too large takes the place of one that is not recorded, if any. */
class Processors {
  readonly #of = new Map<number, number>();
  readonly #taken = new Set<number>();

  constructor(private readonly most: number) {}

  numberOf(cpu: number): number {
    const known = this.#of.get(cpu);
    if (known !== undefined) return known;
    const wanted = cpu % this.most;
    const places = [wanted, ...Array(this.most).keys()];
    const place = places.find((one) => !this.#taken.has(one)) ?? wanted;
    this.#of.set(cpu, place);
    this.#taken.add(place);
    return place;
  }

  /** Processors that share one of the run with others, or have another number in it. */
  get notes(): string[] {
    const shared = this.#of.size - this.#taken.size;
    if (shared > 0)
      return [
        `${count(this.#of.size, 'processor')} recorded; the run has ${this.most}, so ${count(shared, 'does', 'do')} the work on the processor of another`,
      ];
    const renamed = [...this.#of].filter(([cpu, place]) => cpu !== place);
    const names = renamed.map(([cpu, place]) => `${cpu} is ${place}`);
    return names.length > 0 ? [`Processors have other numbers here: ${names.join(', ')}`] : [];
  }
}

/** The multiplier of Linux 4.7. */
const LATER_HASH = 0x61c88647;
/** Entries that a search reads in a microsecond, and the time of all else in a call. */
const ENTRIES_PER_US = 64 * 200;
const CALL_US = 14;

/** The first bytes of a file, up to the end of a line. */
function beginningOf(source: ByteSource, most: number): ByteSource {
  let left = most;
  return {
    read(into) {
      if (left <= 0) return 0;
      const got = source.read(into);
      left -= got;
      if (left > 0) return got;
      return into.lastIndexOf(10, got - 1) + 1;
    },
  };
}

export interface MappingsRunJob extends Start {
  readonly name: string;
  readonly isTrace: boolean;
  readonly pools: number | null;
  readonly entries: number | null;
  readonly pageBytes: number;
}

/**
 * Recorded mappings as programs that map and unmap, with every policy of the allocator.
 * @throws {TraceError} with its line if the recording cannot be read
 */
export function mappingsRun(source: ByteSource, job: MappingsRunJob): RecordedRun {
  const { name, isTrace, pools, entries, pageBytes, from } = job;
  const pattern = readPattern(isTrace ? source : sourceFor(source, job), isTrace, pageBytes, name);
  const chosen = { entries: entries ?? undefined, pools: pools ?? undefined, pageBytes };
  const table = geometryOf(pattern.init, chosen);
  const page = 2 ** table.shift;
  const handles = new Handles(page);
  const processors = new Processors(MOST_PROCESSORS);
  const slotUs = CALL_US + Math.ceil(table.entries / ENTRIES_PER_US);
  const programs = new Programs(MOST_PROCESSORS, slotUs);
  const before = new Before();
  let [number, cut] = [0, false];
  const add = (step: PatternStep) => {
    const rows = handles.rowsOf(step);
    if (rows.length > 0) programs.add(processors.numberOf(step.cpu), rows);
  };
  for (const step of pattern.steps) {
    if (programs.full) {
      cut = true;
      break;
    }
    if (++number < from) {
      before.add(step);
      continue;
    }
    if (number === from) before.live.forEach(add);
    add(step);
  }
  if (from > 1 && number < from) throw new TraceError(1, beyondEnd('operations', number, from));
  const notes = [...before.notes, ...patternNotes(pattern, count), ...processors.notes];
  const steps = programs.steps - before.live.length;
  const run = { steps, cut, notes };
  const policies = [recordedPolicy(pattern.init), ...MAP_POLICIES];
  const settings = policies.map((policy) => settingsOf(policy, table));
  const names = ['pools', ...Object.keys(LINUX)];
  const params = {
    entries: table.entries,
    page,
    base: `0x${table.base.toString(16)}`,
    segment: `0x${table.boundary.toString(16)}`,
    hash: table.multiplier === LATER_HASH ? 'linux_4_7' : 'linux_4_1',
    handles: Math.max(1, handles.most),
    ...Object.fromEntries(names.map((setting) => [setting, `$${setting}`])),
  };
  const text = fileOf([
    section('busyard', 1),
    section('title', name),
    section('summary', summaryOf('operations', run, from, name)),
    section('system', 'pools'),
    section('machine', { extends: 'io-table-16', parts: { map: { params } } }),
    section('variables', { policy: { value: RECORDED, title: 'allocator' }, ...settings[0] }),
    programs.text,
    section('until', programs.until),
    section('metrics', MAPPING_METRICS),
    section('experiment', {
      axes: {
        policy: {
          values: policies.map((policy) => policy.name),
          titles: policies.map((policy) => policy.title),
          also: Object.fromEntries(
            names.map((setting) => [setting, settings.map((of) => of[setting])]),
          ),
        },
      },
      metrics: Object.keys(MAPPING_METRICS),
    }),
    section('view', { kind: 'machine' }),
  ]);
  return { text, ...run };
}

const beyondEnd = (what: string, number: number, from: number): string =>
  `The recording has ${integer(number)} ${what}, so none is number ${integer(from)}.`;

/** The operations before the start: what is mapped there is mapped first. */
class Before {
  readonly #live = new Map<number, { readonly take: PatternStep; left: number }>();
  #count = 0;

  add(step: PatternStep): void {
    this.#count++;
    if (step.kind === 'take') this.#live.set(step.id, { take: step, left: step.pages });
    const mapping = this.#live.get(step.id);
    if (step.kind !== 'give' || !mapping) return;
    mapping.left -= step.pages;
    if (mapping.left <= 0) this.#live.delete(step.id);
  }

  get live(): PatternStep[] {
    return [...this.#live.values()].map(({ take, left }) => ({ ...take, pages: left }));
  }

  get notes(): string[] {
    return this.#count > 0
      ? [
          `Left out before that: ${count(this.#count, 'operation')}; what was mapped then comes first, without the gaps between: ${count(this.#live.size, 'mapping')}`,
        ]
      : [];
  }
}

const MOST_PROCESSORS = 16;

const MAPPING_METRICS = {
  failed: { title: 'requests that failed', unit: 'requests', product: ['map.failures'] },
  used: { title: 'entries in use at the end', unit: 'entries', product: ['map.used'] },
  words: {
    title: 'words read per request',
    unit: 'words',
    product: ['map.words'],
    over: [{ sum: ['map.maps', 'map.failures'] }],
  },
  locks: { title: 'locks taken', unit: 'acquisitions', product: ['map.acquisitions'] },
  spills: { title: 'spills', unit: 'spills', product: ['map.spills'] },
  flushes: { title: 'lazy flushes', unit: 'flushes', product: ['map.flushes'] },
};

// ---- references

export interface ReferencesRunJob extends Start {
  readonly name: string;
  readonly cpus: number;
  /** Sizes of the caches that are compared. */
  readonly sizes: readonly string[];
  readonly ways: string;
  readonly line: string;
}

/** A miss that sends a dirty line to memory first takes less than 1 us. */
const REFERENCE_US = 2;
/** Above these addresses are the registers of devices. */
const MEMORY_BYTES = 0xf0000000n;
/** Larger than the sets of any cache: within such a block an address keeps its set. */
const BLOCK = 4n << 20n;

/** Addresses as they are or, where one lies beyond memory, in blocks numbered as they are met. */
class Places {
  readonly #blocks = new Map<bigint, bigint>();

  placeOf(address: bigint): bigint {
    if (address < MEMORY_BYTES / 2n) return address;
    const block = address / BLOCK;
    const known = this.#blocks.get(block) ?? MEMORY_BYTES / 2n / BLOCK + BigInt(this.#blocks.size);
    this.#blocks.set(block, known);
    return known * BLOCK + (address % BLOCK);
  }
}

/** The caches side by side above the bus. */
function referenceMachine({ cpus, ways, line }: ReferencesRunJob) {
  const width = Math.floor((812 - (cpus - 1) * 16) / cpus);
  const parts: Record<string, object> = {
    runway: { type: 'runway', title: 'Runway', at: [24, 134, 812, 38] },
    memory: {
      type: 'memory_controller',
      title: 'Memory',
      at: [24, 200, 812, 90],
      params: { tracked: '64 KiB' },
    },
  };
  const wires: (readonly [string, string])[] = [['runway.memory', 'memory.bus']];
  for (let i = 0; i < cpus; i++) {
    const x = 24 + i * (width + 16);
    parts[`cpu${i}`] = { type: 'processor', title: `CPU ${i}`, at: [x, 3, width, 100] };
    parts[`cache${i}`] = {
      ...{ type: 'snoop_cache', title: `Cache ${i}`, at: [x + 9, 49, width - 18, 48] },
      params: { size: '$size', ways: Number(ways), line, virtual_offset: '0x0' },
    };
    wires.push([`cpu${i}.cache`, `cache${i}.cpu`], [`cpu${i}.front`, `cache${i}.front`]);
    wires.push([`cache${i}.bus`, `runway.agent${i}`]);
  }
  return { parts, wires };
}

/**
 * Recorded loads and stores as programs, through caches of several sizes.
 * @throws {ReferenceTraceError} for a reference of a processor that the machine does not have
 */
export function referencesRun(source: ByteSource, job: ReferencesRunJob): RecordedRun {
  const { name, cpus, sizes, from } = job;
  const programs = new Programs(cpus, REFERENCE_US);
  const places = new Places();
  let [number, cut] = [0, false];
  for (const { line, cpu, address, bytes, kinds } of readReferences(sourceFor(source, job))) {
    if (programs.full) {
      cut = true;
      break;
    }
    if (++number < from) continue;
    if (cpu >= cpus) throw new ReferenceTraceError(noProcessor(cpu), line, 1);
    const place = `0x${places.placeOf(address).toString(16)}`;
    const width = widthAt(address, bytes);
    programs.add(
      cpu,
      kinds.map((kind) => ({ do: kind, [kind === 'load' ? 'from' : 'to']: place, bytes, width })),
    );
  }
  if (from > 1 && number < from)
    throw new ReferenceTraceError(beyondEnd('references', number, from), 1, 1);
  const notes =
    from > 1
      ? [`Left out before that: ${count(from - 1, 'reference')}; the caches begin empty`]
      : [];
  const run = { steps: programs.steps, cut, notes };
  const all = (counter: string) => ({
    sum: Array.from({ length: cpus }, (_, i) => `cache${i}.${counter}`),
  });
  const metrics = {
    misses: {
      title: 'misses',
      unit: '%',
      product: [all('misses'), 100],
      over: [{ sum: [...all('hits').sum, ...all('misses').sum] }],
    },
    write_backs: { title: 'write-backs', unit: 'lines', product: [all('write_backs')] },
    copies: { title: 'copies to other caches', unit: 'lines', product: [all('copies')] },
  };
  const text = fileOf([
    section('busyard', 1),
    section('title', name),
    section('summary', summaryOf('references', run, from, name)),
    section('system', 'hp'),
    section('machine', referenceMachine(job)),
    section('variables', { size: { value: sizes[0], title: 'size of a cache' } }),
    programs.text,
    section('until', programs.until),
    section('metrics', metrics),
    section('experiment', { axes: { size: { values: sizes } }, metrics: Object.keys(metrics) }),
    section('view', { kind: 'machine' }),
  ]);
  return { text, ...run };
}

/** Bytes per access: an aligned reference is one access. */
function widthAt(address: bigint, bytes: number): number {
  let width = 1;
  while (width < 16 && bytes % (2 * width) === 0 && address % BigInt(2 * width) === 0n) width *= 2;
  return width;
}
