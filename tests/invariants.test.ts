/**
 * Every scenario of the coherent machine with a watcher: after each event every invariant holds, except where the
 * scenario is about a defect.
 */
import { expect, test } from 'vitest';
import { createLocalEngine } from '../src/engine/inprocess';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

/** Events of a run that are watched: four scenarios go on for longer with more of the same. */
const MOST = 500_000;

/** The invariants violated in a run, sorted by name. */
async function broken(path: string): Promise<readonly string[]> {
  const { config, untilPs, parts } = compiled(scenarioAt(path), { watched: true });
  const watcher = parts.length - 1;
  const engine = await createLocalEngine();
  await engine.open({ config, commands: [] });
  const { seq } = await engine.run({ untilPs, untilEvents: MOST });
  const { trace } = await engine.frame({ views: [], trace: { fromSeq: 1, max: seq } });
  engine.dispose();
  if (!trace) throw new Error('There is no trace.');
  const names = parts[watcher]?.type.enums.invariant ?? [];
  const broken = new Set<string>();
  trace.part.forEach((part, i) => {
    if (part === watcher) broken.add(names[trace.b[i] ?? 0]?.name ?? '');
  });
  return [...broken].sort();
}

/** Scenarios that show a violation, and the invariants they violate. */
const GOES_WRONG: Record<string, readonly string[]> = {
  'at-work': ['exact_dma', 'no_lost_data'],
  'false-sharing': ['current_load', 'exact_dma', 'no_lost_data', 'no_stale_copy'],
  'five-ways-wrong': ['current_device'],
  freed: ['exact_dma', 'no_lost_data'],
  'own-flush': ['current_load', 'exact_dma', 'no_lost_data', 'no_stale_copy'],
  'physical-range': ['current_device', 'current_load', 'no_stale_copy'],
  'prefetch-stale': ['current_device'],
  'second-purge': ['current_load'],
  'stale-inbound': ['current_load'],
  'stale-outbound': ['current_device'],
  'two-mappings': ['current_load', 'exact_dma', 'no_lost_data', 'no_stale_copy'],
};

const HP = SCENARIOS.flatMap((path) => path.match(/^scenarios\/hp\/(.+)\.json$/)?.[1] ?? []);

test.each(HP)('%s', async (name) => {
  expect(await broken(`scenarios/hp/${name}.json`)).toEqual(GOES_WRONG[name] ?? []);
});
