/** The critical path of operations in runs of each system. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import { listScenarios, readScenario } from '../scenario/scenarios';
import { CriticalPath, pathRows, REASONS, reasonOfState, workOffPath } from './critical-path';
import { endsOperation, type Operation, operationEnding } from './operations';
import { createTrace, type Trace } from './trace';

async function machineOf(id: string): Promise<CompiledMachine> {
  const scenario = await readScenario(id);
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  const compiled = compile(scenario.value);
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  return compiled.value;
}

async function recorded(id: string) {
  const machine = await machineOf(id);
  const engine = await createLocalEngine();
  await engine.open({ config: machine.config, commands: [] });
  const { seq } = await engine.run({ untilPs: machine.untilPs });
  const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: seq } });
  const trace = createTrace(machine);
  if (frame.trace) trace.append(frame.trace);
  engine.dispose();
  return { machine, trace };
}

const operationsIn = (machine: CompiledMachine, trace: Trace): Operation[] =>
  Array.from({ length: trace.last - trace.first + 1 }, (_, i) => trace.first + i)
    .filter((seq) => endsOperation(machine, trace, seq))
    .flatMap((seq) => operationEnding(machine, trace, seq) ?? [])
    .filter(({ from, to }) => to > from);

function pathOf(machine: CompiledMachine, trace: Trace, operation: Operation) {
  const path = new CriticalPath(machine, trace, operation);
  while (!path.update());
  return path.pieces;
}

/** Each third operation, so that long runs stay short. */
const some = <T>(all: readonly T[]): T[] =>
  all.filter((_, i) => i % Math.ceil(all.length / 40) === 0);

describe.each([
  ['gt/crossover', ['data', 'arbitration', 'software']],
  ['gt/two-engines', ['data', 'arbitration']],
  ['hp/lan-buffers', ['data', 'translation', 'snoop', 'software', 'arbitration']],
  ['hp/interrupt', ['interrupt', 'software']],
  ['one/walk', ['translation', 'snoop', 'data', 'software', 'interrupt']],
  ['start/waiting', ['data', 'software']],
  ['soc/one-packet', ['software']],
  ['soc/inversion', ['software']],
  ['zx1/one-read', ['data']],
  ['zx1/ordering', ['data']],
  ['pools/another-cpu', ['software']],
])('the critical paths in %s', (id, reasons) => {
  let [machine, trace]: [CompiledMachine, Trace] = [] as never;
  let operations: Operation[] = [];
  beforeAll(async () => {
    ({ machine, trace } = await recorded(id));
    operations = some(operationsIn(machine, trace));
  }, 60_000);

  test('have no gaps and add up to the whole time', () => {
    expect(operations.length).toBeGreaterThan(0);
    for (const operation of operations) {
      const pieces = pathOf(machine, trace, operation);
      let at = operation.from;
      for (const { from, to } of pieces) {
        expect(from).toBe(at);
        expect(to).toBeGreaterThan(from);
        at = to;
      }
      expect(at, trace.sentence(operation.end)).toBe(operation.to);
      const rows = pathRows(pieces).reduce((sum, { timePs }) => sum + timePs, 0);
      expect(rows).toBe(operation.to - operation.from);
    }
  });

  test('end each piece with a record of the chain of causes', () => {
    for (const operation of operations.slice(0, 8)) {
      const chain = new Set<number>();
      for (let seq = operation.end; trace.has(seq); seq = trace.causeOf(seq)) chain.add(seq);
      for (const { seq } of pathOf(machine, trace, operation)) expect(chain.has(seq)).toBe(true);
    }
  });

  test('are arbitration only up to the time at which a bus is taken', () => {
    for (const operation of operations)
      for (const { reason, seq } of pathOf(machine, trace, operation))
        if (reason === 'arbitration') expect(trace.event(seq)?.name).toBe('start');
  });

  test('name what this system spends time on', () => {
    const seen = new Set(
      operations.flatMap((one) => pathOf(machine, trace, one).map(({ reason }) => reason)),
    );
    expect(reasons.filter((reason) => !seen.has(reason as never))).toEqual([]);
  });

  test('leave what runs beside them outside', () => {
    for (const operation of operations.slice(0, 8)) {
      const pieces = pathOf(machine, trace, operation);
      for (const { part, spans, timePs } of workOffPath(trace, pieces, operation)) {
        expect(timePs).toBeLessThanOrEqual(operation.to - operation.from);
        for (const { from, to } of spans)
          for (const piece of pieces)
            if (piece.part === part) expect(to <= piece.from || from >= piece.to).toBe(true);
      }
    }
  });
});

test('each state of each part in a shipped machine says what it spends time on', async () => {
  const unsaid = new Set<string>();
  for (const { id } of listScenarios())
    for (const { type } of (await machineOf(id)).parts)
      for (const { states } of type.tracks)
        for (const { name } of type.enums[states] ?? [])
          if (!REASONS.includes(reasonOfState(type.name, name) as never))
            unsaid.add(`${type.name}.${name}`);
  expect([...unsaid].sort()).toEqual([]);
});
