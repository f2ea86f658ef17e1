/** No value of a parameter stops the engine: it runs, or the edit is refused in a sentence. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Command, EngineError } from '../src/engine/api';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { FAULT } from '../src/engine/engine-errors';
import { MEASURE, SessionRunner } from '../src/engine/session';
import { compile } from '../src/model/scenario/compile';
import type { CompiledMachine, CompiledParam, CompiledPart } from '../src/model/scenario/compiled';
import { refusedAt } from '../src/model/scenario/engine-errors';
import type { Problem } from '../src/model/scenario/problems';
import type { Assignment, Edits, Scenario, Value } from '../src/model/scenario/scenario-types';
import { Dice } from './support/map-traces';
import { heldNative } from './support/native';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

/** BUSYARD_LONG=1 runs further, and draws more: minutes for all scenarios. */
const LONG = process.env.BUSYARD_LONG !== undefined;
const EVENTS = LONG ? 20_000 : 2_000;
const DRAWS = LONG ? 60 : 12;
if (LONG) vi.setConfig({ testTimeout: 1_800_000 });

const code = await inlineCode();
let core = new Core(code);

const written = (value: bigint): Value =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);

/** A value of a parameter, as written in an edit. */
function asWritten({ type }: CompiledPart, { spec }: CompiledParam, value: bigint): Value {
  const member = type.enums[spec.type]?.[Number(value)];
  if (member) return member.name;
  return spec.type === 'flag' ? value === 1n : written(value);
}

/** The place and the sentence of each problem. */
function refusal(problems: readonly Problem[]): string {
  for (const { message, pointer } of problems) {
    expect(message).toMatch(/^\S.*[.?]$/s);
    if (pointer === '') expect(message).toContain(': ');
  }
  return 'refused';
}

interface Draw {
  readonly edits?: Edits;
  readonly variables?: Assignment;
  readonly commands?: readonly Command[];
}

/** The result: a run, to its end or for this many events, or a refusal. Anything else throws. */
function outcome(scenario: Scenario, { commands = [], ...options }: Draw, events = EVENTS): string {
  const machine = compile(scenario, { ...options, traceLog2: 0 });
  if (!machine.ok) return refusal(machine.problems);
  if (core.dead) core = new Core(code);
  const { config, untilPs } = machine.value;
  try {
    const runner = new SessionRunner(core, { config, commands }, MEASURE);
    return runner.run({ untilPs, untilEvents: events }).reason;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code >= FAULT.trap)
      throw new Error(`With ${JSON.stringify(options)}: ${error}`, { cause: error });
    return refusal([refusedAt(machine.value, error)]);
  }
}

/** A description of a part: its type, values, the operations of its programs, and its wires. */
function roleOf({ index, type, params, tables }: CompiledPart, { parts, wires }: CompiledMachine) {
  const values = params.map(({ value }) => value);
  const operations = type.tables.map(({ fields }, table) => {
    const at = fields.findIndex(({ name }) => name === 'do');
    const done = (tables[table] ?? []).map(({ values: row }) => (at < 0 ? row.join() : row[at]));
    return [...new Set(done)].sort();
  });
  const peers = wires.flatMap(({ ends: [one, other] }) => {
    if (one.part === index) return [`${one.port} ${parts[other.part]?.type.name}`];
    return other.part === index ? [`${other.port} ${parts[one.part]?.type.name}`] : [];
  });
  return [type.name, values, operations, peers.sort()].join('|');
}

/** One part of those with the same description, such as sixteen processors with one program: the last. */
const ofEachRole = (machine: CompiledMachine): ReadonlyMap<string, CompiledPart> =>
  new Map(machine.parts.map((part) => [roleOf(part, machine), part]));

/** Values that a user may give to a variable. */
const VALUES: readonly Value[] = [
  0,
  1,
  3,
  65535,
  2 ** 40,
  -1,
  0.5,
  '',
  'no',
  '1 ps',
  '1 s',
  '1 B',
  '1 GiB',
  true,
];

/** Any value of its range, most often one at or near an end. */
function anyValue({ spec }: CompiledParam): fc.Arbitrary<bigint> {
  const [min, max] = [BigInt(spec.min), BigInt(spec.max)];
  const bits = (max - min).toString(2).length;
  const magnitude = fc
    .tuple(fc.integer({ min: 0, max: bits }), fc.bigInt({ min: 0n, max: max - min }))
    .map(([size, raw]) => min + (raw >> BigInt(bits - size)));
  return fc.oneof(fc.constantFrom(min, max), magnitude);
}

function drawOf({ parts }: CompiledMachine): fc.Arbitrary<Draw> {
  const all = parts.flatMap((part) => part.params.map((param) => ({ part, param })));
  const some = fc.subarray(all, { maxLength: 8 });
  const edits = some.chain((chosen) =>
    fc
      .tuple(...chosen.map(({ param }) => anyValue(param)))
      .map((values) =>
        Object.fromEntries(
          chosen.map(({ part, param }, i) => [param.path, asWritten(part, param, values[i] ?? 0n)]),
        ),
      ),
  );
  const live = all.filter(({ param }) => param.spec.change === 'live');
  const command = fc
    .tuple(fc.constantFrom(...live), fc.integer({ min: 0, max: EVENTS * 2 }))
    .chain(([{ part, param }, atEvents]) =>
      anyValue(param).map(
        (value): Command => ({ atEvents, part: part.index, param: param.index, value }),
      ),
    );
  return fc.record({ edits, commands: fc.array(command, { maxLength: live.length > 0 ? 8 : 0 }) });
}

describe('no part has more messages in flight than its manifest declares', () => {
  test.each(SCENARIOS)('in %s', async (path) => {
    const { config, parts, untilPs } = compiled(scenarioAt(path), { traceLog2: 0 });
    const { holds } = await heldNative(config, { untilPs, untilEvents: 50_000 });
    const over = parts.filter((_, i) => {
      const [most, declared] = holds[i] ?? [1, 0];
      return most > declared;
    });
    expect(over.map(({ name }) => name)).toEqual([]);
  });
});

test('a link with delayed completions holds a full window of packets for each processor', async () => {
  const edits = { 'nic.latency': '10 ms', 'net.batch': 64 };
  const { config, parts } = compiled(scenarioAt('scenarios/pools/one-lock-or-sixteen.json'), {
    edits,
    variables: { threads: 16 },
    traceLog2: 0,
  });
  const runner = new SessionRunner(new Core(code), { config, commands: [] }, MEASURE);
  runner.run({ untilPs: 60e9 });
  const { holds } = await heldNative(config, { untilPs: 20e9 });
  const [most, declared] = holds[parts.findIndex(({ name }) => name === 'net')] ?? [];
  expect([most, declared]).toEqual([16 * 64, 16 * 64]);
});

/** A parameter of a part, set to a value of its range. */
interface Setting {
  readonly path: string;
  readonly value: Value;
}

interface Case {
  readonly path: string;
  readonly scenario: Scenario;
  readonly machine: CompiledMachine;
}

const CASES = SCENARIOS.map((path): Case => {
  const scenario = scenarioAt(path);
  return { path, scenario, machine: compiled(scenario) };
});

/** Both ends of a parameter's range, and every member of a list such as faults, except the scenario's own value. */
function settingsOf(part: CompiledPart, param: CompiledParam): Setting[] {
  const { spec, path } = param;
  const [least, most] = [BigInt(spec.min), BigInt(spec.max)];
  const listed = part.type.enums[spec.type]
    ? Array.from({ length: Number(most - least) + 1 }, (_, i) => least + BigInt(i))
    : [least, most];
  const changes = [...new Set(listed)].filter((value) => value !== param.value);
  return changes.map((value) => ({ path, value: asWritten(part, param, value) }));
}

/**
 * Whether a setting alone was refused, by the description of its part. A part that another scenario has too is not
 * tried alone again.
 */
const triedAlone = new Map<string, boolean>();

function isRefusedAlone(
  scenario: Scenario,
  role: string,
  { spec }: CompiledParam,
  { path, value }: Setting,
) {
  const key = `${role} ${spec.name} ${value}`;
  const known = triedAlone.get(key);
  if (known !== undefined) return known;
  const refused = outcome(scenario, { edits: { [path]: value } }) === 'refused';
  triedAlone.set(key, refused);
  return refused;
}

/**
 * Parameters set together in one run, and runs of a scenario: each of the thousands of pairs of settings is in one of
 * them.
 */
const TOGETHER = 4;
const GROUPS = LONG ? 200 : 24;

/**
 * Groups of independent settings, so that each run tests all their pairs. Settings that are in no group yet are drawn
 * first. The groups are the same every time.
 */
function* groupsOf(settings: readonly Setting[], dice: Dice): Generator<Edits> {
  let left: Setting[] = [];
  for (let i = 0; i < GROUPS && settings.length > 0; i++) {
    if (left.length < TOGETHER) left = [...settings];
    const group = Array.from({ length: TOGETHER }, () => {
      const [setting] = left.splice(dice.roll(left.length), 1);
      return setting as Setting;
    }).filter(Boolean);
    yield Object.fromEntries(group.map(({ path, value }) => [path, value]));
  }
}

describe.each(CASES)('$path', (one) => {
  const { scenario, machine } = one;

  // One part of each description is taken; the others are set in the draws below.
  test('runs, or is rejected, with each parameter at its limits, and with several at once', () => {
    const alone: Setting[] = [];
    for (const [role, part] of ofEachRole(machine))
      for (const param of part.params)
        for (const setting of settingsOf(part, param))
          if (!isRefusedAlone(scenario, role, param, setting)) alone.push(setting);
    for (const edits of groupsOf(alone, new Dice(11))) outcome(scenario, { edits });
  });

  test('runs, or is rejected, with any combination, also changed during the run', () => {
    const draws = fc.property(drawOf(machine), (draw) => {
      outcome(scenario, draw, EVENTS * 4);
    });
    fc.assert(draws, { seed: 7, numRuns: DRAWS });
  });

  test('runs, or is rejected, with any variables', () => {
    for (const { name } of scenario.variables.values())
      for (const value of VALUES) outcome(scenario, { variables: { [name]: value } });
  });
});

/** The first part of each type, with its scenario: limits of a parameter are the same in all. */
const TYPES = new Map(
  CASES.flatMap(({ scenario, machine: { parts } }) => parts.map((part) => ({ scenario, part })))
    .reverse()
    .map((one) => [one.part.type.name, one]),
);

test.each([...TYPES])(
  'a parameter of %s beyond its limits is rejected',
  (_, { scenario, part }) => {
    for (const { spec, path } of part.params) {
      if (part.type.enums[spec.type] || spec.type === 'flag') continue;
      for (const past of [BigInt(spec.min) - 1n, BigInt(spec.max) + 1n]) {
        const result = compile(scenario, { edits: { [path]: written(past) } });
        expect(result.ok, `${path} = ${past}`).toBe(false);
        if (!result.ok) refusal(result.problems);
      }
    }
  },
);

test.each<[string, Edits, number]>([
  ['gt/peer-to-peer', { 'ring.node_latency': '1 ms', 'peer.blocks': 100, 'peer.every': 0 }, 3e12],
  ['gt/peer-to-peer', { 'ring.rate': '10 MB/s', 'peer.blocks': 20, 'peer.bytes': '1 MiB' }, 3e12],
  [
    'gt/peer-to-peer',
    { 'ring.rate': '1 MB/s', 'ring.queue': '128 B', 'peer.bytes': '1 MiB' },
    1e11,
  ],
  ['gt/under-load', { 'ring.node_latency': '1 ms' }, 1e11],
  ['gt/two-engines', { 'ring.node_latency': '1 ms' }, 1e11],
])('a ring that is slow or long makes the card wait: %s, %j', (id, more, untilPs) => {
  const edits = { 'gt.tracked': '16 MiB', ...more };
  const { config, parts } = compiled(scenarioAt(`scenarios/${id}.json`), { edits, traceLog2: 0 });
  const runner = new SessionRunner(new Core(code), { config, commands: [] }, MEASURE);
  const { timePs } = runner.run({ untilPs });
  const count = (type: string, name: string) => {
    const part = parts.find((one) => one.type.name === type) as CompiledPart;
    return runner.core.counters(part.index)[
      part.type.counters.findIndex((one) => one.name === name)
    ];
  };
  expect(count('gt', 'ring_wait')).toBeGreaterThan(0);
  const rate = Number(
    parts.flatMap(({ params }) => params).find(({ path }) => path === 'ring.rate')?.value,
  );
  expect(count('ring', 'bytes')).toBeLessThanOrEqual((rate * timePs) / 1e12 + 2 ** 20);
});
