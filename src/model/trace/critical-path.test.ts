/** The critical path of operations in runs of each system. */
import { beforeAll, describe, expect, test } from 'vitest';
import { PART_TYPES } from '../../engine/gen/layout';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import type { Edits } from '../scenario/scenario-types';
import { readScenario } from '../scenario/scenarios';
import { CriticalPath, type Piece, pathRows, workOffPath } from './critical-path';
import { endsOperation, type Operation, operationEnding } from './operations';
import { REASONS, reasonOfState } from './path-reasons';
import { createTrace, type Trace } from './trace';

async function machineOf(id: string, edits: Edits): Promise<CompiledMachine> {
  const scenario = await readScenario(id);
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  const compiled = compile(scenario.value, { edits });
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  return compiled.value;
}

async function recorded(id: string, edits: Edits = {}) {
  const machine = await machineOf(id, edits);
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
  let trace: Trace;
  let paths: { operation: Operation; pieces: readonly Piece[] }[] = [];
  beforeAll(async () => {
    const run = await recorded(id);
    ({ trace } = run);
    paths = some(operationsIn(run.machine, trace)).map((operation) => ({
      operation,
      pieces: new CriticalPath(run.machine, trace, operation).pieces,
    }));
  }, 60_000);

  test('have no gaps, add up to the whole time, and end each piece with a record that comes no later', () => {
    expect(paths.length).toBeGreaterThan(0);
    for (const { operation, pieces } of paths) {
      let at = operation.from;
      for (const { from, to, seq } of pieces) {
        expect(from).toBe(at);
        expect(to).toBeGreaterThan(from);
        expect(trace.timeOf(seq)).toBeGreaterThanOrEqual(to);
        at = to;
      }
      expect(at, trace.sentence(operation.end)).toBe(operation.to);
      const rows = pathRows(pieces).reduce((sum, { timePs }) => sum + timePs, 0);
      expect(rows).toBe(operation.to - operation.from);
    }
  });

  test('are arbitration only while a bus is taken or in use', () => {
    const names = new Set(
      paths.flatMap(({ pieces }) =>
        pieces
          .filter(({ reason }) => reason === 'arbitration')
          .map(({ seq }) => trace.event(seq)?.name),
      ),
    );
    expect([...names].filter((name) => name !== 'start')).toEqual([]);
  });

  test('name what this system spends time on', () => {
    const seen = new Set(paths.flatMap(({ pieces }) => pieces.map(({ reason }) => reason)));
    expect(reasons.filter((reason) => !seen.has(reason as never))).toEqual([]);
  });

  test('leave what runs beside them outside', () => {
    for (const { operation, pieces } of paths.slice(0, 8))
      for (const { part, timePs } of workOffPath(trace, pieces, operation)) {
        const own = pieces.filter((piece) => piece.part === part);
        const onPath = own.reduce((sum, { from, to }) => sum + to - from, 0);
        expect(timePs).toBeLessThanOrEqual(operation.to - operation.from - onPath);
      }
  });
});

test('a walk of a table in memory is time of the memory, and less with a faster memory, not with a faster unit', async () => {
  const walkOf = async (edits: Edits) => {
    const { machine, trace } = await recorded('one/walk', edits);
    const [walk] = operationsIn(machine, trace).filter(
      ({ end }) => trace.event(end)?.name === 'walked',
    );
    if (!walk) throw new Error('There is no walk.');
    const path = new CriticalPath(machine, trace, walk);
    const total = walk.to - walk.from;
    const shareOf = (title: string) =>
      pathRows(path.pieces)
        .filter(({ part }) => machine.parts[part]?.title === title)
        .reduce((sum, { timePs }) => sum + timePs / total, 0);
    return { total, shareOf };
  };
  const walk = await walkOf({});
  expect(walk.shareOf('Memory')).toBeGreaterThan(0.7);
  expect(walk.shareOf('IOMMU')).toBeLessThan(0.1);
  const { total } = await walkOf({ 'memory.latency': '1 ns' });
  const gain = 1 - total / walk.total;
  expect(gain).toBeGreaterThan(0.5);
  expect(gain).toBeLessThanOrEqual(walk.shareOf('Memory'));
});

test.each([
  ['a poll of a device', 'start/waiting', 'lap', 'Bus', 0.8],
  ['a repeated request', 'zx1/one-read', 'complete', 'Local bus adapter', 0.5],
  ['a request behind another in an adapter', 'hp/interrupt', 'finished', 'Memory', 0.6],
])('%s is time of what it waited for', async (_, id, name, title, least) => {
  const { machine, trace } = await recorded(id);
  const last = operationsIn(machine, trace).findLast(({ end }) => trace.event(end)?.name === name);
  if (!last) throw new Error('The operation does not end.');
  const { pieces } = new CriticalPath(machine, trace, last);
  const own = pieces.filter(({ part }) => machine.parts[part]?.title === title);
  const timePs = own.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(timePs / (last.to - last.from)).toBeGreaterThan(least);
});

test('each state of each part says what it spends time on', () => {
  const unsaid = new Set<string>();
  for (const type of PART_TYPES)
    for (const { states } of type.tracks)
      for (const { name } of type.enums[states] ?? [])
        if (!REASONS.includes(reasonOfState(type.name, name) as never))
          unsaid.add(`${type.name}.${name}`);
  expect([...unsaid].sort()).toEqual([]);
});
