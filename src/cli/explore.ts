/** `busyard explore` and `busyard faults`: every state that any order of events can lead to. */
import type { Explored } from '../engine/explore';
import { createLocalEngine, exploreLocally } from '../engine/inprocess';
import { FAULTS } from '../model/prove/proof-faults';
import type { Setup } from '../model/prove/proof-scenario';
import { LONG_PROOFS, PROOFS } from '../model/prove/proofs';
import {
  counterexample,
  prove,
  reportOfFault,
  reportOfProof,
  unbroken,
} from '../model/prove/prove';
import { traceJsonLines } from '../model/run/export';
import { createTrace } from '../model/run/trace';
import { compile } from '../model/scenario/compile';
import { loadScenario } from '../model/scenario/load';
import { hint, quote } from '../model/scenario/suggest';
import { parseFiles } from './arguments';
import { remark, write, writeJson } from './output';
import { Refusal } from './refusal';

const OPTIONS = {
  json: { type: 'boolean' },
  way: { type: 'boolean' },
  long: { type: 'boolean' },
} as const;
/** Memory for a configuration that is named or long. */
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

/** The events of a way to what is broken, as JSON lines. */
async function writeWay(of: Setup, found: Explored): Promise<void> {
  const scenario = loadScenario(counterexample(of, found));
  const machine = scenario.ok ? compile(scenario.value) : scenario;
  if (!machine.ok) throw new Error('The way cannot be played.');
  const engine = await createLocalEngine();
  await engine.open({ config: machine.value.config, commands: [] });
  const { seq } = await engine.run({ untilPs: machine.value.untilPs });
  const kept = createTrace(machine.value);
  const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: seq } });
  if (frame.trace) kept.append(frame.trace);
  engine.dispose();
  await write(traceJsonLines(machine.value, kept));
}

export async function explore(args: readonly string[]): Promise<number> {
  const { values, files } = parseFiles('explore', args, OPTIONS);
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
        : 'not complete: there is no more memory';
    const { rules_taken: taken, rules_total: rules } = report;
    const rows = rules > 0 ? `, ${taken} of ${rules} rows` : '';
    remark(
      `${report.config}: ${report.states} states, ${report.transitions} transitions, depth ${report.depth}${rows}, ${report.states_per_second} states/s: ${end}`,
    );
  }
  if (values.json) await writeJson(reports);
  return ok ? 0 : 1;
}

export async function faults(args: readonly string[]): Promise<number> {
  const { values, files } = parseFiles('faults', args, OPTIONS);
  const chosen = files.length ? files.map((name) => named(FAULTS, 'defect', name)) : FAULTS;
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
      remark(`${fault}: ${killed_by ?? 'survives'}, ${depth} transitions${way}, ${states} states`);
    }
  return reports.every(({ fault, killed_by }) => (fault === 'none') === (killed_by === null))
    ? 0
    : 1;
}
