/**
 * Every scenario that is shipped is a test: it loads, and runs to the same state each time; labels.test.ts checks
 * whether it agrees with published figures. A change of the engine shows as another line of the record (gt.txt and so
 * on); if it is meant,
 * `npx vitest run tests/golden -u` writes it anew.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesUnder } from '../../scripts/lib.mjs';
import type { Engine } from '../../src/engine/api';
import { createLocalEngine } from '../../src/engine/inprocess';
import { figureIds, matches } from '../../src/model/published/published';
import type { CompiledMachine } from '../../src/model/scenario/compiled';
import type { Scenario } from '../../src/model/scenario/scenario-types';
import { lessonOf, listScenarios } from '../../src/model/scenario/scenarios';
import { checkedScenarioAt, compiled, MACHINES } from '../support/scenarios';

const ids = listScenarios().map((entry) => entry.id);

const known = new Map<string, Scenario>();

function loaded(id: string): Scenario {
  const scenario = known.get(id) ?? checkedScenarioAt(`scenarios/${id}.json`);
  known.set(id, scenario);
  return scenario;
}

/**
 * All counters that counted, in short. The hash of the state would change with every part type that is added
 * to the engine, used or not; that it is the same in every build is the parity test's business.
 */
function digest(machine: CompiledMachine, counters: readonly Float64Array[]): string {
  const named = machine.parts.map(({ name, type }, i) => [
    name,
    type.counters
      .map((counter, j) => [counter.name, counters[i]?.[j]])
      .filter(([, value]) => value !== 0),
  ]);
  return createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 12);
}

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

test('every file of scenarios/ is listed', () => {
  const files = filesUnder('scenarios').filter((path) => path.endsWith('.json'));
  const scenarios = files.filter((path) => !path.startsWith('scenarios/machines/'));
  expect(ids.map((id) => `scenarios/${id}.json`).sort()).toEqual(scenarios);
});

test('every machine is extended by a scenario, or by a machine that is', () => {
  const texts = ids.map((id) => loaded(id).text);
  for (const name of MACHINES.keys()) {
    const users = [...texts, ...MACHINES.values()].filter((text) =>
      new RegExp(`"extends":\\s*"${name}"`).test(text),
    );
    expect(users, name).not.toEqual([]);
  }
});

test('every published figure is judged at most once, and compared or marked as unexplained', () => {
  const scenarios = ids.map(loaded);
  const rows = scenarios.flatMap(({ expect: all }) => all);
  // A row for context is shown beside others and judged by nobody.
  const judged = rows.flatMap(({ role, figure }) => (role === 'context' ? [] : (figure ?? [])));
  expect(judged.filter((id, i) => judged.indexOf(id) !== i)).toEqual([]);
  const compared = rows.flatMap(({ figure }) => figure ?? []);
  const unexplained = scenarios.flatMap((one) => one.unexplained.flatMap((note) => note.figures));
  const missing = [...figureIds()].filter(
    (id) => !compared.includes(id) && !unexplained.some((pattern) => matches(pattern, id)),
  );
  expect(missing).toEqual([]);
});

describe.each(ids)('%s', (id) => {
  test('has its lesson', async () => {
    const { lesson } = loaded(id);
    if (lesson !== null) {
      expect(existsSync(`scenarios/${id.split('/')[0]}/${lesson}`), lesson).toBe(true);
      expect(await lessonOf({ id, lesson })).toMatch(/\S/);
    }
  });
});

const systems = [...new Set(ids.map((id) => id.slice(0, id.indexOf('/'))))];

const PIN = { tags: ['pin'], timeout: 60_000 };

test.each(systems)('every scenario of %s ends in the recorded state', PIN, async (system) => {
  const lines: string[] = [];
  for (const id of ids.filter((one) => one.startsWith(`${system}/`))) {
    const machine = compiled(loaded(id));
    await engine.open({ config: machine.config, commands: [] });
    const { timePs, events, reason } = await engine.run({ untilPs: machine.untilPs });
    const { counters } = await engine.frame({ views: [] });
    const counted = digest(machine, counters);
    lines.push(`${id}: ${reason} after ${events} events at ${timePs} ps, counters ${counted}`);
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`${system}.txt`);
});
