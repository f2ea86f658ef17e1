/**
 * No rate exceeds the machine's limits: in every run of every scenario, the bytes that a card has sent, received or
 * passed to its disks fit its link, and the bytes that a bus or a memory has moved fit its width and clock.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { runAll } from '../src/model/report/run-all';
import type { CompiledPart } from '../src/model/scenario/compiled';
import { pointsOf } from '../src/model/scenario/experiment';
import { lineOf } from '../src/model/scenario/problems';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

type Numbers = (name: string) => number;

/** Bytes that a part has moved by a time, and its maximum per second; bytes on its wire include frame overhead. */
const LIMITS: Readonly<
  Record<
    string,
    (counter: Numbers, param: Numbers, end: number) => readonly [number, number, number]
  >
> = {
  lan_card: (counter, param) => [
    counter('bytes') + counter('packets') * param('overhead'),
    param('wire'),
    counter('last_end'),
  ],
  peer: (counter, param) => [
    counter('blocks') * param('bytes'),
    param('rate'),
    counter('last_end'),
  ],
  net_adapter: (counter, param, end) => [
    counter('bytes') + counter('frames') * param('overhead'),
    param('rate'),
    end,
  ],
  ethernet: (counter, param, end) => [counter('bytes'), param('wire'), end],
  bus_master: (counter, param, end) => [counter('bytes'), param('rate'), end],
  pci: (counter, param, end) => [counter('bytes'), param('clock') * param('width'), end],
  pcix: (counter, param, end) => [counter('bytes'), param('clock') * param('width'), end],
  lba: (counter, param, end) => [counter('bytes_out'), param('rate'), end],
};

/** Whole picoseconds: the time of each piece is rounded down. */
const ROUNDING = 1e-6;

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

const limited = SCENARIOS.map((path) => [path, scenarioAt(path)] as const).filter(([, scenario]) =>
  compiled(scenario).parts.some((part) => part.type.name in LIMITS),
);

function excesses(
  parts: readonly CompiledPart[],
  counters: readonly ArrayLike<number>[],
  end: number,
): string[] {
  return parts.flatMap((part) => {
    const { name, type, index, params } = part;
    const counter = (wanted: string): number =>
      counters[index]?.[type.counters.findIndex((one) => one.name === wanted)] ?? Number.NaN;
    const param = (wanted: string): number =>
      Number(params[type.params.findIndex((one) => one.name === wanted)]?.value);
    const [bytes, rate, by] = LIMITS[type.name]?.(counter, param, end) ?? [0, 0, 0];
    const most = (rate * by) / 1e12;
    return bytes <= most * (1 + ROUNDING) ? [] : [`${name}: ${bytes} B, at most ${most}`];
  });
}

describe('no rate is above the one that the machine states', () => {
  test.each(limited)('%s', { timeout: 120_000 }, async (_, scenario) => {
    const points = pointsOf(scenario).map(({ at }) => at);
    const found: string[] = [];
    for (const at of [{}, ...points]) {
      const runs = await runAll(engine, scenario, [at]);
      if (!runs.ok) throw new Error(runs.problems.map(lineOf).join('\n'));
      const [run] = runs.value;
      if (!run) throw new Error('the run ended early');
      const { parts } = compiled(scenario, { variables: run.variables });
      found.push(
        ...excesses(parts, run.counters, run.timePs).map((text) => `${JSON.stringify(at)} ${text}`),
      );
    }
    expect(found).toEqual([]);
  });
});
