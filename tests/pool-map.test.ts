/** The page's reading of the map's packed cells agrees with the engine's trace. */
import { expect, test } from 'vitest';
import { ageOf, isLongLived, usesOf } from '../src/draw/pools/usage';
import { createLocalEngine } from '../src/engine/inprocess';
import { ownerOf, poolMapOf, TICK_PS, wantedViews } from '../src/model/pools/pool-bitmap';
import { poolViewsOf } from '../src/model/pools/pool-views';
import { compiled, scenarioAt } from './support/scenarios';

const RECORDS = 1 << 15;

/** Runs for a while; returns the map, and the CPU and time of each entry's mapping from the trace. */
async function mapped(edits: Readonly<Record<string, string>>, untilPs: number) {
  const machine = compiled(scenarioAt('scenarios/pools/one-lock-or-sixteen.json'), { edits });
  const views = poolViewsOf(machine);
  const part = machine.parts[views?.part ?? -1];
  if (!views || !part) throw new Error('There is no map.');
  const engine = await createLocalEngine();
  const { seq } = await engine.open({ config: machine.config, commands: [] });
  await engine.run({ untilPs });
  const kind = (name: string) => part.type.events.find((one) => one.name === name)?.kind;
  const param = (name: string) => Number(part.params.find(({ spec }) => spec.name === name)?.value);
  const known = new Map<number, { cpu: number; at: number }>();
  for (let fromSeq = seq + 1; ; ) {
    const { trace } = await engine.frame({
      views: [],
      trace: { fromSeq, max: RECORDS },
    });
    if (!trace || trace.length === 0) break;
    for (let i = 0; i < trace.length; i++) {
      const is = trace.kind[i];
      if (is !== kind('map') && is !== kind('unmap')) continue;
      const first = (Number(trace.a[i]) - param('base')) / param('page');
      for (let entry = first; entry < first + (trace.b[i] ?? 0); entry++)
        if (is === kind('map'))
          known.set(entry, { cpu: trace.c[i] ?? 0, at: trace.timePs[i] ?? 0 });
        else known.delete(entry);
    }
    fromSeq = trace.firstSeq + trace.length;
  }
  const frame = await engine.frame({ views: wantedViews(views) });
  const used =
    frame.counters[views.part]?.[part.type.counters.findIndex(({ name }) => name === 'used')];
  const map = poolMapOf(views, frame);
  engine.dispose();
  if (!map) throw new Error('The frame has no map.');
  return { map, known, used, now: frame.timePs };
}

/** The longest time from finding an entry to the end of its mapping. */
const CALL_PS = 50e6;

test.each<[string, Readonly<Record<string, string>>, number]>([
  ['at the end of the run', {}, 20e9],
  ['after a run that is longer than 16 bits of ticks', { 'nic.rate': '100 Mb/s' }, 350e9],
])('the map says of each entry who has it since when: %s', async (_, edits, untilPs) => {
  const { map, known, used, now } = await mapped(edits, untilPs);
  const cells = [...(map.cells ?? [])];
  const owned = cells.flatMap((cell, entry) => (ownerOf(cell) === null ? [] : [entry]));
  expect(usesOf(map).reduce((sum, use) => sum + use.used, 0)).toBe(used);
  const both = owned.filter((entry) => known.has(entry));
  expect(both.length).toBeGreaterThan(50);
  // Calls under way are in the map, but not yet among the finished ones.
  expect(owned.length + known.size - 2 * both.length).toBeLessThanOrEqual(10);
  for (const entry of both) {
    const { cpu, at } = known.get(entry) as { cpu: number; at: number };
    expect(ownerOf(cells[entry] ?? 0)).toBe(cpu);
    const more = (ageOf(map, entry) ?? 0) - (now - at);
    expect(more).toBeGreaterThan(-TICK_PS);
    expect(more).toBeLessThan(CALL_PS + TICK_PS);
    if (now - at > 600e6 || now - at < 400e6) expect(isLongLived(map, entry)).toBe(now - at > 5e8);
  }
});
