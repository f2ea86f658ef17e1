/** What a person may set a parameter to never stops the engine: it runs, or the edit is refused in a sentence. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Command, EngineError } from '../src/engine/api';
import { inlineCode } from '../src/engine/code-inline';
import { Core } from '../src/engine/core';
import { FAULT } from '../src/engine/faults';
import { MEASURE, SessionRunner } from '../src/engine/session';
import {
  type CompiledMachine,
  type CompiledParam,
  type CompiledPart,
  compile,
  type Edits,
} from '../src/model/scenario/compile';
import type { Problem } from '../src/model/scenario/problems';
import { refusedAt } from '../src/model/scenario/refused';
import type { Assignment, Scenario, Value } from '../src/model/scenario/scenario-types';
import { heldNative } from './support/native';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

/** BUSYARD_LONG=1 runs further, and draws more. */
const LONG = process.env.BUSYARD_LONG !== undefined;
const EVENTS = LONG ? 100_000 : 2_000;
const DRAWS = LONG ? 400 : 12;

const code = await inlineCode();
let core = new Core(code);

const written = (value: bigint): Value =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);

/** A value of a parameter, as an edit says it. */
function asWritten({ type }: CompiledPart, { spec }: CompiledParam, value: bigint): Value {
  const member = type.enums[spec.type]?.[Number(value)];
  if (member) return member.name;
  return spec.type === 'flag' ? value === 1n : written(value);
}

/** Where each problem lies and what it says: a sentence. */
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

/** What comes of it: a run, to its end or so many events of it, or a refusal. Anything else throws. */
function outcome(scenario: Scenario, { commands = [], ...options }: Draw, events = EVENTS): string {
  const machine = compile(scenario, { ...options, traceLog2: 0 });
  if (!machine.ok) return refusal(machine.problems);
  if (core.dead) core = new Core(code);
  const { config, untilPs } = machine.value;
  try {
    const runner = new SessionRunner(core, { config, commands }, MEASURE);
    return runner.run({ untilPs, untilEvents: events }).reason;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code >= FAULT.trap) throw error;
    return refusal([refusedAt(machine.value, error)]);
  }
}

/** The first part of each type: others of the type differ in nothing that matters here. */
const ofEachType = ({ parts }: CompiledMachine) =>
  parts.filter(({ type }, i) => parts.findIndex((other) => other.type === type) === i);

/** What somebody may write in the place of a variable. */
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

/** Any value of its range, most often one at an end of it or near. */
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

describe('no part has more messages under way than its manifest says', () => {
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

test('a link whose completions are known late holds a whole window of packets for each processor', async () => {
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

/** Scenarios whose machines are made of the same types of parts share the parameters among themselves. */
const SHARES = LONG ? 1 : 4;

const kindOf = ({ parts }: CompiledMachine): string =>
  [...new Set(parts.map(({ type }) => type.name))].sort().join(' ');

interface Case {
  readonly path: string;
  readonly scenario: Scenario;
  readonly machine: CompiledMachine;
  readonly kind: string;
}

const CASES = SCENARIOS.map((path): Case => {
  const scenario = scenarioAt(path);
  const machine = compiled(scenario);
  return { path, scenario, machine, kind: kindOf(machine) };
});

/** The parameters that fall to a scenario: each is put to its limits in a quarter of its kind, at least once. */
function shareOf({ path, machine, kind }: Case) {
  const same = CASES.filter((other) => other.kind === kind);
  const shares = Math.min(SHARES, same.length);
  const own = same.findIndex((other) => other.path === path) % shares;
  return ofEachType(machine)
    .flatMap((part) => part.params.map((param) => ({ part, param })))
    .filter((_, i) => i % shares === own);
}

describe.each(CASES)('$path', (one) => {
  const { scenario, machine } = one;

  test('runs, or is refused, with its parameters at their limits, and is refused beyond', () => {
    for (const { part, param } of shareOf(one)) {
      const { spec, path } = param;
      const [least, most] = [BigInt(spec.min), BigInt(spec.max)];
      for (const value of [least, most])
        outcome(scenario, { edits: { [path]: asWritten(part, param, value) } });
      if (part.type.enums[spec.type] || spec.type === 'flag') continue;
      for (const beyond of [least - 1n, most + 1n]) {
        const told = compile(scenario, { edits: { [path]: written(beyond) } });
        expect(told.ok, `${path} = ${beyond}`).toBe(false);
        if (!told.ok) refusal(told.problems);
      }
    }
  });

  test('runs, or is refused, with any of them at once, and changed as it runs', () => {
    const draws = fc.property(drawOf(machine), (draw) => {
      outcome(scenario, draw, EVENTS * 4);
    });
    fc.assert(draws, { seed: 7, numRuns: DRAWS });
  });

  test('runs, or is refused, whatever its variables are', () => {
    for (const { name } of scenario.variables.values())
      for (const value of VALUES) outcome(scenario, { variables: { [name]: value } });
  });
});

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
