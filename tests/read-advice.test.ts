import { expect, test } from 'vitest';
import { adviceForReads } from '../src/model/diagnosis/read-advice';
import { compiled, scenarioAt } from './support/scenarios';

/** The advice for a zx1 machine whose counters have these values, by part and name. */
function advised(path: string, stands: Readonly<Record<string, Readonly<Record<string, number>>>>) {
  const machine = compiled(scenarioAt(`scenarios/${path}.json`));
  const counters = machine.parts.map(({ name, type }) =>
    type.counters.map((counter) => stands[name]?.[counter.name] ?? 0),
  );
  const part = machine.parts.findIndex(({ name }) => name === 'lba');
  return adviceForReads(machine, part, counters, 1e9);
}

const READS = { bytes_out: 128 * 1024, fetched: 1024 };

test('a card whose every line is a delayed read is advised to use MRM', () => {
  const [advice, ...rest] = advised('zx1/slow-reads', { lba: { ...READS, delayed: 1024 } });
  expect(advice?.text).toMatch(/^1.024.delayed reads for 1.024.lines/);
  expect(advice?.tries.map(({ path, value }) => [path, value])).toEqual([
    ['scsi.command', 'read_multiple'],
  ]);
  expect(rest).toEqual([]);
});

test('discarded lines, lines behind stores and kept lines are distinguished', () => {
  const advice = (lba: object, sba = {}) =>
    advised('zx1/read-current', { lba: { ...READS, delayed: 256, ...lba }, sba }).map(
      ({ tries }) => tries.length,
    );
  expect(advice({})).toEqual([]);
  expect(advice({ wasted: 255 })).toEqual([]);
  expect(advice({ wasted: 512 })).toEqual([0]);
  expect(advice({ blocked: 9, blocked_time: 0.01e9 })).toEqual([]);
  expect(advice({ blocked: 9, blocked_time: 0.1e9 })).toEqual([0]);
  expect(advice({}, { kept: 4096 })).toEqual([3]);
});

test('without enough reads there is no advice', () => {
  expect(advised('zx1/slow-reads', { lba: { bytes_out: 1280, delayed: 10 } })).toEqual([]);
});
