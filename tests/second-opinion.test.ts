/**
 * An independent model of the coherence protocol, without the engine's code, reaches the same states. Of each state
 * the visible parts of one line are compared: each cache's state of it and whose data is the newest,
 * its miss and what the line will become, what it owes others, its write-back buffer, and memory.
 */
import { describe, expect, test } from 'vitest';
import { compile } from '../src/model/scenario/compile';
import { loadScenario } from '../src/model/scenario/load';
import { DEFECT_PROOFS } from '../src/model/verify/proof-defects';
import { proofScenario, type Setup } from '../src/model/verify/proof-scenario';
import { PROOFS } from '../src/model/verify/proofs';
import { type NativeCache, statesNative } from './support/native';
import { type ModelState, reachable } from './support/runway-model';

const HELD = ['invalid', 'shared', 'clean', 'dirty', 'shared', 'private', 'once'];
const STAGES = ['none', 'wanted', 'issued', 'ordered'];

const ofModel = ({ memory, cpus }: ModelState) => [
  memory,
  ...cpus.map(({ cache, miss, leaving, copies }) => [
    cache.held,
    cache.newest,
    miss && [miss.stage, miss.wants],
    miss?.stage === 'ordered' && [miss.becomes, miss.othersShare, miss.owes !== null],
    leaving,
    copies.map(({ newest }) => newest),
  ]),
];

function ofCache(numbers: NativeCache) {
  const [held = 0, newest, stage = 0, type, becomes = 0, shares, owes, leaving = 0, ...copies] =
    numbers;
  return [
    HELD[held],
    newest,
    stage > 0 ? [STAGES[stage], type === 1 ? 'shared' : 'private'] : null,
    STAGES[stage] === 'ordered' && [HELD[becomes], shares === 1, owes !== 0],
    leaving > 0 ? leaving - 4 : null,
    copies,
  ];
}

async function ofEngine(setup: Setup) {
  const scenario = loadScenario(proofScenario(setup), { forChecks: true });
  const machine = scenario.ok ? compile(scenario.value) : scenario;
  if (!machine.ok) throw new Error(machine.problems[0]?.message);
  const { found, end } = await statesNative(machine.value.config);
  const states = found.map(([memory, ...caches]) =>
    JSON.stringify([memory, ...caches.map(ofCache)]),
  );
  return { states: new Set(states), complete: end === 1 };
}

const known = new Map(
  [2, 3].map((cpus) => [
    cpus,
    new Set(reachable(cpus).map((state) => JSON.stringify(ofModel(state)))),
  ]),
);

const minus = (a: ReadonlySet<string>, b: ReadonlySet<string> = new Set()) =>
  [...a].filter((state) => !b.has(state));

describe('all reachable states of a line', () => {
  test.each([
    ['processors-2x1', 2],
    ['processors-3x1', 3],
  ])('%s: engine and model reach the same states', async (name, cpus) => {
    const proof = PROOFS.find((one) => one.name === name);
    if (!proof) throw new Error(`There is no ${name}.`);
    const model = known.get(cpus) ?? new Set();
    const { states, complete } = await ofEngine(proof);
    expect(complete).toBe(true);
    expect(model.size).toBeGreaterThan(100);
    expect({ engine: minus(states, model), model: minus(model, states) }).toEqual({
      engine: [],
      model: [],
    });
  });

  // Exploration ends with a broken invariant; these defects show in states before it.
  test.each([
    'ok_while_dirty',
    'owner_stays_dirty',
    'copy_skips_memory',
    'store_stays_clean',
    'store_on_shared',
  ])('%s leads to a state that the model does not know', async (name) => {
    const fault = DEFECT_PROOFS.find((one) => one.name === name);
    if (!fault) throw new Error(`There is no ${name}.`);
    const { states } = await ofEngine(fault);
    expect(minus(states, known.get(2))).not.toEqual([]);
  });
});
