import { expect, test } from 'vitest';
import { Overview } from './overview';

const sample = (timePs: number, events: number) => ({
  timePs,
  events,
  seq: 0,
  counters: new Float64Array(1),
});

/** Takes every sample up to a time, with one event per microsecond; the only counter identifies the sample. */
function run(overview: Overview, untilPs: number): void {
  while (overview.duePs <= untilPs) {
    const timePs = overview.duePs;
    const at = { timePs, events: Math.floor(timePs / 1e6), seq: timePs + 1 };
    overview.take(at, (into, index) => {
      into[index] = timePs + 2;
    });
  }
}

test('a run of any length has a few hundred evenly spaced samples', () => {
  for (const untilPs of [1e9, 1e10, 1e12, 1e14]) {
    const overview = new Overview(1);
    run(overview, untilPs);
    const samples = overview.upTo(sample(untilPs, untilPs));
    const gaps = samples.slice(1, -1).map(({ timePs }, i) => timePs - (samples[i]?.timePs ?? 0));
    expect(samples.length).toBeGreaterThanOrEqual(untilPs > 1e9 ? 512 : 900);
    expect(samples.length).toBeLessThanOrEqual(1025);
    expect(new Set(gaps).size).toBe(1);
    for (const { timePs, seq, counters } of samples.slice(0, -1))
      expect([seq, ...counters]).toEqual([timePs + 1, timePs + 2]);
  }
});

test('samples after a divergence are dropped', () => {
  const overview = new Overview(1);
  run(overview, 1e9);
  overview.dropFrom(500);
  const { length } = overview.upTo(sample(0, 0));
  expect(overview.upTo(sample(0, 0)).at(-1)?.events).toBeLessThan(500);
  run(overview, 1e9);
  expect(overview.upTo(sample(0, 0)).length).toBeGreaterThan(length);
});
