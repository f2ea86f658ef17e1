/** A dump of a run has as one-bit wires what it has as strings: tools for logic analysers read only those. */
import { expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { MEASURE, SessionRunner } from '../src/engine/session';
import { sourceOf } from '../src/model/pools/map-trace';
import { signalValue } from '../src/model/report/signals';
import { traceVcd } from '../src/model/report/vcd';
import { readVcd } from '../src/model/report/vcd-reader';
import { createTrace } from '../src/model/trace/trace';
import { scalars } from '../src/model/trace/vcd.fixture';
import { compiled, scenarioAt } from './support/scenarios';

const code = await inlineCode();

function dumpOf(path: string, untilPs: number): string {
  const machine = compiled(scenarioAt(path));
  const runner = new SessionRunner(
    new Core(code),
    { config: machine.config, commands: [] },
    {
      ...MEASURE,
      record: true,
    },
  );
  const { timePs } = runner.run({ untilPs, untilEvents: 20_000 });
  const trace = createTrace(machine);
  trace.append(runner.core.trace(1, 200_000));
  return [...traceVcd(machine, trace, timePs)].join('');
}

/** Of each string variable its value over time. */
function strings(text: string): Map<string, [at: number, value: string][]> {
  const names = new Map<string, string>();
  const values = new Map<string, [number, string][]>();
  let [scope, now] = ['', 0];
  for (const line of text.split('\n')) {
    scope = /^\$scope module (\S+)/.exec(line)?.[1] ?? scope;
    const [, code = '', name] = /^\$var string 1 (\S+) (\S+) \$end$/.exec(line) ?? [];
    if (name) names.set(code, `${scope}.${name}`);
    if (line.startsWith('#')) now = Number(line.slice(1));
    const [, value, of = ''] = /^s(\S*) (\S+)$/.exec(line) ?? [];
    const full = names.get(of);
    if (value === undefined || full === undefined) continue;
    const all = values.get(full) ?? [];
    values.set(full, all);
    if (all.at(-1)?.[0] === now) all.pop();
    all.push([now, value]);
  }
  return values;
}

const at = <T>(changes: readonly (readonly [number, T])[], time: number): T | undefined =>
  changes.findLast(([from]) => from <= time)?.[1];

test.each([
  'scenarios/hp/at-work.json',
  'scenarios/zx1/wire.json',
  'scenarios/zx1/pcix.json',
  'scenarios/one/two-cards.json',
])('%s', (path) => {
  const text = dumpOf(path, 30e6);
  const wires = scalars(text);
  let active = 0;
  for (const [name, values] of strings(text)) {
    if (name.endsWith('.AD')) continue; // an address has no wire of its own
    if (name.endsWith('.C_BE_n')) {
      for (const [time, value] of values) {
        const bits = [3, 2, 1, 0].map((bit) => at(wires.get(`${name}${bit}`) ?? [], time));
        expect(bits.join(''), `${name} at ${time}`).toBe(value === 'z' ? '1111' : value);
      }
      continue;
    }
    const states = [...new Set(values.map(([, value]) => value))];
    const own = states.filter((state) => wires.has(`${name}_${state}`));
    expect(states.length - own.length, `${name} is idle in one way`).toBeLessThanOrEqual(1);
    for (const [time, value] of values) {
      const set = own.filter((state) => at(wires.get(`${name}_${state}`) ?? [], time) === 1);
      expect(set, `${name} at ${time}`).toEqual(own.includes(value) ? [value] : []);
      active += set.length;
    }
  }
  expect(active).toBeGreaterThan(20);
  // The page reads the same.
  const read = readVcd(sourceOf(new TextEncoder().encode(text)));
  for (const [name, all] of strings(text)) {
    const values = all.filter(([, value], i) => value !== all[i - 1]?.[1]);
    const signal = read.signals.find((one) => one.name === name);
    if (!signal) throw new Error(`${name} is missing.`);
    expect([...signal.times], name).toEqual(values.map(([time]) => time));
    const seen = values.map((_, change) => signalValue(signal, change));
    expect(seen, name).toEqual(values.map(([, value]) => value));
  }
});
