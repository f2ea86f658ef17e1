/** `busyard explore` and `busyard faults`: visit every state that any order of events can reach. */

import { hint, quote } from '../base/suggest';
import type { Explored } from '../engine/explore';
import { createLocalEngine, exploreLocally } from '../engine/inprocess';
import { traceJsonLines } from '../model/report/export';
import { compile } from '../model/scenario/compile';
import { loadScenario } from '../model/scenario/load';
import { createTrace } from '../model/trace/trace';
import { DEFECT_PROOFS } from '../model/verify/proof-defects';
import type { Setup } from '../model/verify/proof-scenario';
import { LONG_PROOFS, PROOFS } from '../model/verify/proofs';
import {
  counterexample,
  prove,
  reportOfFault,
  reportOfProof,
  unbroken,
} from '../model/verify/prove';
import { command, JSON_OPTION } from './arguments';
import { warn, write, writeJson } from './output';
import { Refusal } from './refusal';

const WAY = {
  help: 'write the events of the counterexample, as JSON lines',
} as const;

const EXPLORE = {
  name: 'explore',
  summary: 'Visits every reachable state; exit code 1 if an invariant breaks.',
  takes: ['[CONFIGURATION...]', 'default: the standard ones'],
  options: { json: JSON_OPTION, way: WAY, long: { help: 'include those that take minutes' } },
} as const;

const FAULTS_SPEC = {
  name: 'faults',
  summary:
    'Explores with each defect switched on; exit code 1 if any defect violates no invariant.',
  takes: ['[DEFECT...]', 'default: all'],
  options: { json: JSON_OPTION, way: WAY },
} as const;

/** Rejects --json together with --way. */
function checkWay({
  json,
  way,
}: {
  readonly json?: boolean | undefined;
  readonly way?: boolean | undefined;
}): void {
  if (json && way) throw new Refusal('Choose either --json or --way.');
}
/** Memory in MiB for configurations that are named or long. */
const MEBIBYTES = 1920;

function named<T extends { readonly name: string }>(
  all: readonly T[],
  what: string,
  name: string,
): T {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  const known = all.map((one) => one.name);
  throw new Refusal(`There is no ${what} ${quote(name)}${hint(name, known, known.length)}`);
}

/** Writes the events of a counterexample as JSON lines. */
async function writeWay(of: Setup, found: Explored): Promise<void> {
  const scenario = loadScenario(counterexample(of, found));
  const machine = scenario.ok ? compile(scenario.value) : scenario;
  if (!machine.ok) throw new Error('The counterexample cannot be replayed.');
  const engine = await createLocalEngine();
  await engine.open({ config: machine.value.config, commands: [] });
  const { seq } = await engine.run({ untilPs: machine.value.untilPs });
  const kept = createTrace(machine.value);
  const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: seq } });
  if (frame.trace) kept.append(frame.trace);
  engine.dispose();
  await write(traceJsonLines(machine.value, kept));
}

export const explore = command(EXPLORE, async (values, files) => {
  checkWay(values);
  if (values.long && files.length > 0)
    throw new Refusal(
      '--long adds to the standard configurations and cannot be combined with named ones.',
    );
  const all = [...PROOFS, ...LONG_PROOFS];
  const proofs = files.length
    ? files.map((name) => named(all, 'configuration', name))
    : values.long
      ? all
      : PROOFS;
  const reports = [];
  let ok = true;
  for (const proof of proofs) {
    const found = await prove(proof, exploreLocally, { mebibytes: MEBIBYTES });
    const report = reportOfProof(proof, found);
    ok &&= found.end === 'complete';
    reports.push(report);
    if (found.invariant && values.way) await writeWay(proof, found);
    if (values.json) continue;
    const end = found.invariant
      ? `BROKEN after ${report.depth} transitions (${found.steps} events): ${found.invariant}`
      : found.end === 'complete'
        ? 'all hold'
        : 'not complete: out of memory';
    const { rules_taken: taken, rules_total: rules } = report;
    const rows = rules > 0 ? `, ${taken} of ${rules} rows` : '';
    const sentence = `${report.config}: ${report.states} states, ${report.transitions} transitions, depth ${report.depth}${rows}, ${report.states_per_second} states/s: ${end}`;
    if (values.way) warn(sentence);
    else await write([`${sentence}\n`]);
  }
  if (values.json) await writeJson(reports);
  return ok ? 0 : 1;
});

export const faults = command(FAULTS_SPEC, async (values, files) => {
  checkWay(values);
  const chosen = files.length
    ? files.map((name) => named(DEFECT_PROOFS, 'defect', name))
    : DEFECT_PROOFS;
  const reports = [await unbroken(chosen, exploreLocally)];
  for (const one of chosen) {
    const found = await prove(one, exploreLocally);
    reports.push(reportOfFault(one, found));
    if (values.way && found.invariant) await writeWay(one, found);
  }
  if (values.json) await writeJson(reports);
  else
    for (const { fault, killed_by, depth, events, states } of reports) {
      const way = events === null ? '' : ` (${events} events)`;
      const sentence = `${fault}: ${killed_by ?? 'survives'}, ${depth} transitions${way}, ${states} states`;
      if (values.way) warn(sentence);
      else await write([`${sentence}\n`]);
    }
  return reports.every(({ fault, killed_by }) => (fault === 'none') === (killed_by === null))
    ? 0
    : 1;
});
