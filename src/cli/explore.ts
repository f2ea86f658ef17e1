/** `busyard explore` and `busyard faults`: every state that any order of events can lead to. */
import { inlineChecks } from '../engine/code-inline';
import { Explorer } from '../engine/explore';
import { createLocalEngine } from '../engine/inprocess';
import type { CompiledMachine } from '../model/compile';
import { traceJsonLines } from '../model/export';
import { FAULTS, LONG_PROOFS, PROOFS } from '../model/proofs';
import { type MakeExplorer, runFault, runProof } from '../model/prove';
import { hint, quote } from '../model/suggest';
import { createTrace } from '../model/trace';
import { parseFiles } from './arguments';
import { remark, write, writeJson } from './output';
import { Refusal } from './refusal';

const OPTIONS = { json: { type: 'boolean' }, way: { type: 'boolean' } } as const;
const MEBIBYTES = 1024;

async function maker(): Promise<MakeExplorer> {
  const module = await inlineChecks();
  return (config) => new Explorer(module, config, MEBIBYTES);
}

function named<T extends { readonly name: string }>(
  all: readonly T[],
  what: string,
  name: string,
): T {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  throw new Refusal(
    `There is no ${what} ${quote(name)}${hint(
      name,
      all.map((one) => one.name),
    )}`,
  );
}

/** The events of a way, as JSON lines. */
async function writeWay(machine: CompiledMachine, way: Uint32Array, steps: number): Promise<void> {
  const engine = await createLocalEngine();
  await engine.open({ config: machine.config, commands: [], choices: way });
  const { seq } = await engine.run({ untilEvents: steps });
  const kept = createTrace(machine);
  const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: seq } });
  if (frame.trace) kept.append(frame.trace);
  engine.dispose();
  await write(traceJsonLines(machine, kept));
}

export async function explore(args: readonly string[]): Promise<number> {
  const { values, files } = parseFiles('explore', args, OPTIONS);
  const make = await maker();
  const proofs = files.length
    ? files.map((name) => named([...PROOFS, ...LONG_PROOFS], 'configuration', name))
    : PROOFS;
  const reports = [];
  let ok = true;
  for (const proof of proofs) {
    const { report, machine, way } = runProof(proof, make, () => performance.now());
    const [violation] = report.violations;
    ok &&= !violation && report.complete;
    reports.push(report);
    if (violation && values.way) await writeWay(machine, way, violation.steps);
    if (values.json) continue;
    const end = violation
      ? `BROKEN: ${violation.invariant}`
      : report.complete
        ? 'all hold'
        : 'not complete';
    remark(
      `${report.config}: ${report.states} states, ${report.transitions} transitions, depth ${report.depth}, ${report.rules_taken} of ${report.rules_total} rows, ${report.states_per_second} states/s: ${end}`,
    );
  }
  if (values.json) await writeJson(reports);
  return ok ? 0 : 1;
}

export async function faults(args: readonly string[]): Promise<number> {
  const { values, files } = parseFiles('faults', args, OPTIONS);
  const make = await maker();
  const chosen = files.length ? files.map((name) => named(FAULTS, 'defect', name)) : FAULTS;
  const reports = [];
  for (const one of chosen) {
    const { machine, way, ...report } = runFault(one, make);
    reports.push(report);
    if (values.way && report.killed_by) await writeWay(machine, way, report.depth);
    if (!values.json)
      remark(
        `${report.fault}: ${report.killed_by ?? 'SURVIVES'}, ${report.depth} steps, ${report.states} states (${report.config})`,
      );
  }
  if (values.json) await writeJson(reports);
  return reports.every(({ killed_by }) => killed_by !== null) ? 0 : 1;
}
