/** Explores the standard configurations: setup, report, and the scenario of a counterexample. */
import { count } from '../../base/format';
import { type Explore, type Explored, type ExploreOptions, INVARIANTS } from '../../engine/explore';
import { ENGINE_PARTS } from '../scenario/catalogue';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import { loadScenario } from '../scenario/load';
import { counterexampleText, depthText } from './counterexample-text';
import type { DefectProof } from './proof-defects';
import {
  handsPacketsOn,
  isOrderProof,
  proofScenario,
  type Setup,
  withLocks,
} from './proof-scenario';
import { LONG_PROOFS, PROOFS, type Proof } from './proofs';

/** Result of a configuration in `busyard explore --json`. */
export interface ProofReport {
  readonly config: string;
  readonly states: number;
  readonly transitions: number;
  readonly violations: number;
  readonly deadlocks: number;
  /** Transitions to the violation, or to the farthest state. */
  readonly depth: number;
  /** Rows of the protocol table that were used, and their total number. */
  readonly rules_taken: number;
  readonly rules_total: number;
  readonly states_per_second: number;
}

/** Result of a defect in `busyard faults --json`. */
export interface FaultReport {
  readonly fault: string;
  /** The invariant that detects it; null if none does. */
  readonly killed_by: string | null;
  /** Length of a shortest counterexample in transitions; without a defect, the distance of the farthest state. */
  readonly depth: number;
  /** Events of that counterexample; null if there is none. */
  readonly events: number | null;
  readonly states: number;
}

/** The compiled machine of a configuration. */
export function machineOfProof(of: Setup): CompiledMachine {
  const scenario = loadScenario(proofScenario(of), { forChecks: true });
  if (!scenario.ok) throw new Error(scenario.problems.map(({ message }) => message).join(' '));
  const machine = compile(scenario.value, { traceLog2: 0 });
  if (!machine.ok) throw new Error(machine.problems.map(({ message }) => message).join(' '));
  return machine.value;
}

/** Explores a configuration, or one with a defect. */
export const prove = (of: Setup, explore: Explore, options?: ExploreOptions): Promise<Explored> =>
  explore(machineOfProof(of).config, options);

/** Names of invariants in the prover's manifest, in the engine's order. */
const BROKEN = ENGINE_PARTS.types.get('prover')?.enums.invariant ?? [];

const configOf = (name: string): Proof | undefined =>
  [...PROOFS, ...LONG_PROOFS].find((proof) => proof.name === name);

/** The lesson of a counterexample: the violation, its cause, and how to step through it. */
function lessonOf(
  of: Setup & { readonly title?: string; readonly config?: string },
  found: Explored,
) {
  const { invariant, states } = found;
  const machine = configOf(of.config ?? '')?.covers ?? '';
  const follow = handsPacketsOn(of.shape)
    ? 'follow the packet from buffer to buffer'
    : withLocks(of.shape)
      ? 'follow who has the lock, and who has the processor'
      : isOrderProof(of.shape)
        ? 'follow what is posted, read and given on the way'
        : 'follow the line in the caches';
  const cause = of.title ? `This machine has one defect: **${sentence(of.title)}**` : '';
  return [
    `# ${of.title ?? 'A counterexample'}`,
    machine,
    cause,
    `Of ${count(states, 'state')} that exploration had seen, one breaks the invariant *${invariant}*. The counterexample takes ${counterexampleText(found)}, and no shorter one exists. A transition is one enabled event, together with those that follow from it immediately.`,
    '## Play it',
    `Each step is one event. The order of events was free; these choices lead to the violation. Step with the arrow keys and ${follow}; the last event names the violation, and *Why?* walks back from it.`,
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** Text of a scenario that replays a counterexample. */
export const counterexample = (
  of: Setup & { readonly title?: string; readonly config?: string },
  found: Explored,
): string => {
  const { way, steps, about, invariant } = found;
  return proofScenario(of, {
    way,
    steps,
    about,
    invariant: BROKEN[INVARIANTS.indexOf(invariant ?? 'none')]?.name ?? 'none',
    title: of.title ?? `Violated: ${invariant}`,
    summary: `Violates “${invariant}” in ${count(steps, 'event')}.`,
    lesson: lessonOf(of, found),
  });
};

export function reportOfProof({ name }: Proof, found: Explored): ProofReport {
  const { states, transitions, deadlocks, invariant, rules, seconds } = found;
  return {
    config: name,
    states,
    transitions,
    violations: invariant ? 1 : 0,
    deadlocks,
    depth: depthText(found),
    rules_taken: rules.filter(Boolean).length,
    rules_total: rules.length,
    states_per_second: Math.round(states / Math.max(seconds, 1e-3)),
  };
}

export const reportOfFault = ({ name }: DefectProof, found: Explored): FaultReport => ({
  fault: name,
  killed_by: found.invariant,
  depth: depthText(found),
  events: found.invariant ? found.steps : null,
  states: found.states,
});

/** Explores, without defects, every configuration in which a defect is searched: no invariant may fail. */
export async function unbroken(
  faults: readonly DefectProof[],
  explore: Explore,
): Promise<FaultReport> {
  const configs = new Set(faults.map(({ config }) => config));
  let report: FaultReport = { fault: 'none', killed_by: null, depth: 0, events: null, states: 0 };
  for (const proof of PROOFS.filter(({ name }) => configs.has(name))) {
    const found = await prove(proof, explore);
    report = {
      ...report,
      killed_by: report.killed_by ?? found.invariant,
      depth: Math.max(report.depth, depthText(found)),
      states: report.states + found.states,
    };
  }
  return report;
}
