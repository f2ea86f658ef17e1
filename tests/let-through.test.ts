/**
 * The engine opens whatever the model accepts: each rule is checked before the run and reported at its place. The
 * engine itself refuses only what it alone can check.
 */
import { expect, test } from 'vitest';
import { EngineError } from '../src/engine/api';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { PART_TYPES } from '../src/engine/gen/layout';
import type { ParamSpec, PartType } from '../src/engine/manifest';
import { compile } from '../src/model/scenario/compile';
import type { CompiledMachine } from '../src/model/scenario/compiled';
import { refusedAt } from '../src/model/scenario/engine-errors';
import { loadScenario } from '../src/model/scenario/load';
import type { Edits, Value } from '../src/model/scenario/scenario-types';
import { listScenarios, machineTexts, readScenario } from '../src/model/scenario/scenarios';
import { toText } from '../src/model/scenario/values';
import { Dice } from './support/map-traces';
import { typeOf } from './support/sessions';

const core = new Core(await inlineCode());
const machines = await machineTexts();

/** Relations between values of a part that only the engine checks, in the words of its manifest. */
const CONSTRAINTS = PART_TYPES.flatMap(({ params }) =>
  params.flatMap(({ constraint }) => constraint ?? []),
);

/** Why the engine refuses a machine for a rule that the model should have checked; null if it opens. */
function refusal(machine: CompiledMachine): string | null {
  try {
    core.open(machine.config);
    return null;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { message } = refusedAt(machine, error);
    return CONSTRAINTS.some((sentence) => message.includes(sentence)) ? null : message;
  }
}

function anyValue(dice: Dice, spec: ParamSpec, type: PartType): Value {
  const [min, max] = [BigInt(spec.min), BigInt(spec.max)];
  const random = BigInt(dice.roll(2 ** 31)) * BigInt(dice.roll(2 ** 31));
  const value = dice.pick([
    min,
    max,
    min + 1n,
    max - 1n,
    1n << BigInt(dice.roll(40)),
    min + (random % (max - min + 1n)),
    BigInt(spec.default) * 2n,
    BigInt(spec.default) / 2n,
  ]);
  const legal = value < min ? min : value > max ? max : value;
  return spec.type === 'flag' ? legal > 0n : toText(legal, spec.type, type.enums);
}

test('with any parameters', async () => {
  const dice = new Dice(13);
  let opened = 0;
  for (const { id } of listScenarios()) {
    const scenario = await readScenario(id);
    if (!scenario.ok) throw new Error(id);
    const parts = scenario.value.machine.parts.filter(({ type }) => type.params.length > 0);
    for (let i = 0; i < 8; i++) {
      const edits: Record<string, Value> = {};
      for (let n = 1 + dice.roll(3); n > 0; n--) {
        const { name, type } = dice.pick(parts);
        const spec = dice.pick(type.params);
        edits[`${name}.${spec.name}`] = anyValue(dice, spec, type);
      }
      const machine = compile(scenario.value, { edits: edits as Edits, traceLog2: 0 });
      if (!machine.ok) continue;
      opened++;
      expect(refusal(machine.value), `${id} ${JSON.stringify(edits)}`).toBeNull();
    }
  }
  expect(opened).toBeGreaterThan(300);
}, 120_000);

const OPERATIONS = [
  ...['end', 'thread', 'repeat', 'again', 'lap', 'lap_end', 'spend', 'pio_write', 'pio_read'],
  ...['copy_write', 'dma_write', 'dma_read', 'write_data', 'signal', 'wait', 'stop', 'load'],
  ...['store', 'flush', 'copy', 'sync', 'io_store', 'map', 'unmap', 'dma_out', 'send', 'reap'],
];

/** The fields of a processor's operation; none for other words. */
const fieldsOf = (operation: string): readonly string[] =>
  typeOf('processor').enums.op?.find(({ name }) => name === operation)?.fields ?? [];

function anyRow(dice: Dice): Record<string, Value> {
  const operation = dice.pick(OPERATIONS);
  const own = fieldsOf(operation);
  const row: Record<string, Value> = { do: operation };
  const fields: Record<string, readonly Value[]> = {
    bytes: [0, 4, 6, 32, 4096, '1 GiB', '2 GiB', 1023],
    from: ['0x100000', '0x100002', '0x80000000', '0xffffffffffffffff'],
    to: ['0x80000000', '0x80000003', '0x100000'],
    width: [0, 1, 2, 3, 4, 8, 16, 32, 64],
    time: ['1 us', '0 ps', '1 s'],
    count: [0, 1, 2, 1e9],
    tag: [0, 1, 2, 15, 16],
  };
  for (const [name, values] of Object.entries(fields))
    if (dice.chance(own.includes(name) ? 2 : 200)) row[name] = dice.pick(values);
  return row;
}

/** The machine, and the same without some of its parts. */
const WITHOUT: readonly Record<string, null>[] = [
  ...[{}, {}, {}, {}, { driver: null }, { cache: null }],
  { driver: null, bridge: null, bus: null, gt: null, ring: null },
];

test('with any rows', () => {
  const dice = new Dice(14);
  let [opened, refused] = [0, 0];
  for (let i = 0; i < 2500; i++) {
    const threads = Array.from({ length: dice.chance(40) ? 20 : 1 + dice.roll(2) }, () =>
      Array.from({ length: dice.chance(20) ? 0 : 1 + dice.roll(3) }, () => anyRow(dice)),
    );
    const file = {
      busyard: 1,
      title: 'Any rows',
      summary: 'Rows that somebody may write.',
      system: 'gt',
      machine: { extends: 'gt-system-a', parts: dice.pick(WITHOUT) },
      workload: { cpu: threads },
      until: '1 us',
      view: { kind: 'machine' },
    };
    const scenario = loadScenario(JSON.stringify(file), { machines });
    const machine = scenario.ok ? compile(scenario.value, { traceLog2: 0 }) : scenario;
    if (machine.ok) {
      opened++;
      expect(refusal(machine.value), JSON.stringify(threads)).toBeNull();
      continue;
    }
    refused++;
    for (const { line, message, pointer } of machine.problems) {
      expect(line).toBeGreaterThan(0);
      expect(pointer).toMatch(/^\/(workload|machine|parts|wires)/);
      expect(message).toMatch(/[.?]$/);
    }
  }
  expect(opened).toBeGreaterThan(200);
  expect(refused).toBeGreaterThan(200);
}, 120_000);
