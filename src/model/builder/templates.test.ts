import { expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { programParts } from '../drivers/program-rows';
import { rowCosts } from '../drivers/row-costs';
import { compile } from '../scenario/compile';
import { loadScenario } from '../scenario/load';
import { createTrace } from '../trace/trace';
import { readBuilt } from './build-file';
import { draftOf, missing } from './draft';
import { rowLines } from './row-lines';
import { TEMPLATES } from './templates';

test('each template is a whole machine whose text extends no other, and its program ends', async () => {
  expect(TEMPLATES).toHaveLength(5);
  for (const { title, text } of TEMPLATES) {
    const shipped = await text();
    if (!shipped.ok) throw new Error(shipped.problems[0]?.message);
    const file = readBuilt(shipped.value, 'template.json');
    const scenario = loadScenario(shipped.value, { file: 'template.json' });
    if (!file.ok || !file.value || !scenario.ok) throw new Error(title);
    expect(missing(draftOf(file.value)), title).toEqual([]);
    const machine = compile(scenario.value);
    if (!machine.ok) throw new Error(machine.problems[0]?.message);
    const engine = await createLocalEngine();
    await engine.open({ config: machine.value.config, commands: [] });
    const { events, reason } = await engine.run({ untilPs: machine.value.untilPs });
    expect(reason, title).toBe('idle');
    expect(events, title).toBeGreaterThan(10);
    const { trace: chunk } = await engine.frame({ views: [], trace: { fromSeq: 1, max: 1 << 16 } });
    if (!chunk || chunk.lost > 0) throw new Error(`${title}: the trace is incomplete.`);
    const trace = createTrace(machine.value);
    trace.append(chunk);
    const costs = rowCosts(trace, machine.value);
    while (!costs.update());
    const found = programParts(machine.value).flatMap(({ part, rows }) =>
      rows.flatMap(({ operation }, row) => {
        const cost = costs.of(part, row);
        if (!cost) return [];
        // What one thread does in a row takes no more than the row, and every row that began ended.
        const inStates = [...cost.states.values()].reduce((sum, time) => sum + time, 0);
        expect(inStates, `${title}: ${operation}`).toBeLessThanOrEqual(cost.time);
        expect(cost.ended, `${title}: ${operation}`).toBe(cost.begun);
        return [{ operation, ...cost }];
      }),
    );
    expect(found.length, title).toBeGreaterThan(1);
    const reads = found.filter(({ operation }) => operation === 'io_load');
    for (const { transactions, time } of reads) {
      expect(transactions, title).toBe(1);
      expect(time, title).toBeGreaterThan(0);
    }
    const lines = rowLines(
      shipped.value,
      programParts(machine.value).map(({ name }) => name),
    );
    const written = shipped.value.split('\n');
    expect(lines.length, title).toBeGreaterThan(1);
    for (const { line } of lines) expect(written[line - 1], title).toContain('"do":');
  }
});
