/** A machine with other constants makes a table; the fit finds them again from the table alone. */
import { beforeAll, expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import { metricValue, variablesAt } from '../scenario/experiment';
import type { GttpTable } from '../scenario/gttp-import';
import type { Edits, Scenario } from '../scenario/scenario-types';
import { readScenario } from '../scenario/scenarios';
import { type Refit, refit, refitError } from './refit';
import { refitText } from './refit-text';

const OTHER: Edits = { 'cpu.pio_read_call': '600 ns', 'gt.read_recovery': '500 ns' };
const SIZES = [4, 8, 16, 32, 64, 128, 256, 512];

let found: Refit;
beforeAll(async () => {
  const read = await readScenario('gt/crossover');
  if (!read.ok) throw new Error('The scenario does not open.');
  const scenario: Scenario = read.value;
  const engine = await createLocalEngine();
  const machineWith = (size: number, edits: Edits) => {
    const variables = variablesAt(scenario, { size, method: 'pio_read' });
    if (!variables.ok) throw new Error('There is no such run.');
    const machine = compile(scenario, { variables: variables.value, edits });
    if (!machine.ok) throw new Error('There is no such machine.');
    return machine.value;
  };
  const pio_read: { size: number; value: number }[] = [];
  for (const size of SIZES) {
    const machine = machineWith(size, OTHER);
    const { variables } = machine;
    const job = {
      sessions: [{ config: machine.config, commands: [] }],
      limit: { untilPs: machine.untilPs },
      hash: false,
    };
    await engine.sweep(job, ({ counters }) => {
      const metric = scenario.metrics.get('throughput');
      const value = metric && metricValue(metric, variables, counters);
      if (value) pio_read.push({ size, value });
    });
  }
  // Half a word cannot be moved.
  const table: GttpTable = { pio_read: [{ size: 2, value: 1 }, ...pio_read] };
  const machine = machineWith(512, {});
  const { variables } = machine;
  const input = { scenario, machine, variables, edits: {}, seed: undefined, table };
  found = await refit([engine], input);
  engine.dispose();
});

test('constants that made the table are found, and others of the machine are not touched', () => {
  const change = Object.fromEntries(found.constants.map((one) => [one.path, one]));
  expect(Object.keys(change)).toEqual(['cpu.pio_read_call', 'cpu.load_time', 'gt.read_recovery']);
  expect(change['gt.read_recovery']).toMatchObject({ before: '386.6 ns', columns: ['PIO read'] });
  expect(change['gt.read_recovery']?.change).toBeCloseTo(500 / 386.6 - 1, 2);
});

test('rows held out have no say, and become right too', () => {
  const sizes = (use: string) =>
    found.rows.filter((row) => row.use === use).map(({ size }) => size);
  expect(sizes('left out')).toEqual([2]);
  expect(sizes('held out')).toEqual([4, 32, 256]);
  expect(refitError(found.rows, 'held out', 'before')).toBeGreaterThan(10);
  expect(refitError(found.rows, 'held out', 'after')).toBeLessThan(1);
});

test('the report names rows, reasons and constants', () => {
  const text = refitText(found);
  expect(text).toMatch(/^Fitted to 5 rows in \d+ steps of least squares and \d+ runs\.\n/);
  expect(text).toMatch(/gt\.read_recovery +386\.6 ns +\S+ ns +\+\d\d\.\d % +PIO read/);
  expect(text).toMatch(/PIO read, 2 B: .*is a multiple of "width"/);
});
