/**
 * Bad input of every kind, made from good input: typing errors, omissions of other programs, and attacks. Seeded, so
 * that a failure can be repeated.
 */
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';

/** A command line and the files that it names, by their names: `{name}` in an argument is a file's path. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const lines = (text: string): string[] => text.trimEnd().split('\n');

const deep = (levels: number): Json => (levels === 0 ? 0 : [deep(levels - 1)]);

/** Values that are invalid, or barely valid. */
const JUNK: readonly Json[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 3, 64, 1e15, 1e308, -1e-300, 2 ** 53, 2 ** 64],
  ...['', ' ', '$', '$nothing', '$size', '0x', '0xffffffffffffffffff', '1e9', '-3 ns', '5 parsecs'],
  ...['0 ps', '3 ps', '1 GiB', '16 EiB', '99999999999 s', 'constructor', '__proto__', 'toString'],
  ...['x'.repeat(300), 'é\u0000\u001b[2J', 'cpu.front', 'gt-system-a', 'nowhere', 'dma_write'],
  ...[
    [],
    {},
    [[]],
    [null],
    { a: 1 },
    deep(5),
    deep(40),
    ['cpu.front', 'cpu.front'],
    ['a', 'b', 'c'],
  ],
];

const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every place in a document, from its root on. */
function placesIn(value: Json, path: readonly (string | number)[] = []): (string | number)[][] {
  const inside = Array.isArray(value)
    ? value.flatMap((one, i) => placesIn(one, [...path, i]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, one]) => placesIn(one, [...path, key]))
      : [];
  return [[...path], ...inside];
}

interface Change {
  readonly kind: 'replace' | 'remove' | 'rename' | 'add' | 'repeat' | 'swap';
  readonly place: number;
  readonly value: Json;
  readonly name: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'remove', 'rename', 'add', 'repeat', 'swap'),
  place: fc.nat(),
  value: fc.constantFrom(...JUNK),
  name: fc.constantFrom(
    'colour',
    'busyard',
    '__proto__',
    'constructor',
    'size',
    ' ',
    'x'.repeat(300),
  ),
});

/** A document with one place changed. */
function changed(document: Json, { kind, place, value, name }: Change): Json {
  const copy = structuredClone(document) as Json;
  const all = placesIn(copy);
  const path = all[place % all.length] ?? [];
  const key = path.at(-1);
  if (key === undefined) return kind === 'remove' ? null : value;
  const at = (steps: readonly (string | number)[]) =>
    steps.reduce((inside: Json, step) => (inside as Record<string, Json>)[step] as Json, copy);
  const parent = at(path.slice(0, -1)) as Record<string, Json> | Json[];
  const old = (parent as Record<string, Json>)[key] as Json;
  const put = (name_: string | number, what: Json) =>
    Object.defineProperty(parent, name_, {
      value: what,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  if (kind === 'replace') put(key, value);
  else if (kind === 'repeat') put(key, Array.isArray(old) ? [...old, ...old, ...old] : [old, old]);
  else if (kind === 'swap') put(key, structuredClone(at(all[(place * 7 + 1) % all.length] ?? [])));
  else if (kind === 'add' && isObject(old))
    Object.defineProperty(old, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else {
    delete (parent as Record<string, Json>)[key];
    if (kind === 'rename') put(name, old);
  }
  return copy;
}

const documents = (bases: readonly Json[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...bases),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
    )
    .map(([base, changes, pretty]) =>
      JSON.stringify(changes.reduce(changed, base), null, pretty ? 1 : 0),
    );

/** A text that was cut, doubled, or had something typed into it. */
const texts = (bases: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...bases),
      fc.array(
        fc.tuple(
          fc.constantFrom('cut', 'insert', 'drop', 'repeat'),
          fc.nat(),
          fc.oneof(
            fc.string({ unit: 'binary', maxLength: 5 }),
            fc.constantFrom(
              '"',
              '{',
              '}',
              '[',
              ',',
              ':',
              '\n',
              '//',
              '/*',
              '\\',
              '\uFEFF',
              '[['.repeat(40),
            ),
          ),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(([base, edits]) =>
      edits.reduce((text, [kind, place, piece]) => {
        const at = text.length > 0 ? place % text.length : 0;
        if (kind === 'cut') return text.slice(0, at);
        if (kind === 'drop') return text.slice(0, at) + text.slice(at + 3);
        if (kind === 'repeat') return text.slice(0, at) + text.slice(Math.max(0, at - 40));
        return text.slice(0, at) + piece + text.slice(at);
      }, base),
    );

const SHIPPED = [
  'gt/gfixit',
  'gt/under-load',
  'hp/prefetch',
  'hp/half-line-writes',
  'pools/last-two',
];
const parsed = (path: string) =>
  parseJsonc(read(`scenarios/${path}.json`)) as { readonly [key: string]: Json };

/** A scenario with an inline machine, so that parts and wires change too. */
function withOwnMachine(): Json {
  const { parts, wires } = parsed('machines/gt-system-a') as Record<string, Json>;
  return { ...parsed('gt/one-word'), machine: { parts, wires } as Json };
}

const BASES: readonly Json[] = [...SHIPPED.map(parsed), withOwnMachine(), withOwnMachine()];

const scenarioTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: documents(BASES) },
  { weight: 1, arbitrary: texts(BASES.map((base) => JSON.stringify(base, null, 1))) },
);

const SESSION: Json = {
  busyard_session: 1,
  scenario: { id: 'gt/gfixit' },
  edits: { 'cpu.store_time': '20 ns', 'cache.ways': 4 },
  commands: [
    { at: 40, param: 'cpu.store_time', value: '30 ns' },
    { at: 90, param: 'memory.latency', value: '200 ns' },
  ],
  seed: 7,
  variables: { way: 'rewritten' },
  cursor: { events: 12 },
  view: { speed: 3 },
  measured: { name: 'mine.txt', text: 'SIZE pio_read\n4 5.79\n' },
  layout: '00000000',
  hash: null,
};
const SESSIONS: readonly Json[] = [
  SESSION,
  {
    ...(SESSION as { readonly [key: string]: Json }),
    scenario: { text: JSON.stringify(withOwnMachine()), name: 'own.json' },
    edits: {},
    commands: [{ at: 3, param: 'cpu.load_time', value: '1 us' }],
    variables: {},
  },
];

const sessionTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: documents(SESSIONS) },
  { weight: 1, arbitrary: texts(SESSIONS.map((base) => JSON.stringify(base))) },
);

const packed = (text: string): string => deflateRawSync(text).toString('base64url');

/** Codes of share links: of sessions that do not fit, and with letters lost or changed. */
export const linkCodes: fc.Arbitrary<string> = fc.oneof(
  sessionTexts.map(packed),
  texts([packed(JSON.stringify(SESSION))]),
  fc.base64String({ maxLength: 200 }),
);

const INIT = '{"t":"init","name":"x","num_entries":256,"table_shift":13,"npools":4,"lazy_flush":1}';
const MAPS = lines(read('tests/data/maps/t03_np4_spill.jsonl')).slice(0, 60);
const NUMBERS = [
  '-1',
  '0',
  '17',
  '256',
  '1e3',
  '1.5',
  '4294967296',
  '1e15',
  '1e30',
  '18446744073709551615',
  '99999999999999999999',
  '"2"',
  'null',
  '[]',
  `${'['.repeat(200)}1${']'.repeat(200)}`,
];

/** Lines of a text, some of them changed in a number, taken away, doubled, or replaced by others. */
const changedLines = (
  base: readonly string[],
  numbers: readonly string[],
  others: readonly string[],
) =>
  fc
    .array(
      fc.tuple(
        fc.constantFrom('number', 'number', 'remove', 'repeat', 'replace', 'cut'),
        fc.nat(),
        fc.nat(),
        fc.constantFrom(...numbers),
        fc.constantFrom(...others),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((changes) => {
      const text = [...base];
      for (const [kind, place, which, number, other] of changes) {
        const at = place % text.length;
        const line = text[at] ?? '';
        const found = [...line.matchAll(/(?:0x[0-9a-f]+|\d+)/g)];
        const digits = found[which % Math.max(1, found.length)];
        if (kind === 'number' && digits)
          text[at] =
            line.slice(0, digits.index) + number + line.slice(digits.index + digits[0].length);
        if (kind === 'remove') text.splice(at, 1);
        if (kind === 'repeat') text.splice(at, 0, line);
        if (kind === 'replace') text[at] = other;
        if (kind === 'cut') text[at] = line.slice(0, which % (line.length + 1));
        if (text.length === 0) text.push('');
      }
      return `${text.join('\n')}\n`;
    });

const mapTraces = changedLines(MAPS, NUMBERS, [
  INIT,
  '{"t":"constructor","c":0,"n":1}',
  '{"t":"__proto__"}',
  '{"t":{"a":[[[]]]}}',
  '{"t":"s","pop":[[[[1]]]],"hints":{"a":1}}',
  '{"t":"a","c":0,"n":1,"r":0,"p":0,"l":1,"f":0,"o":99}',
  '{"t":"f","e":99999,"n":1}',
  '{"t":"fa","d":0,"n":1e18}',
  '["t"]',
  '',
  '\u0000\u0001',
]);

const FTRACE = lines(read('tests/data/maps/nic.ftrace'));
const ftraces = changedLines(
  FTRACE,
  ['0x0', '0xffffffffffffffff', '0xfffffffffffff', '99999999999999999999', '0', '1', '0xfff', 'x'],
  [
    ' x-1 [000] d..1. 1.0: map: IOMMU: iova=0x1000 paddr=0x0 size=0xffffffffffffffff',
    ' x-1 [99999] d..1. 1.0: unmap: IOMMU: iova=0xfffffffffffff000 size=8192 unmapped_size=8192',
    `map: IOMMU: iova=0x${'f'.repeat(400)} size=4096`,
    'map: IOMMU: iova=0x1 '.repeat(300),
    'x'.repeat(9000),
    '# nothing',
  ],
);

const DIN = ['0 1000', '1 1004', '2 400', '0 9000 0', '0 ffffffff'];
const LACKEY = [
  '==7== lackey',
  'I  04000d00,3',
  ' L 1ffeffe7e,8',
  ' S 1ffeffe80,4',
  ' M 0421c7cc,4',
];
const references = fc.oneof(
  changedLines(
    DIN,
    ['9', '1000000000000000000', '-4', 'g', '4097', ''],
    ['3 10', '0', '0 10 8', '0 10 x', 'x'.repeat(9000), '\u0000'],
  ),
  changedLines(
    LACKEY,
    ['zz', '99999999999999999999', '0', '5000', ','],
    ['Q 10,4', ' L 10', ' L 10,0', ' L 10,4 9 9', 'I', ''],
  ),
);

const GTTP = [
  '_g  SIZE  _w_...S.  _w_P..S.  _r_...S.',
  '_g   4    0.52    27.72    0.55',
  '_g   8    1.04    50.1    1.1',
  '_g  16    2.0     80    2.2',
];
export const gttpTables: fc.Arbitrary<string> = changedLines(
  GTTP,
  ['-1', '0', 'fast', '1e99', '99999999999999', '.', '4.4.4'],
  ['SIZE', 'SIZE a b', '==SUMMARY==', '_g', '_g 4', 'size,'.repeat(500), ''],
);

/** Arguments that a user may write after an option. */
const VALUES = [
  '',
  '=',
  'x',
  'a=b',
  '0',
  '-1',
  '1e400',
  'NaN',
  '3',
  '99999999999999999999',
  '--',
  'cpu.store_time',
  'cpu.store_time=',
  'cpu.store_time=1e99 s',
  'cpu.store_time=5 constructor',
  'cpu.line=48 B',
  'cache.size=4223 B',
  '__proto__=1',
  'constructor',
  'cpu.constructor=1',
  'way=rewritten',
  'way=nothing',
  'size=-4',
  'cache.ways=3',
  'cache.sice=1',
  'x'.repeat(5000),
  'é\u001b[2J',
  '1 fortnight',
  '-1 ns',
  '10 us',
  '9999999 s',
];
const OPTIONS = [
  '--set',
  '--var',
  '--until',
  '--json',
  '--csv',
  '--junit',
  '--format',
  '--policy',
  '--pools',
  '--entries',
  '--page',
  '--cpus',
  '--threads',
  '--pages',
  '--way',
  '--sett',
  '--',
  '-x',
  '--no-json',
];
const COMMANDS = [
  'run',
  'check',
  'sweep',
  'trace',
  'replay-maps',
  'replay-refs',
  'schema',
  'reference',
  'rnu',
  '',
  'constructor',
];
const FILES = [
  'gt/gfixit',
  'gt/gfixt',
  '{scenario}',
  '{maps}',
  '{refs}',
  '{text}',
  'nowhere.json',
  '',
  '-',
  '../../etc/passwd',
  '\u0000',
  'x'.repeat(5000),
];

/** Files for command lines with wrong options. */
const GOOD = {
  scenario: JSON.stringify(parsed('gt/gfixit')),
  maps: `${MAPS.join('\n')}\n`,
  refs: `${DIN.join('\n')}\n`,
  text: 'Dear reader,\nthis is a letter.\n',
};

const option = fc
  .tuple(
    fc.constantFrom(...OPTIONS),
    fc.constantFrom(...VALUES),
    fc.constantFrom('none', 'joined', 'apart', 'apart'),
  )
  .map(([name, value, how]) =>
    how === 'none' ? [name] : how === 'joined' ? [`${name}=${value}`] : [name, value],
  );

export const commandLines: fc.Arbitrary<CommandLine> = fc
  .tuple(
    fc.constantFrom(...COMMANDS),
    fc.array(fc.constantFrom(...FILES), { minLength: 1, maxLength: 2 }),
    fc.array(option, { minLength: 1, maxLength: 3 }),
  )
  .map(([command, files, options]) => ({
    args: [command, ...files, ...options.flat()],
    files: GOOD,
  }));

/** A file, and a command that reads it. */
const withFile = (
  contents: fc.Arbitrary<string>,
  ...commands: readonly (readonly string[])[]
): fc.Arbitrary<CommandLine> =>
  fc
    .tuple(contents, fc.constantFrom(...commands))
    .map(([input, args]) => ({ args, files: { input } }));

/** Command lines with a wrong file; valid runs end early. */
export const FILES_OF: Readonly<Record<string, fc.Arbitrary<CommandLine>>> = {
  scenarios: withFile(
    scenarioTexts,
    ['run', '{input}', '--until', '1 us'],
    ['trace', '{input}', '--until=200 ns'],
  ),
  sessions: withFile(sessionTexts, ['run', '{input}', '--until', '1 us']),
  'traces of mappings': withFile(
    mapTraces,
    ['replay-maps', '{input}'],
    ['replay-maps', '{input}', '--policy=all'],
  ),
  ftrace: withFile(ftraces, ['replay-maps', '{input}', '--policy', 'pools,mended']),
  references: withFile(
    references,
    ['replay-refs', '{input}'],
    ['replay-refs', '{input}', '--cpus', '2'],
  ),
  'tables of gttp': withFile(gttpTables, ['run', '{input}']),
};
