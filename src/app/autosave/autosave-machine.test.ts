import { describe, expect, test } from 'vitest';
import {
  type Budget,
  descends,
  heads,
  moves,
  newWorld,
  rest,
  visit,
  type World,
} from './autosave-machine.fixture';

/** Violations of the properties that hold in every state. */
function problems(world: World): string[] {
  const found = [...world.wrong];
  const safe = [...Object.values(world.stored), ...Object.values(world.copies)];
  const isSafe = (text: string) => safe.some((one) => descends(world, one.text, text));
  const works = world.tabs.flatMap((tab) => Object.values(tab?.state.works ?? {}));
  for (const { phase, record, copied } of works) {
    if (copied !== 'page' && !isSafe(record.text))
      found.push(`edit ${record.text} is only in memory`);
    const there = world.stored[record.id];
    if (phase === 'kept' && !(there && descends(world, there.text, record.text)))
      found.push(`${record.id} is called kept and is not`);
  }
  for (const head of world.full ? [] : heads(world).map(String)) {
    if (!safe.some(({ text }) => text === head)) found.push(`edit ${head} is nowhere`);
  }
  return found;
}

/** Violations once the storage has answered everything: all work must be stored and no copy left. */
function problemsAtRest(world: World): string[] {
  const still = rest(world);
  const own = still.tabs.flatMap((tab) => (tab ? [`@${tab.state.author}`] : []));
  const left = Object.keys(still.copies).filter((slot) => own.some((name) => slot.endsWith(name)));
  const end = visit(still);
  const kept = new Set(Object.values(end.stored).map(({ text }) => text));
  const lost = world.full ? [] : heads(end).filter((head) => !kept.has(String(head)));
  const works = end.tabs.flatMap((tab) => Object.values(tab?.state.works ?? {}));
  return [
    ...end.wrong,
    ...left.map((slot) => `the copy ${slot} stays though its page is there`),
    ...lost.map((head) => `edit ${head} is never kept`),
    ...Object.keys(end.copies).map((slot) => `the copy ${slot} stays`),
    ...works.filter(({ phase }) => phase !== 'kept').map(({ record }) => `${record.id} waits`),
  ];
}

/** A single tab must not conflict with itself. Exception: if the journal was full, it keeps both versions. */
const problemsAlone = (world: World): string[] => {
  const own = Object.keys(world.stored).filter((id) => id.includes('~') && !world.full);
  return own.map((id) => `the tab met itself: ${id}`);
};

/** Breadth-first exploration of all states; an error has the shortest path to the violation. */
function explore(start: World, check: (world: World) => string[]): number {
  const seen = new Set<string>();
  let layer: { world: World; way: string }[] = [{ world: start, way: '' }];
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const { world, way } of layer) {
      const bad = [...check(world), ...problemsAtRest(world)];
      if (bad.length > 0) throw new Error(`${bad.join('; ')} after:${way}`);
      for (const move of moves(world)) {
        const key = JSON.stringify(move.next);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push({ world: move.next, way: `${way} ${move.name},` });
      }
    }
    layer = next;
  }
  return seen.size;
}

describe('no order of events loses an edit or overwrites another', () => {
  const both = (world: World) => [...problems(world), ...problemsAlone(world)];

  test.each<[string, number, Budget, typeof problems]>([
    ['one tab, and a fault', 1, { edits: 2, pages: 1, opens: 1, faults: 1 }, both],
    ['two tabs', 2, { edits: 2, pages: 1, opens: 0, faults: 0 }, problems],
    ['two tabs, and a fault', 2, { edits: 2, pages: 0, opens: 0, faults: 1 }, problems],
    ['two tabs that open other work', 2, { edits: 2, pages: 0, opens: 1, faults: 0 }, problems],
  ])('%s', { timeout: 120_000 }, (_, tabs, budget, check) => {
    expect(explore(newWorld(tabs, budget), check)).toBeGreaterThan(1000);
  });
});
