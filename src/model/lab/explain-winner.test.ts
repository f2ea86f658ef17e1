import { describe, expect, test } from 'vitest';
import type { CostKind, Costs } from '../trace/time-breakdown';
import { explainAlone, explainProcessor, explainWinner } from './explain-winner';

const US = 1e6;

/** Costs with these shares, in microseconds; what is left of the total is waiting. */
function costs(total: number, shares: Partial<Record<CostKind, number>>, busy: number): Costs {
  const none = { software: 0, words: 0, copy: 0, device: 0, work: 0, waiting: 0 };
  const known = Object.values(shares).reduce((sum, share) => sum + share, 0);
  const all = { ...none, waiting: total - known, ...shares };
  const scaled = Object.entries(all).map(([kind, share]) => [kind, share * US] as const);
  return {
    from: 0,
    to: total * US,
    pieces: [],
    total: Object.fromEntries(scaled) as Costs['total'],
    busy: [],
    busyTime: busy * US,
  };
}

const pio = (total: number) => ({
  title: 'PIO write',
  costs: costs(total, { words: total - 0.1, software: 0.1 }, total),
  transfers: 1,
});
const dma = (total: number, device: number, software: number) => ({
  title: 'DMA write',
  costs: costs(total, { device, software }, software),
  transfers: 1,
});

const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');

const AT_512 = { at: '512 B', crossing: null };

describe('the explanation of the winner', () => {
  test('names the fixed cost for a small transfer', () => {
    const { question, sentences, winner, margin } = explainWinner(pio(8.3), dma(12.6, 4.5, 5), {
      at: '512 B',
      crossing: '800 B',
    });
    expect(plain(question)).toBe('Why does PIO write win at 512 B?');
    expect(sentences.map(plain)).toEqual([
      'The data of a DMA write needs only 4.5 µs; that of a PIO write needs 8.2 µs.',
      'But a DMA write pays 8.1 µs around its data, 5 µs of software and 3.1 µs of waiting; a PIO write pays 100 ns.',
      'Only above 800 B does the slower data of a PIO write cost more than that.',
    ]);
    expect(winner).toBe('PIO write');
    expect(margin).toBeCloseTo(4.3 * US, 0);
  });

  test('names the data for a large one', () => {
    const { sentences } = explainWinner(pio(66.6), dma(40, 35, 4.5), {
      at: '4 KiB',
      crossing: null,
    });
    expect(sentences.map(plain)).toEqual([
      'A DMA write pays 5 µs around its data, nearly all of it software; a PIO write pays only 100 ns.',
      'But its data needs 35 µs, where that of a PIO write needs 66.5 µs.',
      'The 31.5 µs saved are more than the fixed cost.',
    ]);
  });

  test('says that one is better in both', () => {
    const { sentences } = explainWinner(pio(8.3), dma(20, 10, 10), AT_512);
    expect(plain(sentences.at(-1) ?? '')).toContain('costs no more in either');
  });

  test('is per transfer, not per lap', () => {
    const lap = { ...pio(83), transfers: 10 };
    const { sentences } = explainWinner(lap, dma(12.6, 4.5, 5), AT_512);
    expect(plain(sentences[0] ?? '')).toContain('that of a PIO write needs 8.29 µs');
  });
});

test('the processor time is explained separately', () => {
  expect(plain(explainProcessor(pio(8.3), dma(12.6, 4.5, 5)))).toBe(
    'PIO write keeps the processor busy for 8.3 µs of 8.3 µs; DMA write keeps the processor busy for 5 µs of 12.6 µs.',
  );
});

test('while one method is asked about, the other is explained alone', () => {
  const { question, sentences } = explainAlone(dma(12.6, 4.5, 5), '512 B');
  expect(plain(question)).toBe('Where does the time of DMA write go at 512 B?');
  expect(sentences.map(plain)).toEqual([
    'A DMA write takes 12.6 µs.',
    'Its data needs 4.5 µs.',
    'Around its data it pays 8.1 µs, 5 µs of software and 3.1 µs of waiting.',
  ]);
});
