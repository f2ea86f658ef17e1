import { expect, test } from 'vitest';
import { Overview } from './overview';

const sample = (timePs: number, events: number) => ({
  timePs,
  events,
  seq: 0,
  counters: new Float64Array(1),
});

/** Takes every sample up to a time, with one event in each microsecond. */
function run(overview: Overview, untilPs: number): void {
  while (overview.duePs <= untilPs)
    overview.take(sample(overview.duePs, Math.floor(overview.duePs / 1e6)));
}

test('a run of any length has some hundreds of evenly spaced samples', () => {
  for (const untilPs of [1e9, 1e10, 1e12, 1e14]) {
    const overview = new Overview();
    run(overview, untilPs);
    const samples = overview.upTo(sample(untilPs, untilPs));
    const gaps = samples.slice(1, -1).map(({ timePs }, i) => timePs - (samples[i]?.timePs ?? 0));
    expect(samples.length).toBeGreaterThanOrEqual(untilPs > 1e9 ? 512 : 900);
    expect(samples.length).toBeLessThanOrEqual(1025);
    expect(new Set(gaps).size).toBe(1);
  }
});

test('another course forgets the samples from there on', () => {
  const overview = new Overview();
  run(overview, 1e9);
  overview.dropFrom(500);
  const { length } = overview.upTo(sample(0, 0));
  expect(overview.upTo(sample(0, 0)).at(-1)?.events).toBeLessThan(500);
  run(overview, 1e9);
  expect(overview.upTo(sample(0, 0)).length).toBeGreaterThan(length);
});
