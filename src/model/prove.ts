/** Exploration of the standard configurations: what is set up, what came of it, and the way to what broke. */
import type { Explored, Explorer } from '../engine/explore';
import { type CompiledMachine, compile } from './compile';
import { type FaultProof, type Proof, proofScenario } from './proofs';
import { loadScenario } from './scenario';

/** Transitions between two looks. */
const PIECE = 1 << 18;

interface ProofReport {
  readonly config: string;
  readonly states: number;
  readonly transitions: number;
  readonly violations: readonly { readonly invariant: string; readonly steps: number }[];
  readonly deadlocks: number;
  readonly depth: number;
  readonly complete: boolean;
  readonly rules_taken: number;
  readonly rules_total: number;
  readonly seconds: number;
  readonly states_per_second: number;
}

interface FaultReport {
  readonly fault: string;
  readonly title: string;
  readonly config: string;
  readonly killed_by: string | null;
  readonly depth: number;
  readonly states: number;
}

function machineOfProof(text: string): CompiledMachine {
  const scenario = loadScenario(text);
  if (!scenario.ok) throw new Error(scenario.problems.map(({ message }) => message).join(' '));
  const machine = compile(scenario.value);
  if (!machine.ok) throw new Error(machine.problems.map(({ message }) => message).join(' '));
  return machine.value;
}

function explored(explorer: Explorer): Explored {
  for (;;) {
    const now = explorer.step(PIECE);
    if (now.end !== 'more') return now;
  }
}

/** How many rows of the protocol were taken by any of the caches. */
function rowsTaken(explorer: Explorer, machine: CompiledMachine): boolean[] {
  const caches = machine.parts.flatMap(({ type }, i) => (type.name === 'snoop_cache' ? [i] : []));
  const type = machine.parts[caches[0] ?? 0]?.type;
  const view = type?.views.findIndex(({ name }) => name === 'rows') ?? 0;
  const fields = type?.views[view]?.fields ?? [];
  const words = fields.reduce((sum, { bits }) => sum + bits / 32, 0);
  const taken = fields.findIndex(({ name }) => name === 'taken');
  return explorer.taken(caches, view, words, taken).map((count) => count > 0);
}

export type MakeExplorer = (config: Uint8Array) => Explorer;

interface ProofRun {
  readonly report: ProofReport;
  readonly machine: CompiledMachine;
  readonly way: Uint32Array;
  readonly rows: readonly boolean[];
}

export function runProof(proof: Proof, make: MakeExplorer, now: () => number): ProofRun {
  const machine = machineOfProof(proofScenario(proof.shape));
  const explorer = make(machine.config);
  const began = now();
  const result = explored(explorer);
  const seconds = (now() - began) / 1000;
  const rows = rowsTaken(explorer, machine);
  const { states, transitions, deadlocks, depth, invariant, steps } = result;
  const report = {
    config: proof.name,
    states,
    transitions,
    violations: invariant ? [{ invariant, steps }] : [],
    deadlocks,
    depth,
    complete: result.end === 'complete',
    rules_taken: rows.filter(Boolean).length,
    rules_total: rows.length,
    seconds,
    states_per_second: Math.round(states / Math.max(seconds, 1e-3)),
  };
  return { report, machine, way: result.way, rows };
}

/** One defect, in the first of its configurations that shows it. */
export function runFault(fault: FaultProof, make: MakeExplorer): FaultReport & ProofRunWay {
  const machine = machineOfProof(proofScenario(fault.shape, fault.params));
  const result = explored(make(machine.config));
  return {
    fault: fault.name,
    title: fault.title,
    config: fault.config,
    killed_by: result.invariant,
    depth: result.steps,
    states: result.states,
    machine,
    way: result.way,
  };
}

interface ProofRunWay {
  readonly machine: CompiledMachine;
  readonly way: Uint32Array;
}
