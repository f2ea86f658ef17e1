import { describe, expect, test } from 'vitest';
import { runToCompletion } from '../../base/tasks';
import { createLocalEngine } from '../../engine/inprocess';
import { ENGINE_PARTS, programTable } from '../scenario/catalogue';
import { compile } from '../scenario/compile';
import { MAX_FILE_BYTES } from '../scenario/json-text';
import { loadScenario } from '../scenario/load';
import type { RowFile } from '../scenario/program-loops';
import type { Scenario, Wire } from '../scenario/scenario-types';
import { machineTexts, readScenario } from '../scenario/scenarios';
import { toInteger } from '../scenario/values';
import {
  addPart,
  addWire,
  emptyFile,
  fieldsOf,
  fieldValue,
  fileOf,
  fileText,
  newRow,
  readBuilt,
  removePart,
  removeWire,
  type Socket,
  setPartParam,
  threadsOf,
  withThread,
} from './build-file';
import type { BuildFile } from './build-types';
import {
  answersAt,
  choicesFor,
  draftOf,
  missing,
  peerOf,
  plainWires,
  socketText,
  strangers,
  takersOf,
} from './draft';
import { offerSteps, offersFor, offerText, partnerSteps, serviceSteps } from './offers';

const machines = await machineTexts();

async function shipped(id: string): Promise<Scenario> {
  const read = await readScenario(id);
  if (!read.ok) throw new Error(read.problems[0]?.message);
  return read.value;
}

const load = (file: BuildFile) => loadScenario(fileText(file), { file: 'test', machines });

const problemsOf = (file: BuildFile): string[] => {
  const result = load(file);
  return result.ok ? [] : result.problems.map(({ message }) => message);
};

const typeOf = (name: string) => {
  const type = ENGINE_PARTS.types.get(name);
  if (!type) throw new Error(`There is no ${name}.`);
  return type;
};

/** Adds a part with the wires that have only one possibility. */
function withPart(file: BuildFile, typeName: string): BuildFile {
  const { file: added, name } = addPart(file, typeOf(typeName));
  let now = added;
  for (let wires = plainWires(draftOf(now), name); wires.length > 0; ) {
    for (const pair of wires) {
      const [from = '', to = ''] = pair.map((socket) => socketText(draftOf(now), socket));
      now = addWire(now, from, to);
    }
    wires = plainWires(draftOf(now), name);
  }
  return now;
}

/** The order of wires in a file does not matter to the engine. */
function sorted(scenario: Scenario): Scenario {
  const place = ({ ends }: Wire) =>
    JSON.stringify(ends.map(({ part, slot }) => [part, slot]).sort());
  const turned = ({ ends, where }: Wire): Wire => {
    const [a, b] = ends;
    return a.part < b.part ? { ends, where } : { ends: [b, a], where };
  };
  const wires = scenario.machine.wires.map(turned).sort((a, b) => place(a).localeCompare(place(b)));
  return { ...scenario, machine: { ...scenario.machine, wires } };
}

const card = ['processor', 'bridge', 'memory', 'pci', 'gt'].reduce(withPart, emptyFile());

describe('a scenario in the builder', () => {
  // One for each machine, and those with unusual programs or tables.
  test.each([
    ...['start/translation', 'start/poke', 'gt/gfixit', 'gt/peer-to-peer', 'hp/five-ways-wrong'],
    ...['hp/lan-buffers', 'zx1/pcix', 'zx1/late-read', 'soc/inversion', 'pools/cpu-hash'],
    ...['pools/unreachable-pools', 'one/two-cards'],
  ])('%s is still the same machine', async (id) => {
    const scenario = await shipped(id);
    const text = fileText(fileOf(scenario, {}, {}));
    expect(text.length).toBeLessThan(MAX_FILE_BYTES);
    const again = loadScenario(text, { file: id, machines });
    if (!again.ok) throw new Error(again.problems.map(({ message }) => message).join('\n'));
    const [before, after] = [compile(sorted(scenario)), compile(sorted(again.value))];
    if (!before.ok || !after.ok) throw new Error('It does not compile.');
    expect(Buffer.from(after.value.config).equals(Buffer.from(before.value.config))).toBe(true);
    expect(readBuilt(text, id)).toMatchObject({ ok: true, value: { machine: {} } });
  });

  test('includes the edits and the open run', async () => {
    const scenario = await shipped('gt/gfixit');
    const file = fileOf(scenario, { way: 'rewritten' }, { 'bridge.posts': 2 });
    expect(file.machine.parts.bridge?.params?.posts).toBe(2);
    const own = compile(scenario, {
      variables: { way: 'rewritten' },
      edits: { 'bridge.posts': 2 },
    });
    const built = load(file);
    const again = built.ok ? compile(built.value) : built;
    if (!own.ok || !again.ok) throw new Error('It does not compile.');
    expect(again.value.config).toEqual(own.value.config);
  });
});

describe('a machine built from scratch', () => {
  test('reports what is missing, and is wired where only one wire is possible', () => {
    expect(problemsOf(emptyFile())).toEqual(['The machine has no parts.']);
    const lonely = withPart(emptyFile(), 'bridge');
    expect(missing(draftOf(lonely)).map(({ port }) => port)).toEqual(['memory', 'pci']);
    expect(problemsOf(lonely)).toHaveLength(2);
    expect(card.machine.wires).toEqual([
      ['processor.front', 'bridge.cpu0'],
      ['bridge.memory', 'memory.bridge'],
      ['bridge.pci', 'pci.slot0'],
      ['gt.pci', 'pci.slot1'],
    ]);
    expect(problemsOf(card)).toEqual([]);
  });

  test('runs its program', async () => {
    const store = { ...newRow(typeOf('processor'), 'io_store'), to: '0x80000000' };
    const file = withThread(card, 'processor', 0, [store, store, { do: 'end' }]);
    expect(threadsOf(file, 'processor')).toHaveLength(1);
    const loaded = load(file);
    const machine = loaded.ok ? compile(loaded.value) : loaded;
    if (!machine.ok) throw new Error(machine.problems[0]?.message);
    const engine = await createLocalEngine();
    await engine.open({ config: machine.value.config, commands: [] });
    const { events, reason } = await engine.run({ untilPs: machine.value.untilPs });
    expect(reason).toBe('idle');
    expect(events).toBeGreaterThan(5);
  });

  test('a part is removed with its wires, programs and metrics', async () => {
    const scenario = await shipped('start/bus');
    const file = fileOf(scenario, {}, {});
    const without = removePart(file, 'cpu');
    expect(without.machine.wires.flat().join()).not.toContain('cpu');
    expect(without.workload).toEqual({});
    expect(without.metrics).toEqual({});
    expect(problemsOf(without)).toEqual([]);
    expect(problemsOf(removePart(file, 'memory'))[0]).toContain('"bridge.memory" must be wired');
  });

  test('added cards do not overlap, and a driver gets the address of the last', () => {
    const on = (file: BuildFile, name: string) => file.machine.parts[name]?.params;
    const both = withPart(card, 'lan_card');
    expect(problemsOf(both)).toEqual([]);
    expect(on(both, 'lan_card')).toEqual({ registers: '0xf0001000' });
    const three = ['gt', 'gt_driver'].reduce(withPart, both);
    expect(on(three, 'gt2')).toEqual({ base: '0x88000000', registers: '0xf0000100' });
    expect(on(three, 'gt_driver')).toEqual({ registers: '0xf0000100' });
    expect(problemsOf(three).join()).not.toMatch(/same addresses|register window/);
  });

  test('overlapping addresses are reported at the part that was moved', () => {
    const both = withPart(card, 'lan_card');
    const result = load(setPartParam(both, 'lan_card', 'registers', '0xf0000000'));
    expect(result.ok ? [] : result.problems).toMatchObject([
      { pointer: '/machine/parts/lan_card/params/registers' },
    ]);
  });

  test('an invalid value is refused with its position', () => {
    const result = load(setPartParam(card, 'bridge', 'posts', '3 MHz'));
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.problems[0]?.pointer).toBe('/machine/parts/bridge/params/posts');
  });
});

describe('offered wires', () => {
  const freeSockets = (file: BuildFile): Socket[] => {
    const draft = draftOf(file);
    return draft.parts.flatMap(({ name, type }) =>
      type.ports
        .flatMap((port) => {
          const all = Array.from({ length: port.count }, (_, index) => index);
          return all.map((index): Socket => ({ part: name, port: port.name, index }));
        })
        .filter((socket) => !peerOf(draft, socket)),
    );
  };

  test.each(['start/old-data', 'zx1/pcix'])(
    'in %s, with one more part of each type, are those that the loader accepts',
    async (id) => {
      const all = [...ENGINE_PARTS.types.values()].filter(({ layer }) => layer !== 'verify');
      const file = all.reduce(
        (now, type) => addPart(now, type).file,
        fileOf(await shipped(id), {}, {}),
      );
      const draft = draftOf(file);
      const before = new Set(problemsOf(file));
      const isAboutWires = (message: string) =>
        !before.has(message) &&
        /wire joins|wait forever|delegates to|places?, |already ends/.test(message);
      for (const from of freeSockets(file).filter(({ index }) => index === 0))
        for (const { to, why } of choicesFor(draft, from)) {
          const wire = [socketText(draft, from), socketText(draft, to)] as const;
          const reported = problemsOf(addWire(file, ...wire)).filter(isAboutWires);
          if (why === null) expect(reported, wire.join(' to ')).toEqual([]);
        }
    },
  );

  test.each([
    ['first', ['io_services', 'processor', 'snoop_cache', 'runway', 'memory_controller']],
    ['last', ['processor', 'snoop_cache', 'runway', 'memory_controller', 'io_services']],
  ])('a driver that fits one processor is wired to it, added %s', (_, kinds) => {
    const file = kinds.reduce((now, kind) => withPart(now, kind), emptyFile());
    expect(file.machine.wires.map((ends) => ends.toSorted())).toContainEqual([
      'io_services.cpu0',
      'processor.os',
    ]);
  });

  test('a driver that fits two processors is not wired', () => {
    const two = withPart(withPart(emptyFile(), 'processor'), 'processor');
    expect(withPart(two, 'io_services').machine.wires).toEqual([]);
  });

  test('impossible wires have reasons', () => {
    const draft = draftOf(removeWire(card, 'processor.front'));
    const at = (part: string, port: string, index = 0): Socket => ({ part, port, index });
    const [legal] = choicesFor(draft, at('processor', 'front'));
    expect(legal).toEqual({ to: at('bridge', 'cpu'), why: null, also: [] });
    const two = withPart(card, 'bridge');
    const reasons = choicesFor(draftOf(two), at('bridge2', 'memory')).map(({ why }) => why);
    const kinds = '"bridge2.memory" can be wired to a part of type Memory.';
    expect(reasons).toContain(
      `"memory.bridge" has one place, taken: remove a wire there first. ${kinds}`,
    );
    expect(reasons).toContain(
      `Both ends are clients: a wire joins a client and a server. ${kinds}`,
    );
    expect(strangers(draft, at('processor', 'front'), 'gt')).toBe(
      '"processor.front" is a client of front; "gt" is a client of pci, is a client of irq, is a client of link. No wire was added.',
    );
    const bare = removeWire(card, 'gt.pci');
    expect(missing(draftOf(bare))).toEqual([at('gt', 'pci')]);
  });
});

test('a row has the fields of its operation', () => {
  expect(fieldsOf(typeOf('processor'), 'pio_write')).toEqual(['from', 'to', 'bytes', 'width']);
  expect(fieldsOf(typeOf('processor'), 'dma_sync')).toEqual(['from', 'bytes', 'count']);
  expect(fieldsOf(typeOf('processor'), 'end')).toEqual([]);
});

describe('a changed program', () => {
  const typed: RowFile[] = [{ do: 'end' }];
  const programs = { main: [{ do: 'spend', time: '1 us' }] };

  test.each([
    ['a program used only here', { cpu: 'main' }, { cpu: 'main' }, typed],
    ['rows', { cpu: [{ do: 'spend' }] }, { cpu: typed }, programs.main],
    ['threads', { cpu: [[{ do: 'spend' }], 'main'] }, { cpu: [typed, 'main'] }, programs.main],
    [
      'a program shared with another part',
      { cpu: 'main', other: 'main' },
      { cpu: typed, other: 'main' },
      programs.main,
    ],
  ])('is written to its place: %s', (_, workload, changed, main) => {
    const file = { ...emptyFile(), programs, workload } as BuildFile;
    const next = withThread(file, 'cpu', 0, typed);
    expect(next.workload).toEqual(changed);
    expect(next.programs?.main).toEqual(main);
    expect(threadsOf(next, 'cpu')[0]).toEqual(typed);
  });
});

describe('a program with loops', () => {
  const loop = { for: 'i', count: 3, rows: [{ do: 'spend', time: '$i * 1 ns' }] };

  test('keeps its loops in the builder and expands to the same rows', async () => {
    const opened = await readScenario('hp/two-hours');
    if (!opened.ok) throw new Error('does not load');
    const file = fileOf(opened.value, {}, {});
    expect(file.workload?.cpu2).toEqual([
      [expect.objectContaining({ for: 'start', step: '1800 s' })],
    ]);
    const built = loadScenario(fileText(file));
    if (!built.ok) throw new Error(built.problems[0]?.message);
    const tablesOf = (scenario: typeof opened.value) => {
      const machine = compile(scenario);
      if (!machine.ok) throw new Error(machine.problems[0]?.message);
      return machine.value.parts.map(({ tables }) =>
        tables.map((rows) => rows.map(({ values }) => values)),
      );
    };
    expect(tablesOf(built.value)).toEqual(tablesOf(opened.value));
  });

  test('shared by several processors is copied for the one that changes it', () => {
    const workload = { 'cpu*': ['main', [loop]] };
    const file = { ...emptyFile(), programs: { main: [loop] }, workload } as BuildFile;
    expect(threadsOf(file, 'cpu1')).toEqual([[loop], [loop]]);
    const next = withThread(file, 'cpu1', 0, [{ do: 'end' }, loop]);
    expect(next.programs).toEqual(file.programs);
    expect(next.workload).toEqual({ ...workload, cpu1: [[{ do: 'end' }, loop], [loop]] });
    expect(threadsOf(next, 'cpu0')).toEqual(threadsOf(file, 'cpu0'));
  });

  test('assigned to a pattern is removed with the last matching part, as are metrics with a pattern', () => {
    const parts = { cpu0: { type: 'processor' }, cpu1: { type: 'processor' } };
    const metrics = { busy: { title: 'busy', product: [{ sum: ['cpu*.lap_busy'] }] } };
    const file = {
      ...emptyFile(),
      machine: { parts, wires: [] },
      workload: { 'cpu*': [loop] },
      metrics,
    } as BuildFile;
    const one = removePart(file, 'cpu0');
    expect([one.workload, one.metrics]).toEqual([file.workload, metrics]);
    const none = removePart(one, 'cpu1');
    expect([none.workload, none.metrics]).toEqual([{}, {}]);
  });
});

/** A typical input for a value of a type. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  flag: ['true', 'false'],
  count: ['1', '2'],
  bytes: ['64', '64 B', '4 KiB'],
  address: ['4096', '0x1000'],
  time: ['0', '1.5 us'],
  clock: ['33 MHz'],
  rate: ['1 MB/s'],
};

test('every field of every row is parsed as it was typed', () => {
  let fields = 0;
  for (const type of ENGINE_PARTS.types.values()) {
    const table = programTable(type);
    for (const { name, type: kind } of table?.fields ?? [])
      for (const text of TYPED[kind] ?? (type.enums[kind] ?? []).map((member) => member.name)) {
        const found = toInteger(fieldValue(type, name, text), kind, type.enums);
        expect(typeof found, `${type.name}, ${name}: ${text}`).toBe('bigint');
        fields++;
      }
  }
  expect(fields).toBeGreaterThan(50);
});

describe('parts that need others are offered together with them', () => {
  const socket = (part: string, port: string): Socket => ({ part, port, index: 0 });

  /** Takes the first offer for each required socket. */
  function finished(file: BuildFile): BuildFile {
    const [open] = missing(draftOf(file));
    const [offer] = open ? offersFor(file, open) : [];
    return offer ? finished(offer.file) : file;
  }

  const five = ['processor', 'snoop_cache', 'runway', 'memory_controller', 'dma_device'];
  const pciFive = ['processor', 'cache', 'pci', 'memory', 'gt'];

  test.each([
    five,
    five.toReversed(),
    ['runway', 'dma_device', 'processor', 'memory_controller', 'snoop_cache'],
    pciFive,
    pciFive.toReversed(),
    ['processor', 'data_cache', 'memory_bus', 'memory', 'ethernet'],
  ])('%s, %s, %s, %s and %s make a machine', (...kinds) => {
    const made = finished(kinds.reduce(withPart, emptyFile()));
    expect(missing(draftOf(made))).toEqual([]);
    expect(problemsOf(made)).toEqual([]);
  });

  test.each([
    ['processor', 'dma_device'],
    ['dma_device', 'processor'],
    ['processor', 'hsc_pci'],
    ['processor', 'gt', 'gt_driver'],
    ['processor', 'offload_engine'],
    ['offload_engine', 'processor'],
  ])('%s and %s become a machine of different parts', (...kinds) => {
    const made = finished(kinds.reduce(withPart, emptyFile()));
    expect(missing(draftOf(made))).toEqual([]);
    expect(problemsOf(made)).toEqual([]);
    const types = Object.values(made.machine.parts).map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
  });

  test.each([
    ['processor', 'gt_driver'],
    ['gt_driver', 'processor'],
  ])('%s and %s: the processor calls the driver, and no kernel stands between', (...kinds) => {
    const made = finished(kinds.reduce(withPart, emptyFile()));
    const wires = made.machine.wires.map((ends) => ends.toSorted());
    expect(wires).toContainEqual(['gt_driver.cpu', 'processor.os']);
  });

  test.each([
    [five, 'Add I/O services: io_services.cpu0 to processor.os'],
    [five.toReversed(), 'Add I/O services: io_services.cpu0 to processor.os'],
    [
      ['processor', 'bridge', 'memory', 'pci', 'gt'],
      'Add GT driver: gt_driver.cpu to processor.os',
    ],
  ])('%j: the services of its device are offered', (kinds, text) => {
    const made = finished(kinds.reduce(withPart, emptyFile()));
    const offers = runToCompletion(serviceSteps(made));
    expect(offers.map(offerText)).toEqual([text]);
    const [{ file } = { file: made }] = offers;
    expect(problemsOf(file)).toEqual([]);
    expect(runToCompletion(serviceSteps(file))).toEqual([]);
  });

  test('a cache also connects the register accesses and interrupts of its processor', () => {
    const file = ['processor', 'snoop_cache'].reduce(withPart, emptyFile());
    expect(file.machine.wires).toEqual([
      ['snoop_cache.cpu', 'processor.cache'],
      ['snoop_cache.front', 'processor.front'],
      ['snoop_cache.irq', 'processor.irq0'],
    ]);
  });

  test('a cache that needs a bridge is offered with it', () => {
    const parts = ['processor', 'cache', 'memory', 'pci'].reduce(withPart, emptyFile());
    const [offer] = offersFor(parts, socket('processor', 'cache'));
    expect(offer && offerText(offer)).toBe(
      'Add Host bridge: processor.front to bridge.cpu0, bridge.memory to memory.bridge, bridge.pci to pci.slot0, processor.cache to cache.cpu',
    );
    const bridged = withPart(parts, 'bridge');
    const wires = bridged.machine.wires.map((ends) => ends.toSorted().join(' to '));
    expect(wires).toContain('cache.cpu to processor.cache');
    expect(wires).toContain('bridge.cpu0 to processor.front');
    const unwired = ['cache.cpu', 'processor.front'].reduce(removeWire, bridged);
    const [choice] = choicesFor(draftOf(unwired), socket('processor', 'cache'));
    expect(choice).toMatchObject({ why: null, to: socket('cache', 'cpu') });
    expect(choice?.also).toEqual([[socket('processor', 'front'), socket('bridge', 'cpu')]]);
  });

  test('offers are computed in steps, at least one for each type tried', () => {
    for (const type of ENGINE_PARTS.types.values()) {
      const { file, name } = addPart(emptyFile(), type);
      for (const port of type.ports) {
        const place = socket(name, port.name);
        const kinds = takersOf(draftOf(file), place);
        const steps = offerSteps(file, place);
        let taken = 0;
        for (let step = steps.next(); !step.done; step = steps.next()) taken++;
        expect(taken, `${name}.${port.name}`).toBeGreaterThanOrEqual(kinds.length);
      }
    }
  });

  test('the reason against a wire names the alternatives', () => {
    const parts = ['processor', 'snoop_cache', 'memory_bus'].reduce(withPart, emptyFile());
    const refused = draftOf(parts)
      .parts.flatMap(({ name, type }) => type.ports.map((port) => socket(name, port.name)))
      .flatMap((from) => choicesFor(draftOf(parts), from))
      .filter(({ why }) => why !== null);
    expect(refused.length).toBeGreaterThan(0);
    for (const { why } of refused) expect(why).toMatch(/can be wired to .*\.$/);
  });

  test.each([
    ['snoop_cache', ['Runway']],
    ['data_cache', ['Memory bus']],
    ['cache', ['System bus adapter or Host bridge']],
    ['dma_device', ['HSC bus']],
  ])('%s fits %s', (kind, kinds) => {
    expect(runToCompletion(partnerSteps(typeOf(kind)))).toEqual(kinds);
  });

  test('a second device shows its addresses', () => {
    const file = finished([...five, 'dma_device'].reduce(withPart, emptyFile()));
    const at = ['dma_device', 'dma_device2'].flatMap((name) => answersAt(draftOf(file), name));
    expect(at.toSorted()).toEqual([
      'registers: 0xf1000000 to 0xf1000fff',
      'registers: 0xf1001000 to 0xf1001fff',
    ]);
  });
});
