import { expect, test } from 'vitest';
import { compile } from '../scenario/compile';
import { readScenario } from '../scenario/scenarios';
import { axisNumbers, usualValues } from './sweep-axis';

const axis = (...values: (string | number)[]) => ({ name: 'x', title: 'x', values });

test('values with units become numbers in the unit of the last; words have none', () => {
  expect(axisNumbers(axis('512 B', '1 KiB', '2 KiB'))).toEqual({
    unit: 'KiB',
    numbers: [0.5, 1, 2],
  });
  expect(axisNumbers(axis(1, 2, 8))).toEqual({ unit: '', numbers: [1, 2, 8] });
  expect(axisNumbers(axis('pio', 'dma'))).toBeNull();
});

test('a parameter or variable is proposed from a quarter of its value to four times it', async () => {
  const scenario = await readScenario('pools/bounce');
  const machine = scenario.ok ? compile(scenario.value) : null;
  if (!machine?.ok) throw new Error('It does not compile.');
  expect(usualValues(machine.value, 'bytes')).toBe('8 KiB, 16 KiB, 32 KiB, 64 KiB, 128 KiB');
  expect(usualValues(machine.value, 'map.entries')).toBe('128, 256, 512, 1024, 2048');
  expect(usualValues(machine.value, 'iommu.checks')).toBe('false,true');
  expect(usualValues(machine.value, 'way')).toBe('');
  expect(usualValues(machine.value, 'no.such')).toBe('');
});
