/** Parameters that may change while a machine runs: the engine accepts those of the manifests, and no others. */
import { expect, test } from 'vitest';
import { EngineError } from '../src/engine/api';
import { Core } from '../src/engine/core';
import { shapesOf } from '../src/engine/engine-code';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { FAULT } from '../src/engine/engine-errors';
import { PART_TYPES } from '../src/engine/gen/layout';
import type { CompiledMachine, CompiledPart } from '../src/model/scenario/compiled';
import { PROOFS } from '../src/model/verify/proofs';
import { machineOfProof } from '../src/model/verify/prove';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

const code = { module: await inlineChecks(), parts: shapesOf(PART_TYPES) };
/** Machines with the parts that are in no scenario. */
const proofs = PROOFS.filter(({ name }) =>
  ['coherent-1x1', 'bridge-order', 'rope-1x1'].includes(name),
);
const machines = [
  ...SCENARIOS.map((path) =>
    compiled(scenarioAt(path), {
      watched: path.includes('/hp/'),
      checked: path.includes('/hp/'),
    }),
  ),
  ...proofs.map(machineOfProof),
];

function opened(machine: CompiledMachine, events: number): Core {
  const core = new Core(code);
  core.open(machine.config);
  core.run(Number.POSITIVE_INFINITY, events);
  return core;
}

/** A part of this type in a machine that has one and runs for a while. */
function placeOf(type: string): { machine: CompiledMachine; part: CompiledPart } | null {
  for (const machine of machines) {
    const part = machine.parts.find((one) => one.type.name === type);
    if (part && opened(machine, 200).position.events === 200) return { machine, part };
  }
  return null;
}

const TYPES = PART_TYPES.map(({ name }) => name).filter((name) => name !== 'player');

const REFUSED: readonly number[] = [FAULT.notLive, FAULT.badParam];

/** Whether the engine accepts a parameter's value while the machine runs. */
function takes(core: Core, part: number, param: number, value: bigint): boolean {
  try {
    core.command(part, param, value);
    return true;
  } catch (error) {
    if (error instanceof EngineError && REFUSED.includes(error.code)) return false;
    throw error;
  }
}

test.each(TYPES)('parameters of %s', (name) => {
  const place = placeOf(name);
  if (!place) return expect.unreachable(`No scenario has a ${name}.`);
  const { machine, part } = place;
  const core = opened(machine, 50);
  const taken = part.params.map(({ spec, index, value }) => [
    spec.name,
    takes(core, part.index, index, value) ? 'live' : 'restart',
  ]);
  expect(taken).toEqual(part.params.map(({ spec }) => [spec.name, spec.change]));
});

test.each(TYPES)('a value rejected by %s changes nothing', (name) => {
  const place = placeOf(name);
  if (!place) return expect.unreachable(`No scenario has a ${name}.`);
  const { machine, part } = place;
  const core = opened(machine, 50);
  for (const { spec, index, value } of part.params) {
    const [least, most] = [BigInt(spec.min), BigInt(spec.max)];
    if (most + 1n < 2n ** 64n) expect(takes(core, part.index, index, most + 1n)).toBe(false);
    const other = value < most ? value + 1n : least;
    if (spec.change !== 'live') expect(takes(core, part.index, index, other)).toBe(false);
  }
  core.run(Number.POSITIVE_INFINITY, 100);
  expect(core.hash()).toBe(opened(machine, 100).hash());
});
