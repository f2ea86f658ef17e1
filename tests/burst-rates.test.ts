/**
 * A bus's throughput by burst length follows from the clocks of its protocol, computed by hand beside it. A card
 * whose buffer has filled writes bursts into memory that takes all; nobody else is on the bus.
 *
 * PCI 2.2, a write:     address 1, decode 1 (medium DEVSEL#), a data phase a clock, turn-around 1
 * PCI-X 1.0, a write:   address 1, attributes 1, response 2 (decode B), a data phase a clock, two clocks to the next
 */
import { expect, test } from 'vitest';
import { HOST, Run } from './support/one-machine';

const BLOCK = 64 * 1024;

/** MB/s of writes in bursts of this many bytes. */
function moved(machine: string, bus: object, burst: number): number {
  const run = new Run({
    machine,
    parts: {
      scsi: {
        params: {
          blocks: 1,
          bytes: BLOCK,
          burst,
          address: HOST,
          direction: 'write',
          rate: '10 GB/s',
          buffer: '1 MiB',
          delay: '10 us',
        },
      },
      bus: { params: bus },
      lba: { params: { rate: '10 GB/s', crossing: '0 ps', posts: 32 } },
      memory: { params: { tracked: '0 B', latency: '1 ns', bandwidth: '1000 GB/s' } },
    },
    rows: [{ do: 'spend', time: '1 ns' }],
  });
  expect(run.counter('bus', 'retries')).toBe(0);
  expect(run.counter('lba', 'bytes_in')).toBe(BLOCK);
  return (BLOCK * 1e6) / run.counter('scsi', 'block_time');
}

const PCI_32_33 = { clock: '33.333333 MHz', width: '4 B' };
const PCI_64_66 = { clock: '66.666667 MHz', width: '8 B' };

/** By hand: n data phases and the other clocks, with this many bytes per phase and million clocks per second. */
const byHand = (bytes: number, width: number, besides: number, mhz: number): number => {
  const phases = bytes / width;
  return (bytes * mhz) / (phases + besides);
};

test.each([
  // 32 bits at 33 MHz: a peak of 133 MB/s, a quarter of it by single words, 128 B at 32 of 35 clocks.
  ['PCI 32/33', 'zx1-53c1010', PCI_32_33, 4, 3, 100 / 3, [4, 8, 32, 64, 128, 512, 4096]],
  // 64 bits at 66 MHz: a peak of 533 MB/s, a line of 128 B at 16 of 19 clocks: 449 MB/s.
  ['PCI 64/66', 'zx1-53c1010', PCI_64_66, 8, 3, 200 / 3, [8, 32, 64, 128, 512, 4096]],
  // 64 bits at 133 MHz: a peak of 1067 MB/s, a line of 128 B at 16 of 22 clocks: 776 MB/s.
  ['PCI-X 133', 'zx1-53c1030', {}, 8, 6, 400 / 3, [8, 32, 64, 128, 512, 2048]],
] as const)('%s moves what its clocks say', (_, machine, bus, width, besides, mhz, bursts) => {
  for (const burst of bursts) {
    const share = moved(machine, bus, burst) / byHand(burst, width, besides, mhz);
    // There is no turn-around after the last burst, and no bus request before the first.
    expect(Math.abs(share - 1), `${burst} B`).toBeLessThan(besides / (BLOCK / width) + 1e-4);
  }
});

test('a line of 128 B, by hand: 32 data phases in 35 clocks, 16 in 19 and in 22', () => {
  expect(moved('zx1-53c1010', PCI_32_33, 128)).toBeCloseTo(121.9, 1);
  expect(moved('zx1-53c1010', PCI_64_66, 128)).toBeCloseTo(449.2, 1);
  expect(moved('zx1-53c1030', {}, 128)).toBeCloseTo(775.9, 1);
});
