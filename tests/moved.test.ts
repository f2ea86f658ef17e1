/** Old files: a parameter that has since moved to another part is applied to that part. */
import { expect, test } from 'vitest';
import { compile } from '../src/model/scenario/compile';
import { paramAt } from '../src/model/scenario/compiled';
import { loadScenario } from '../src/model/scenario/load';
import { machineTexts } from '../src/model/scenario/scenarios';

const file = (machine: object) =>
  JSON.stringify({
    busyard: 1,
    title: 'An old file',
    summary: 'The thresholds of the library stand beside the processor.',
    system: 'gt',
    machine,
    programs: {
      main: [{ do: 'read_data', from: '0x80000000', to: '0x100000', bytes: '64 B' }, { do: 'end' }],
    },
    workload: { cpu: 'main' },
    until: '1 us',
    view: { kind: 'machine' },
  });

async function loaded(machine: object) {
  const scenario = loadScenario(file(machine), {
    file: 'old.json',
    machines: await machineTexts(),
  });
  if (!scenario.ok) throw new Error(JSON.stringify(scenario.problems));
  return scenario.value;
}

const OLD = { cpu: { params: { read_threshold: '64 B' } } };

test.each([
  ['beside the driver', 'gt-system-a'],
  ['where the driver has its buffers mapped', 'gt-iommu'],
])('%s', async (_, machine) => {
  const made = compile(await loaded({ extends: machine, parts: OLD }));
  expect(made.ok && paramAt(made.value, 'driver.read_threshold')).toMatchObject({ value: 64n });
  expect(made.ok && paramAt(made.value, 'driver.write_threshold')).toMatchObject({ value: 1024n });
});

test('a current value has priority over an old one', async () => {
  const both = { ...OLD, driver: { params: { read_threshold: '32 B' } } };
  const made = compile(await loaded({ extends: 'gt-system-a', parts: both }));
  expect(made.ok && paramAt(made.value, 'driver.read_threshold')).toMatchObject({ value: 32n });
});

test('edits as well; a machine without a driver has no such parameter, and needs none', async () => {
  const edits = { 'cpu.write_threshold': '2 KiB' };
  const scenario = await loaded({ extends: 'gt-system-a' });
  const made = compile(scenario, { edits });
  expect(made.ok && paramAt(made.value, 'driver.write_threshold')).toMatchObject({
    value: 2048n,
    edited: true,
  });
  const wrong = compile(scenario, { edits: { 'cpu.write_threshold': 'much' } });
  expect(wrong.ok).toBe(false);
  const alone = loadScenario(
    file({ extends: 'gt-system-a', parts: { ...OLD, driver: null } }).replace(
      'read_data',
      'pio_read',
    ),
    { file: 'old.json', machines: await machineTexts() },
  );
  expect(alone.ok && compile(alone.value, { edits }).ok).toBe(true);
});
