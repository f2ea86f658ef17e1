import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { ENGINE_PARTS } from './catalogue';
import { compile } from './compile';
import { partNamed } from './compiled';
import { loadScenario } from './load';
import { ruleText } from './param-rules';
import type { Edits } from './scenario-types';
import { machineTexts, readScenario } from './scenarios';

async function opened(path: string) {
  const scenario = await readScenario(path);
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  return scenario.value;
}

const machines = await machineTexts();
const crossover = await opened('gt/crossover');
const sharing = await opened('hp/false-sharing');

const problems = (scenario: typeof crossover, edits: Edits) => {
  const result = compile(scenario, { edits });
  return result.ok ? [] : result.problems;
};

describe('a value that the part would have to round is refused', () => {
  test.each<[typeof crossover, Edits, string, string]>([
    [
      crossover,
      { 'cache.size': '4223 B', 'cache.ways': 4 },
      'cache.size',
      '"size" of "cache" is "ways" × "line" times a power of two ("ways" is 4, "line" is 32 B); 4223 B is not: the nearest are 4 KiB and 8 KiB.',
    ],
    [
      crossover,
      { 'cache.ways': 3 },
      'cache.ways',
      '"size" of "cache" is "ways" × "line" times a power of two ("ways" is 3, "line" is 32 B); 1 MiB is not: the nearest are 768 KiB and 1536 KiB.',
    ],
    [
      sharing,
      { 'cache1.line': '48 B' },
      'cache1.line',
      '"line" of "cache1" is a power of two; 48 B is not: the nearest are 32 B and 64 B.',
    ],
    [
      crossover,
      { 'gt.tracked': '16 MiB', 'gt.size': '64 KiB' },
      'gt.tracked',
      '"bytes tracked" of "gt" is a multiple of 4 B and at most "memory" ("memory" is 64 KiB); 16 MiB is not: the nearest is 64 KiB.',
    ],
    [
      crossover,
      { 'memory.tracked': '4095 B' },
      'memory.tracked',
      '"bytes tracked" of "memory" is a multiple of "grain" ("grain" is 4 B); 4095 B is not: the nearest are 4092 B and 4 KiB.',
    ],
    [
      sharing,
      { 'services.page_bits': 5 },
      'services.page_bits',
      '"chain ID from bit" of "services" is at most "k: chain and block bits" + 12 ("k: chain and block bits" is 5); 18 is not: the nearest is 17.',
    ],
  ])('%#', (scenario, edits, path, message) => {
    expect(problems(scenario, edits)).toMatchObject([{ pointer: `/edits/${path}`, message }]);
  });
});

test('a value in a file is refused at its position', async () => {
  const text = JSON.stringify({
    busyard: 1,
    title: 'Odd',
    summary: 'A cache of an odd size.',
    system: 'gt',
    machine: { extends: 'gt-system-a', parts: { cache: { params: { size: '4223 B' } } } },
    workload: { cpu: [{ do: 'spend', time: '1 us' }] },
    until: '1 us',
    view: { kind: 'machine' },
  });
  const scenario = loadScenario(text, { machines: await machineTexts() });
  expect(scenario.ok ? [] : scenario.problems).toMatchObject([
    {
      pointer: '/machine/parts/cache/params/size',
      line: 1,
      message: expect.stringContaining('the nearest are 4 KiB and 8 KiB'),
    },
  ]);
});

test('a cache has its stated capacity, or is refused with sizes that are accepted', async () => {
  const engine = await createLocalEngine();
  const sizes = fc.record({
    size: fc.oneof(fc.integer({ min: 1024, max: 1 << 16 }), fc.constantFrom(1024, 3072, 40960)),
    ways: fc.integer({ min: 1, max: 16 }),
    line: fc.constantFrom(16, 32, 64, 128),
  });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ size, ways, line }) => {
      const edits = {
        'cache.size': size,
        'cache.ways': ways,
        'cache.line': line,
        'cpu.line': line,
      };
      const machine = compile(crossover, { edits });
      if (machine.ok) {
        await engine.open({ config: machine.value.config, commands: [] });
        const part = partNamed(machine.value, 'cache')?.index ?? -1;
        const { views } = await engine.frame({ views: [{ part, view: 0 }] });
        expect((views[0]?.rows ?? 0) * line).toBe(size);
        return;
      }
      const near = machine.problems[0]?.message.split('the nearest')[1]?.match(/\d+ (B|[KM]iB)/g);
      for (const legal of near ?? [])
        expect(problems(crossover, { ...edits, 'cache.size': legal })).toEqual([]);
    }),
    { seed: 13, numRuns: 150 },
  );
  engine.dispose();
});

describe('wired parts must have the same line size', () => {
  test.each<[string, typeof crossover, Edits, string, string]>([
    [
      'a cache and its bus, whose lines are fixed',
      sharing,
      { 'cache1.line': '64 B', 'cpu1.line': '64 B' },
      'cache1.line',
      '"cache1" and "runway" are wired together and must agree on the bytes of a line, which are 64 B by "line" of "cache1" and 32 B on "runway": "line" of "cache1" must be 32 B.',
    ],
    [
      'a processor and its cache, either of which can change',
      crossover,
      { 'cpu.line': '64 B' },
      'cpu.line',
      '"cpu" and "cache" are wired together and must agree on the bytes of a line, which are 64 B by "cache line" of "cpu" and 32 B by "line" of "cache": "cache line" of "cpu" must be 32 B, or "line" of "cache" 64 B.',
    ],
  ])('%s', (_, scenario, edits, path, message) => {
    expect(problems(scenario, edits)).toEqual([
      expect.objectContaining({ pointer: `/edits/${path}`, message }),
    ]);
  });

  test('equal changes of both are accepted', () => {
    expect(problems(crossover, { 'cpu.line': '64 B', 'cache.line': '64 B' })).toEqual([]);
  });
});

test('all defaults satisfy their rules, and every rule has a text', () => {
  for (const type of ENGINE_PARTS.types.values())
    for (const spec of type.params) expect(ruleText(spec, type) === null).toBe(!spec.rule);
});

describe('an operation needs its addresses', () => {
  /** Address fields whose default value has a meaning or is not used. */
  const optional = new Set([
    'processor.start_dma.to', // only where the service commands channels itself
    'processor.start_dma.from', // stands in for the mapping `tag`
    'processor.map.to', // the last address the device can reach; 0 for all of them
    'processor.remap.to', // bytes from the beginning of a mapping
    'processor.put.from', // a message may have no bytes
    'processor.set_attributes.from', // where the search for ranges begins; 0 for the first
  ]);
  const named = [...ENGINE_PARTS.types.values()].flatMap((type) =>
    type.tables.flatMap(({ fields, rules }) => {
      const kind = fields.find(({ name }) => name === 'do')?.type ?? '';
      return (type.enums[kind] ?? []).flatMap(({ name: op, doc }) =>
        fields
          .filter(({ name, type: of }) => of === 'address' && doc.includes(`\`${name}\``))
          .map(({ name: field }) => ({
            key: `${type.name}.${op}.${field}`,
            isGiven: rules.some(
              (rule) => rule.given && rule.field === field && rule.ops.includes(op),
            ),
          })),
      );
    }),
  );

  test('every address of an operation', () => {
    expect(named.length).toBeGreaterThan(25);
    const left = named.filter(({ key, isGiven }) => !isGiven && !optional.has(key));
    expect(left).toEqual([]);
  });

  test('a driver call without addresses is refused at its row', () => {
    const text = {
      ...{
        busyard: 1,
        title: 'A',
        summary: 'A.',
        system: 'start',
        machine: { extends: 'one-disk' },
      },
      ...{
        workload: { cpu: [{ do: 'dma_out', bytes: 128 }] },
        until: '1 us',
        view: { kind: 'machine' },
      },
    };
    const loaded = loadScenario(JSON.stringify(text), { file: 'a.json', machines });
    const made = loaded.ok ? compile(loaded.value) : loaded;
    expect(made.ok ? [] : made.problems.map(({ pointer, message }) => [pointer, message])).toEqual([
      ['/workload/cpu/0', '"dma_out" needs "from". Source address.'],
    ]);
  });
});
