/** One place, addressed on either side of the adapter. */
import { expect, test } from 'vitest';
import type { CoherentMachine, TlbRole } from './coherence-roles';
import { joined, physicalOf } from './selected-lines';

const TLB: TlbRole = {
  part: 0,
  title: 'I/O adapter',
  rows: 4,
  chainShift: 14,
  translates: true,
  bus: 1,
  device: () => null,
};
const COHERENT = { tlb: TLB } as CoherentMachine;
const NOWHERE = { address: null, io: null, chain: null };

/** Row 2 holds block 1 and leads to page 0x300: I/O page 9, since a chain has four consecutive pages. */
const ROWS = {
  column: (field: string) =>
    ({ valid: [0, 0, 1, 0], block: [0, 0, 1, 0], page: [0, 0, 0x300, 0] })[field],
};

test('an I/O address is translated by the row that holds its translation', () => {
  expect(physicalOf(TLB, ROWS, 0x9010)).toBe(0x300010);
  expect(physicalOf(TLB, ROWS, 0x8010)).toBeNull();
  expect(physicalOf(TLB, null, 0x9010)).toBeNull();
});

test('a memory address is translated back to the I/O address and the row', () => {
  const here = { ...NOWHERE, address: 0x300010 };
  expect(joined(COHERENT, ROWS, here)).toEqual({ address: 0x300010, io: 0x9010, chain: 2 });
  const there = { ...NOWHERE, io: 0x9010, chain: 2 };
  expect(joined(COHERENT, ROWS, there)).toEqual({ address: 0x300010, io: 0x9010, chain: 2 });
});

test('an address without a translation stays on its side', () => {
  const here = { ...NOWHERE, address: 0x400000 };
  expect(joined(COHERENT, ROWS, here)).toEqual(here);
});
