/** The drawing of an IOMMU that walks its table: cached translations, waiting accesses, walks. */
import { beforeAll, expect, test } from 'vitest';
import { tableEntryAt, tableWalkOf } from '../../model/coherence/table-walk';
import { compile } from '../../model/scenario/compile';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { loadScenario } from '../../model/scenario/load';
import { machineTexts } from '../../model/scenario/scenarios';
import type { Moment } from '../moment';
import { iommuShapes, translationShapes, walksTable } from './iommu';
import { layoutCompact, layoutMachine } from './layout';
import { drawnViews } from './moment';
import { partSentence } from './text';
import type { Look, PlacedPart } from './types';

const nowhere = { address: null, io: null, chain: null };
const LOOK = { selected: nowhere, pointed: nowhere, conflictRow: null } as unknown as Look;

const machines = new Map<string, CompiledMachine>();
beforeAll(async () => {
  const texts = await machineTexts();
  for (const [name, levels] of [
    ['runway-iommu', 2],
    ['gt-iommu', 1],
  ] as const) {
    const cpus = name === 'gt-iommu' ? ['cpu'] : ['cpu0', 'cpu1'];
    const file = {
      ...{ busyard: 1, title: 'T', summary: 'S', system: 'one', until: '1 us' },
      machine: { extends: name, parts: { iommu: { params: { levels } } } },
      programs: { nothing: [{ do: 'spend', time: '1 ns' }] },
      workload: Object.fromEntries(cpus.map((cpu) => [cpu, 'nothing'])),
      view: { kind: 'machine' },
    };
    const scenario = loadScenario(JSON.stringify(file), { machines: texts });
    if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
    const made = compile(scenario.value);
    if (!made.ok) throw new Error(made.problems[0]?.message);
    machines.set(name, made.value);
  }
});

function machineOf(name: string): CompiledMachine {
  const machine = machines.get(name);
  if (!machine) throw new Error(name);
  return machine;
}

type Row = Readonly<Record<string, number>>;

const CACHE: readonly Row[] = [
  { entry: 1, page: 257 },
  { entry: 518, page: 4 },
  ...Array.from({ length: 6 }, () => ({ entry: 0, page: 0 })),
];
const ACCESSES: readonly Row[] = [
  { state: 2, number: 9, address: 0x4000_3020, write: 1 },
  { state: 0 },
  { state: 4, number: 8, address: 0x4000_0040, physical: 0x10_0040 },
];
const WALKERS: readonly Row[] = [{ state: 1, wanted: 0, entry: 3, at: 0x11_0000, since: 200_000 }];

function moment(
  views: Readonly<Record<string, readonly Row[]>>,
  machine = machineOf('runway-iommu'),
): Moment {
  const unit = machine.parts.findIndex(({ name }) => name === 'iommu');
  return {
    timePs: 700_000,
    whole: true,
    counters: machine.parts.map(({ type }) => new Float64Array(type.counters.length)),
    track: () => null,
    past: () => [],
    view(part, name) {
      const rows = part === unit ? views[name] : undefined;
      const column = (field: string) => Float64Array.from(rows ?? [], (row) => row[field] ?? 0);
      return rows ? { rows: rows.length, column } : null;
    },
  };
}

const atWork = () => moment({ cache: CACHE, accesses: ACCESSES, walkers: WALKERS });

const unitIn = (parts: readonly PlacedPart[]): PlacedPart => {
  const found = parts.find(({ part }) => part.type.name === 'iommu');
  if (!found) throw new Error('no unit');
  return found;
};

const textsOf = (part: PlacedPart, now: Moment) =>
  iommuShapes(part, now, LOOK).flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));

test('translations, accesses in order, and the walk are in the box', () => {
  const texts = textsOf(unitIn(layoutMachine(machineOf('runway-iommu')).parts), atWork());
  expect(texts).toEqual(expect.arrayContaining(['0: page 256', '517: page 3', 'entry 3']));
  expect(texts.indexOf('0x40000040')).toBeLessThan(texts.indexOf('0x40003020'));
  expect(texts).toEqual(expect.arrayContaining(['upper table 0x110000', 'waits for memory']));
  expect(texts).toContain('500\u00a0ns');
});

test('without a walk it says so, and what does not fit is counted', () => {
  const unit = unitIn(layoutMachine(machineOf('runway-iommu')).parts);
  const cache = Array.from({ length: 40 }, (_, place) => ({ entry: place + 1, page: place + 1 }));
  const accesses = Array.from({ length: 5 }, (_, number) => ({
    state: 3,
    number,
    address: number,
  }));
  const texts = textsOf(unit, moment({ cache, accesses, walkers: [{ state: 0 }] }));
  expect(texts).toContain('no walk');
  expect(texts).toContain('+ 32\u00a0places');
  expect(texts).toContain('and 3 more');
});

test('in a small box its slots are filled or empty', () => {
  const unit = unitIn(layoutCompact(machineOf('runway-iommu'), 360).parts);
  const shapes = iommuShapes(unit, atWork(), LOOK);
  const fills = shapes.map(({ cls }) => cls);
  expect(fills).toEqual(['ink2f', 'ink2f', 'slot', 'slot', 'slot', 'slot', 'slot', 'slot']);
});

test('the text alternative says the same', () => {
  const layout = layoutMachine(machineOf('runway-iommu'));
  const texts = partSentence(layout, unitIn(layout.parts), atWork());
  expect(texts).toContain('holds entry 0 is page 256, entry 517 is page 3');
  expect(texts).toContain('read at 0x40000040 waits for memory');
  expect(texts).toContain('walks for entry 3: upper table at 0x110000');
});

test('a unit that holds its table itself has no lane for walks', () => {
  const layout = layoutMachine(machineOf('gt-iommu'));
  const unit = unitIn(layout.parts);
  expect(walksTable(unit.part.type)).toBe(false);
  expect(unit.part.type.tracks).toEqual([]);
  const views = drawnViews(layout).filter(({ part }) => part === unit.index);
  expect(views.map(({ view }) => unit.part.type.views[view]?.name)).toEqual(['cache', 'now']);
});

test('translations are in the box: by name if there is room, else as filled slots', () => {
  const layout = layoutMachine(machineOf('gt-iommu'));
  const unit = unitIn(layout.parts);
  const now = moment({ cache: CACHE }, machineOf('gt-iommu'));
  const roomy = { ...unit, box: { ...unit.box, width: 300, height: 84 } };
  const texts = translationShapes(roomy, now).flatMap((one) =>
    one.kind === 'text' ? [one.text] : [],
  );
  expect(texts).toEqual(['0: page 256', '517: page 3']);
  const small = { ...unit, box: { ...unit.box, width: 174, height: 62 } };
  expect(translationShapes(small, now).map(({ cls }) => cls)).toEqual([
    ...['ink2f', 'ink2f'],
    ...Array.from({ length: 6 }, () => 'slot'),
  ]);
  expect(partSentence(layout, unit, now)).toContain(
    'holds entry 0 is page 256, entry 517 is page 3',
  );
  const other = layout.parts.find(({ part }) => part.type.name === 'memory');
  expect(other && translationShapes(other, now)).toEqual([]);
});

test('entries are found in memory by the levels of the table, and decoded by their bits', () => {
  const machine = machineOf('runway-iommu');
  const unit = machine.parts.findIndex(({ name }) => name === 'iommu');
  const table = tableWalkOf(machine, unit);
  expect(table?.rowOf(3)).toBe(512 + 3);
  expect(table?.pageBytes).toBe(4096);
  expect(tableWalkOf(machine, 0)).toBeNull();
  const kept = machineOf('gt-iommu');
  const own = kept.parts.findIndex(({ name }) => name === 'iommu');
  expect(tableWalkOf(kept, own)).toBeNull();
  expect(tableEntryAt(0x12, 0x3456_7001)).toEqual({ valid: true, page: 0x12_3456_7000 });
  expect(tableEntryAt(0, 0x10_0000)).toEqual({ valid: false, page: 0x10_0000 });
});
