/** The drawing of the coherent machine: holders of lines, responses, queues. */
import { beforeAll, expect, test } from 'vitest';
import { compile } from '../../model/scenario/compile';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { loadScenario } from '../../model/scenario/load';
import { machineTexts } from '../../model/scenario/scenarios';
import { actorOf } from '../glyph';
import type { Moment } from '../moment';
import type { Shape } from '../shape';
import { layoutCompact, layoutMachine } from './layout';
import { legendShapes } from './legend';
import { machineNow, wireShapes } from './machine';
import { partSentence } from './text';
import type { Look, MachineLayout } from './types';

const SCENARIO = JSON.stringify({
  busyard: 1,
  title: 'A machine',
  summary: 'To be drawn.',
  system: 'hp',
  machine: { extends: 'hp-k-class', parts: {} },
  programs: { nothing: [{ do: 'spend', time: '1 ns' }] },
  workload: { cpu0: 'nothing', cpu1: 'nothing', cpu2: 'nothing', cpu3: 'nothing' },
  until: '1 us',
  metrics: {},
  view: { kind: 'machine' },
});

let machine: CompiledMachine;
let layout: MachineLayout;
beforeAll(async () => {
  const scenario = loadScenario(SCENARIO, { machines: await machineTexts() });
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  const compiled = compile(scenario.value);
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  machine = compiled.value;
  layout = layoutMachine(machine);
});

const indexOf = (name: string): number => machine.parts.findIndex((part) => part.name === name);
const member = (part: string, list: string, memberName: string): number =>
  machine.parts[indexOf(part)]?.type.enums[list]?.findIndex(({ name }) => name === memberName) ??
  -1;

type Row = Readonly<Record<string, number>>;

/** A moment from rows under keys such as "cache0 lines". */
function moment(rows: Readonly<Record<string, readonly Row[]>>): Moment {
  return {
    timePs: 1e6,
    whole: true,
    counters: machine.parts.map(({ type }) => new Float64Array(type.counters.length)),
    track: () => null,
    past: () => [],
    view(part, name) {
      const written = rows[`${machine.parts[part]?.name} ${name}`];
      if (!written) return null;
      const column = (field: string) => Float64Array.from(written, (row) => row[field] ?? 0);
      return { rows: written.length, column };
    },
  };
}

const NOTHING = { address: null, io: null, chain: null };
const LOOK: Look = { selected: NOTHING, pointed: NOTHING, conflictRow: null };
const textsOf = (shapes: readonly Shape[]): string[] =>
  shapes.flatMap((shape) => (shape.kind === 'text' && shape.text !== '' ? [shape.text] : []));
const drawn = (shapes: readonly Shape[], cls: string): Shape[] =>
  shapes.filter((shape) => shape.cls === cls && !(shape.kind === 'path' && shape.d === ''));

/** That many lines, the first ones in the given states. */
const lines = (states: readonly string[], amount = 8192): Row[] =>
  Array.from({ length: amount }, (_, line) => ({
    tag: 0x100000 / 32 + line + 1,
    state: Math.max(0, member('cache0', 'line', states[line] ?? 'invalid')),
  }));

test('no wire leaves the sheet, and a cache inside its processor needs none', () => {
  for (const { corners } of layout.wires)
    corners.forEach((at, i) => {
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThanOrEqual(i % 2 === 0 ? layout.width : layout.height);
    });
  const between = layout.wires.filter(({ ends: [a, b] }) =>
    [a.part, b.part].every((part) => [indexOf('cpu0'), indexOf('cache0')].includes(part)),
  );
  expect(between).toEqual([]);
  expect(textsOf(wireShapes(layout))).toContain('responses');
});

test('the legend is where no part is', () => {
  expect(textsOf(legendShapes(layout))).toEqual(expect.arrayContaining(['stale', 'in flight']));
  const { legend } = layout;
  const masked = layout.parts.filter(
    ({ box }) =>
      legend &&
      box.x < legend.x + legend.width &&
      box.y + box.height > legend.y &&
      box.x + box.width > legend.x,
  );
  expect(masked).toEqual([]);
});

test('a cache shows the most important state of each piece', () => {
  const now = moment({ 'cache0 lines': lines(['shared', 'private_dirty']) });
  const shapes = machineNow(layout, now, true, LOOK);
  const [dirty] = drawn(shapes, 'mini-dirty');
  expect(dirty?.kind === 'path' ? dirty.d.match(/M/g) : null).toHaveLength(1);
  expect(drawn(shapes, 'mini-shared')).toEqual([]);
});

test('a cache of a few lines shows each with its address', () => {
  const now = moment({ 'cache0 lines': lines(['private_dirty'], 2) });
  expect(textsOf(machineNow(layout, now, true, LOOK))).toEqual(
    expect.arrayContaining(['D', '0x100000']),
  );
});

test('a selected line is framed in every cache that holds it', () => {
  const held = lines(['shared']);
  const now = moment({ 'cache0 lines': held, 'cache1 lines': held });
  const look = { ...LOOK, selected: { ...NOTHING, address: 0x100010 } };
  expect(drawn(machineNow(layout, now, true, look), 'mini-selected')).toHaveLength(2);
});

test('modules respond to a transaction one by one, its master does not', () => {
  const asked = {
    phase: member('runway', 'phase', 'asking'),
    type: member('runway', 'type', 'read_shared'),
    master: 0,
    responses_pending: 0b1000,
  };
  const [ok, copy] = ['ok', 'copy'].map((name) => member('runway', 'response', name));
  const agents = [ok, copy, ok, ok, ok, ok, ok, ok, ok, ok].map((response) => ({
    response: response ?? 0,
  }));
  const now = moment({ 'runway transactions': [asked], 'runway agents': agents });
  const shapes = machineNow(layout, now, true, LOOK);
  expect(drawn(shapes, 'answer')).toHaveLength(3);
  expect(drawn(shapes, 'answer-due')).toHaveLength(1);
  const bus = layout.parts[indexOf('runway')];
  expect(bus && partSentence(layout, bus, now)).toContain(
    'Answers: CPU 1 CPY, CPU 2 OK, CPU 3 wait, I/O adapter OK.',
  );
});

test('memory shows the reads that wait for it', () => {
  const read = {
    phase: member('runway', 'phase', 'memory'),
    type: member('runway', 'type', 'read_private'),
    master: 2,
    ready_at: 1e6 + 8334,
  };
  const shapes = textsOf(machineNow(layout, moment({ 'runway transactions': [read] }), true, LOOK));
  expect(shapes).toContain('1 pending');
  expect(shapes.filter((text) => text === 'CPU 2')).toHaveLength(1);
});

test('devices have different signs and show their progress', () => {
  const signs = ['disk', 'lan'].map((name) => layout.parts[indexOf(name)]?.actor);
  expect(signs).toEqual(['disk', 'lan']);
  const out = member('disk', 'command', 'out');
  const now = moment({ 'disk channels': [{ command: out, bytes: 4096, done: 1024 }] });
  expect(textsOf(machineNow(layout, now, true, LOOK))).toContain('1\u00a0KiB of 4\u00a0KiB');
});

test('if there are more devices than signs, those that differ by a number share one', () => {
  const device = (title: string) => ({ title, type: { actor: 'device' } });
  const few = ['Disk 0', 'Disk 1', 'LAN'].map(device);
  const many = ['Disk 0', 'Disk 1', 'LAN 0', 'LAN 1', 'Tape'].map(device);
  const signs = (parts: typeof few) => parts.map((_, index) => actorOf(parts, index));
  expect(signs(few)).toEqual(['disk', 'lan', 'card']);
  expect(signs(many)).toEqual(['disk', 'disk', 'lan', 'lan', 'card']);
});

test('on a phone the processors share one row, each with its cache', () => {
  const compact = layoutCompact(machine, 390);
  const boxes = ['cpu0', 'cpu1', 'cpu2', 'cpu3'].map((name) => compact.parts[indexOf(name)]?.box);
  expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
  const [host, guest] = [
    compact.parts[indexOf('cpu3')]?.box,
    compact.parts[indexOf('cache3')]?.box,
  ];
  expect(guest && host && guest.y + guest.height <= host.y + host.height).toBe(true);
});

test('a request at the I/O address of the highlighted line is marked', () => {
  const request = { addr: 0x2020, bytes: 16 };
  const now = moment({
    'adapter requests': [request, { addr: 0x3000, bytes: 16 }, {}],
    'adapter now': [{ waiting: 2 }],
    'adapter tlb': Array.from({ length: 256 }, () => ({})),
  });
  const marks = (look: Look) =>
    drawn(machineNow(layout, now, true, look), 'markf').filter(
      (shape) => shape.kind === 'rect' && shape.width > 0,
    );
  expect(marks(LOOK)).toEqual([]);
  expect(marks({ ...LOOK, pointed: { ...NOTHING, io: 0x2030 } })).toHaveLength(1);
});

test('an adapter without room beside its rows has the requests below them', () => {
  const projected = layoutCompact(machine, 840);
  const now = moment({
    'adapter requests': [{ addr: 0x2020, bytes: 16 }, { addr: 0x3000, bytes: 32 }, {}],
    'adapter now': [{ waiting: 2 }],
    'adapter tlb': Array.from({ length: 256 }, () => ({})),
  });
  const { x, y, width, height } = projected.parts[indexOf('adapter')]?.box ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  };
  const texts = machineNow(projected, now, true).flatMap((shape) =>
    shape.kind === 'text' && / at 0x/.test(shape.text) ? [shape] : [],
  );
  expect(texts.map(({ text }) => text)).toEqual(['16\u00a0B at 0x2020', '32\u00a0B at 0x3000']);
  for (const text of texts) {
    expect(text.x).toBeGreaterThan(x);
    expect(text.x).toBeLessThan(x + width);
    expect(text.y).toBeLessThan(y + height);
  }
});

test('the contents of parts are in the text alternative, too', () => {
  const now = moment({
    'cache0 lines': lines(['shared', 'private_dirty', 'shared']),
    'adapter line': [{ state: member('adapter', 'line', 'held'), addr: 0x100020 }],
    'adapter now': [{ waiting: 1 }],
    'adapter requests': [{ slot: 0, addr: 0x2020 }],
  });
  const sentence = (name: string) => {
    const part = layout.parts[indexOf(name)];
    return part ? partSentence(layout, part, now) : '';
  };
  expect(sentence('cache0')).toContain('2 shared; 1 private dirty');
  expect(sentence('adapter')).toContain('one-line cache held privately, merged 0x100020');
  expect(sentence('adapter')).toContain('requests of Disk at 0x2020');
});
