import { expect, test } from 'vitest';
import { AddressScale } from './address-scale';

test('the scale of an address map is monotonic, shows small windows, and can be read back', () => {
  const ranges = [
    { from: 0n, end: 1n << 31n },
    { from: 1n << 31n, end: 0x88000000n },
    { from: 0xf0000000n, end: 0xf0000100n },
    { from: 0xf0001000n, end: 0xf0002000n },
  ];
  const scale = new AddressScale(ranges, 1n << 32n);
  for (const { from, end } of ranges) {
    expect(scale.yOf(end) - scale.yOf(from)).toBeGreaterThanOrEqual(20);
    expect(scale.addressAt(scale.yOf(from), 4096n)).toBe(from);
  }
  expect(scale.stretches.map(({ isGap }) => isGap)).toEqual([
    false,
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
  expect(scale.yOf(1n << 32n)).toBe(scale.height);
});
