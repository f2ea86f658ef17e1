import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { figure } from '../published/published';
import { fitLinear } from './linear-fit';

const SIZES = Array.from({ length: 19 }, (_, i) => 4 * 2 ** i);
const column = (name: string) =>
  SIZES.map((size) => ({ size, value: figure(`gt.${name}.${size}`)?.value ?? 0 }));

describe('the linear model', () => {
  test('finds the overhead and rate of an exactly linear table', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e8 }), fc.integer({ min: 1, max: 1e5 }), (a, b) => {
        const fit = fitLinear(
          SIZES.map((size) => ({ size, value: (size * 1e6) / (a + b * size) })),
        );
        expect((fit?.overheadPs ?? 0) / a).toBeCloseTo(1, 6);
        expect((fit?.psPerByte ?? 0) / b).toBeCloseTo(1, 6);
        expect(fit?.worst_abs_error_percent).toBeCloseTo(0, 6);
      }),
    );
  });

  test('misses the DMA columns of the paper by far more than the simulation’s tolerance', () => {
    const write = fitLinear(column('dma_write'));
    expect(write?.mean_abs_error_percent).toBeGreaterThan(5);
    expect(write?.worst_abs_error_percent).toBeGreaterThan(20);
    expect(write?.rows).toHaveLength(19);
    expect(fitLinear(column('dma_read'))?.worst_abs_error_percent).toBeGreaterThan(10);
  });

  test('needs two sizes', () => {
    expect(fitLinear([{ size: 4, value: 1 }])).toBeNull();
  });
});
