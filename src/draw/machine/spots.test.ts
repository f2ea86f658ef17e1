/** Packets, utilisations, rows and cells of the drawing: where they are, what they say, and what has touched them. */
import { describe, expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { placesOf } from '../../model/coherence/selected-lines';
import { touchedPlace } from '../../model/coherence/touched';
import { compile } from '../../model/scenario/compile';
import { readScenario } from '../../model/scenario/scenarios';
import { BusUse } from '../../model/trace/bus-use';
import { eventSearch } from '../../model/trace/event-search';
import { testOf } from '../../model/trace/rows';
import { createTrace } from '../../model/trace/trace';
import { busyShare } from './facts';
import { layoutMachine } from './layout';
import { drawnViews, momentOf } from './moment';
import { spotGroups } from './spots';

const NOTHING = { part: null, view: null, index: null, event: null };
const SHOWN = {
  still: true,
  look: {
    selected: { address: null, io: null, chain: null },
    pointed: { address: null, io: null, chain: null },
    conflictRow: null,
  },
};

/** The drawing at evenly spaced moments of a run, and its whole trace. */
async function moments(id: string, amount: number) {
  const scenario = await readScenario(id);
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  const compiled = compile(scenario.value);
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  const machine = compiled.value;
  const layout = layoutMachine(machine);
  const trace = createTrace(machine);
  const engine = await createLocalEngine();
  const session = { config: machine.config, commands: [] };
  await engine.open(session);
  const end = await engine.run({ untilPs: machine.untilPs });
  const views = drawnViews(layout);
  await engine.open(session);
  const list = [];
  for (let step = 1; step <= amount; step++) {
    const now = await engine.run({ untilPs: Math.round((end.timePs * step) / amount) });
    const fromSeq = trace.last + 1;
    const frame = await engine.frame({ views, trace: { fromSeq, max: now.seq } });
    if (frame.trace) trace.append(frame.trace);
    list.push(momentOf({ parts: machine.parts, frame, trace, now }));
  }
  engine.dispose();
  return { machine, layout, trace, list };
}

describe.each([
  ['start/translation', ['packet', 'busy', 'row']],
  ['one/walk', ['packet', 'busy', 'entry']],
  ['soc/one-packet', ['packet', 'busy', 'ring']],
  ['zx1/one-read', ['packet', 'busy']],
  ['gt/one-word', ['packet', 'busy']],
])('the spots of %s', async (id, kinds) => {
  const { machine, layout, trace, list } = await moments(id, 40);
  const groups = spotGroups(layout);

  test('lie in their parts, say what they are, and select what events have touched', () => {
    const seen = new Set<string>();
    for (const now of list)
      for (const { key, spots } of groups) {
        const [kind = '', part = ''] = key.split(' ');
        const { box } = layout.parts.find(({ index }) => index === Number(part)) ?? {};
        if (!box) throw new Error(`No box for ${key}.`);
        for (const spot of spots(now, SHOWN)) {
          const says = spot.says();
          expect(says).toMatch(/^\S.*\.$/);
          expect(says).not.toMatch(/undefined|NaN|null/);
          expect(spot.box.x).toBeGreaterThanOrEqual(box.x - 1);
          expect(spot.box.x + spot.box.width).toBeLessThanOrEqual(box.x + box.width + 1);
          expect(spot.box.y).toBeGreaterThanOrEqual(box.y - 1);
          expect(spot.box.y + spot.box.height).toBeLessThanOrEqual(box.y + box.height + 1);
          // A row that was never looked up has no event; the others do.
          if (seen.has(says) || (kind === 'row' && !says.includes('missed'))) continue;
          seen.add(says).add(kind);
          const selected = { ...NOTHING, ...spot.selects };
          const places = placesOf(layout.roles, trace, selected);
          const touched = touchedPlace(machine, layout.roles.tlb, selected, places);
          const touches = testOf(
            eventSearch(touched?.query ?? '', machine)?.testWith([]) ?? (() => false),
          );
          const found = Array.from({ length: trace.last }, (_, i) => i + 1).some((seq) =>
            kind === 'packet' ? trace.has(selected.event ?? 0) : touches?.(trace, seq),
          );
          expect(found, `${says} ${touched?.query}`).toBe(true);
        }
      }
    expect([...kinds].filter((kind) => !seen.has(kind))).toEqual([]);
  });

  test('name users of a bus whose times add up to its busy time', () => {
    for (const bus of layout.parts.filter(({ rail }) => rail)) {
      const lane = trace.lane(bus.index, bus.part.type.tracks[0]?.name ?? '');
      if (!lane) continue;
      const use = new BusUse(trace, machine, lane);
      for (const now of [...list, ...list.slice(0, 3)]) {
        const share = busyShare(bus.part, bus.index, now);
        if (share === null) continue;
        while (!use.readTo(now.timePs));
        const sum = use.usersAt(now.timePs).reduce((all, { timePs }) => all + timePs, 0);
        expect(sum / now.timePs, `${bus.part.title} at ${now.timePs}`).toBeCloseTo(share, 2);
      }
    }
  });
});
