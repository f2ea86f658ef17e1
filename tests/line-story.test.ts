/**
 * The changes of lines that the picture of the bus shows, compared with the machine: each happens, and has its cause.
 */
import { expect, test } from 'vitest';
import { eventSentence } from '../src/draw/coherence/line-words';
import { Core } from '../src/engine/core';
import { shapesOf } from '../src/engine/engine-code';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { RUNWAY_LINE } from '../src/engine/gen/constants';
import { PART_TYPES } from '../src/engine/gen/layout';
import { coherentMachine, PAGE_LINES } from '../src/model/coherence/coherence-roles';
import { LineBays, streamsOf } from '../src/model/coherence/line-bays';
import { INVALID, type LineEvent, LineStory, UNDER_WAY } from '../src/model/coherence/line-story';
import { createTrace } from '../src/model/trace/trace';
import { compiled, scenarioAt } from './support/scenarios';

const code = { module: await inlineChecks(), parts: shapesOf(PART_TYPES) };
const US = 1e6;

function open(path: string, untilPs: number) {
  const machine = compiled(scenarioAt(path));
  const core = new Core(code);
  core.open(machine.config);
  core.run(untilPs, 60_000);
  const trace = createTrace(machine);
  trace.append(core.trace(1, 1 << 17));
  expect(trace.first, 'the record is whole').toBe(1);
  const coherent = coherentMachine(machine);
  const story = new LineStory(trace, coherent);
  while (!story.update());
  const title = (part: number | null) => machine.parts[part ?? -1]?.title ?? 'nobody';
  return { machine, coherent, story, title };
}

/** A cache's own copy of a line. */
function stateIn(core: Core, { machine, coherent }: ReturnType<typeof open>, event: LineEvent) {
  const { views = [], enums } = machine.parts[event.part]?.type ?? {};
  const columns = (name: string, ...fields: string[]) => {
    const view = views.findIndex((one) => one.name === name);
    const shown = core.view({ part: event.part, view }).columns;
    return fields.map((field) => {
      const at = views[view]?.fields.findIndex((one) => one.name === field) ?? -1;
      return [...(shown[at] ?? [])];
    });
  };
  const address = event.line * RUNWAY_LINE;
  const [stages = [], coming = []] = columns('misses', 'stage', 'addr');
  if (coming.some((at, i) => at === address && (stages[i] ?? 0) > 0)) return UNDER_WAY;
  const { lineBytes = RUNWAY_LINE } = coherent.caches.find(({ part }) => part === event.part) ?? {};
  const [tags = [], states = []] = columns('lines', 'tag', 'state');
  const held = tags.findIndex((tag, i) => tag === address / lineBytes + 1 && (states[i] ?? 0) > 0);
  return enums?.line?.[states[held] ?? 0]?.name ?? INVALID;
}

test('the cell that is ringed is the one whose state changes, from what it was to what it is', () => {
  const made = open('scenarios/hp/at-work.json', 27 * US);
  const core = new Core(code);
  core.open(made.machine.config);
  core.run(20.6 * US, 1e9);
  const caches = new Set(made.coherent.caches.map(({ part }) => part));
  let compared = 0;
  while (core.position.timePs < 26 * US) {
    const { seq, events } = core.position;
    const from = made.story.indexAt(seq) + 1;
    const before = made.story.events
      .slice(from, from + 8)
      .filter((event) => event.kind !== 'asked' && caches.has(event.part))
      .map((event) => ({ event, was: stateIn(core, made, event) }));
    core.run(Number.MAX_SAFE_INTEGER, events + 1);
    for (const { event, was } of before.filter((one) => one.event.seq <= core.position.seq)) {
      const alone = before.filter(
        (one) => one.event.part === event.part && one.event.line === event.line,
      );
      if (alone.length > 1) continue;
      expect([event.seq, was, stateIn(core, made, event)]).toEqual([
        event.seq,
        event.from,
        event.to,
      ]);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(50);
});

test('a device’s write that drops another’s half of the line says whose it was and what is lost', () => {
  const { story, title } = open('scenarios/hp/at-work.json', 24 * US);
  const lost = story.events.find(({ timePs, lost: write }) => write !== null && timePs > 20.6 * US);
  expect(lost && eventSentence(lost, title)).toMatch(
    /^Cache 3 drops line 0 of page 0x108: private dirty → invalid, because of WRITE16_PURGE #\d+ by LAN\. The processor’s 16 bytes beside it are lost \(write 2\)\.$/,
  );
});

test('a store that waited for its line changes it by itself, not by the transaction that brought it', () => {
  const { story, title } = open('scenarios/hp/a-line-changes-hands.json', 10 * US);
  const sentences = story.events.map((event) => eventSentence(event, title));
  expect(sentences).toContain(
    'Cache 0 holds line 0 of page 0x100: private clean → private dirty, because its processor stores to it.',
  );
  expect(sentences.filter((text) => text.startsWith('Memory holds')).length).toBeGreaterThan(0);
});

test('a transaction of the adapter runs for the device that asked, whatever let it run', () => {
  const { story, title } = open('scenarios/hp/at-work.json', 400 * US);
  const read = story.events.find(
    ({ kind, timePs }) => kind === 'asked' && Math.round(timePs / 1000) === 22_375,
  );
  expect(read?.line).toBe(0x100320 / RUNWAY_LINE);
  expect(title(read?.transaction?.by ?? null)).toBe('Disk');
  const ofAdapter = story.events.flatMap(({ kind, transaction }) =>
    kind === 'asked' && transaction !== null && /^(Disk|LAN|I\/O)/.test(title(transaction.by))
      ? [transaction]
      : [],
  );
  const writers = new Set(
    ofAdapter.filter(({ type }) => type === 'write16_purge').map(({ by }) => title(by)),
  );
  const readers = new Set(ofAdapter.filter((one) => one.isPrefetch).map(({ by }) => title(by)));
  expect([...writers]).toEqual(['LAN']);
  expect([...readers]).toEqual(['Disk']);
});

test('a checker that sees an access is not who made it', () => {
  const { story, title } = open('scenarios/hp/freed.json', 62 * US);
  const writers = story.events.flatMap(({ transaction }) =>
    transaction?.type === 'write16_purge' ? [title(transaction.by)] : [],
  );
  expect(new Set(writers)).toEqual(new Set(['LAN']));
});

test('the grid rests while the ring moves: three streams have a bay each', () => {
  const { story } = open('scenarios/hp/at-work.json', 30 * US);
  const { events } = story;
  const columns = 7;
  const bays = new LineBays(events, columns, streamsOf(events, columns, 3));
  let [crept, leaps, shown] = [0, 0, 0];
  events.forEach(({ line, timePs }, index) => {
    const view = bays.at(index);
    const first = view?.bays[view.active]?.first ?? -1;
    expect(line).toBeGreaterThanOrEqual(first);
    expect(line).toBeLessThan(first + columns);
    expect(Math.floor(first / PAGE_LINES)).toBe(Math.floor((first + columns - 1) / PAGE_LINES));
    const before = bays.at(index - 1);
    const shift = (view?.bays ?? []).map((bay, at) =>
      Math.abs(bay.first - (before?.bays[at]?.first ?? 0)),
    );
    if (timePs < 20.6 * US || timePs > 24 * US) return;
    shown++;
    crept += shift.reduce((sum, by) => sum + (by <= columns ? by : 0), 0);
    leaps += shift.filter((by) => by > columns).length;
  });
  expect(crept).toBeLessThan(shown / 2);
  expect(leaps).toBeLessThan(shown / 20);
  const again = new LineBays(events, columns, streamsOf(events, columns, 3));
  expect(again.at(events.length - 1)).toEqual(bays.at(events.length - 1));
});

test('events of one moment are shown one after another before the next', () => {
  const { story } = open('scenarios/hp/at-work.json', 24 * US);
  const shown = new Set<number>();
  for (let ps = 20.6 * US; ps < 22 * US; ps += 1000) shown.add(story.indexShownAt(ps, 60_000));
  const all = story.events.flatMap(({ timePs }, index) =>
    timePs >= 20.6 * US && timePs < 21.9 * US ? [index] : [],
  );
  expect(all.filter((index) => !shown.has(index)).length).toBeLessThan(all.length / 20);
});
