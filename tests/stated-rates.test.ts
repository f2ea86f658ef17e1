/**
 * No rate exceeds the machine's limits: in every run of every scenario, the bytes that a card has sent, received or
 * passed to its disks fit its link, and the bytes that a bus or a memory has moved fit its width and clock.
 */
import { describe, expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { MEASURE, SessionRunner } from '../src/engine/session';
import type { CompiledPart } from '../src/model/scenario/compiled';
import { pointsOf } from '../src/model/scenario/experiment';
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

/** Events of a run that are played. A few runs go on for longer, and what is moved then is moved as before. */
const MOST = 200_000;

const core = new Core(await inlineCode());

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
  test.each(limited)('%s', { timeout: 120_000 }, (_, scenario) => {
    const points = pointsOf(scenario).map(({ at }) => at);
    const found = [{}, ...points].flatMap((variables) => {
      const { config, parts, untilPs } = compiled(scenario, { variables, traceLog2: 0 });
      const runner = new SessionRunner(core, { config, commands: [] }, MEASURE);
      const { timePs } = runner.run({ untilPs, untilEvents: MOST });
      return excesses(parts, runner.counters(), timePs).map(
        (text) => `${JSON.stringify(variables)} ${text}`,
      );
    });
    expect(found).toEqual([]);
  });
});
