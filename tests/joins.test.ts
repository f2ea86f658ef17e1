/**
 * Unforeseen machines: each part of the shipped ones is replaced by each other part that some of its wires fit. The
 * result runs, or is refused naming the part or a neighbour; it never stops the engine.
 */
import { expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { shapesOf } from '../src/engine/engine-code';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { PART_TYPES } from '../src/engine/gen/layout';
import type { PartType, PortSpec } from '../src/engine/manifest';
import { endText, fileOf } from '../src/model/builder/build-file';
import type { BuildFile } from '../src/model/builder/build-types';
import { addressesFor } from '../src/model/builder/free-addresses';
import { compile } from '../src/model/scenario/compile';
import { loadScenario } from '../src/model/scenario/load';
import type { Scenario, WireEnd } from '../src/model/scenario/scenario-types';
import { SCENARIOS, scenarioAt } from './support/scenarios';

const core = new Core({ module: await inlineChecks(), parts: shapesOf(PART_TYPES) });

/** Parts that check others and do not belong to a machine. */
const CHECKERS = ['pci_pair', 'player', 'prover', 'rope_pair', 'watcher'];
const TYPES = PART_TYPES.filter(({ name }) => !CHECKERS.includes(name));

interface Joined {
  readonly own: PortSpec;
  readonly other: string;
}

/** The wires of a part, from its side. */
function joinedTo({ machine }: Scenario, part: number): Joined[] {
  const specOf = ({ part: index, port }: WireEnd) => {
    const spec = machine.parts[index]?.type.ports.find(({ name }) => name === port);
    if (!spec) throw new Error(port);
    return spec;
  };
  return machine.wires.flatMap(({ ends: [a, b] }) => {
    if (a.part !== part && b.part !== part) return [];
    const [own, other] = a.part === part ? [a, b] : [b, a];
    const text = endText(machine.parts[other.part]?.name ?? '', specOf(other), other.index);
    return [{ own: specOf(own), other: text }];
  });
}

/** The wires that another part can take over, each to a port of the same role in the same conversation. */
function takenOver(name: string, type: PartType, joined: readonly Joined[]): [string, string][] {
  const used = new Map<PortSpec, number>();
  return joined.flatMap(({ own: { protocol, role }, other }): [string, string][] => {
    const fits = (port: PortSpec) =>
      port.protocol === protocol && port.role === role && (used.get(port) ?? 0) < port.count;
    const port = type.ports.find(fits);
    if (!port) return [];
    const index = used.get(port) ?? 0;
    used.set(port, index + 1);
    return [[endText(name, port, index), other]];
  });
}

/** The error with which a machine is refused, or null if it runs for a while. */
function refusal(file: BuildFile): string | null {
  const loaded = loadScenario(JSON.stringify(file), { file: 'joins.json', machines: new Map() });
  const made = loaded.ok ? compile(loaded.value) : loaded;
  if (!made.ok) return made.problems.map(({ message }) => message).join(' ');
  core.open(made.value.config);
  core.run(made.value.untilPs, 20_000);
  return null;
}

test('any part in place of any other runs, or is rejected by name', () => {
  const tried = new Set<string>();
  const came = { ran: 0, refused: 0 };
  for (const path of SCENARIOS) {
    const scenario = scenarioAt(path);
    const file = fileOf(scenario, {}, {});
    scenario.machine.parts.forEach(({ name, type: was }, part) => {
      const joined = joinedTo(scenario, part);
      for (const type of TYPES) {
        const wires = takenOver(name, type, joined);
        const key = [was.name, type.name, ...wires.map(([end]) => end.replace(/^\w+/, ''))].join();
        if (type === was || wires.length === 0 || tried.has(key)) continue;
        tried.add(key);
        const rest = file.machine.wires.filter((ends) =>
          ends.every((end) => end.split('.')[0] !== name),
        );
        const { [name]: work, ...workload } = file.workload ?? {};
        const { [name]: gone, ...others } = file.machine.parts;
        const params = addressesFor({ ...file, machine: { ...file.machine, parts: others } }, type);
        const parts = { ...file.machine.parts, [name]: { type: type.name, params } };
        const machine = { parts, wires: [...rest, ...wires] };
        const what = `${path}: ${type.name} for "${name}"`;
        const why = refusal({
          ...file,
          machine,
          metrics: {},
          workload: type.name === 'processor' ? (file.workload ?? {}) : workload,
        });
        came[why === null ? 'ran' : 'refused']++;
        const neighbours = [name, ...joined.map(({ other }) => other.split('.')[0])];
        if (why !== null)
          expect(
            neighbours.some((one) => why.includes(`"${one}`)),
            `${what}: ${why}`,
          ).toBe(true);
      }
    });
  }
  expect(came.refused).toBeGreaterThan(came.ran);
  // Without a bridge or a service, a driver that reaches no device is refused, so fewer machines run.
  expect(came.ran).toBeGreaterThan(20);
});

test('a part that needs immediate translations is rejected, by name, at an IOMMU with its table in memory', () => {
  const refused = new Set<string>();
  for (const path of SCENARIOS) {
    const scenario = scenarioAt(path);
    const { machine } = scenario;
    const unit = machine.parts.findIndex(({ type }) => type.name === 'iommu');
    if (unit < 0) continue;
    const iommu = machine.parts[unit]?.name ?? '';
    const asking = joinedTo(scenario, unit).filter(({ own }) => own.name === 'device');
    const askers = asking.map(({ other }) => {
      const part = machine.parts.find(({ name }) => name === other.split('.')[0]);
      return part?.type.name ?? '';
    });
    if (askers.every((type) => refused.has(type))) continue;
    const file = fileOf(scenario, {}, {});
    const why = refusal({
      ...file,
      machine: {
        parts: {
          ...file.machine.parts,
          its_bus: { type: 'runway' },
          its_memory: { type: 'memory_controller' },
        },
        wires: [
          ...file.machine.wires,
          [`${iommu}.bus`, 'its_bus.agent8'],
          ['its_bus.memory', 'its_memory.bus'],
        ],
      },
    });
    expect(why, path).toContain(`works only if "${iommu}.bus" is not wired, and it is.`);
    for (const type of askers) refused.add(type);
  }
  expect([...refused].sort()).toEqual(['bridge', 'bus_master', 'net_adapter', 'sba']);
});

/** The error of a GT card's machine with one change. */
const problemsOf = (change: (file: BuildFile) => BuildFile) => {
  const file = change(fileOf(scenarioAt('scenarios/gt/one-word.json'), {}, {}));
  const loaded = loadScenario(JSON.stringify(file), { file: 'joins.json', machines: new Map() });
  return loaded.ok ? [] : loaded.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
};

test.each(CHECKERS)('%s is for proofs and checks, and is rejected in a scenario', (type) => {
  const parts = { other: { type } };
  const found = problemsOf((file) => ({
    ...file,
    machine: { ...file.machine, parts: { ...file.machine.parts, ...parts } },
  }));
  expect(found).toContainEqual(
    expect.stringMatching(/^\/machine\/parts\/other: .* is for proofs and tests of the engine/),
  );
});

test('a scenario opens before it ends', () => {
  const opensAt = (from: string) =>
    problemsOf((file) => ({ ...file, until: '1 ms', view: { kind: 'machine', from } }));
  expect(opensAt('1 ms')).toEqual([]);
  expect(opensAt('1001 us')).toEqual([
    expect.stringMatching(/^\/view\/from: .* later than "until"/),
  ]);
});
