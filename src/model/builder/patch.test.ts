/** Editing the value of a text keeps its comments. */
import fc from 'fast-check';
import { type ParseError, parse, stripComments } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { patched } from './patch';

const strictly = (text: string): unknown => {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: false });
  expect(errors, text).toEqual([]);
  return value;
};

const TEXT = `// a machine
{
  "machine": { // parts and wires
    "parts": {
      "cpu": { "type": "processor" }, // the only one
      // it is small
      "memory": { "type": "memory", "params": { "bytes": "1 MiB" } } /* for now */
    },
    "wires": [
      ["cpu.front", "bridge.cpu"], // to the bridge
      ["bridge.memory", "memory.bridge"] // and on
    ]
  },
  "until": "1 us" // long enough
}
`;

test('an added row is below the comment of the previous row, and the rest stays', () => {
  const value = strictly(TEXT) as { machine: { parts: object; wires: string[][] } };
  value.machine.wires.push(['bridge.pci', 'pci.slot0']);
  value.machine.parts = { ...value.machine.parts, pci: { type: 'pci' } };
  expect(patched(TEXT, value)).toBe(
    TEXT.replace(
      '["bridge.memory", "memory.bridge"] // and on',
      '["bridge.memory", "memory.bridge"], // and on\n      [ "bridge.pci", "pci.slot0" ]',
    ).replace('} } /* for now */', '} }, /* for now */\n      "pci": { "type": "pci" }'),
  );
});

const comment = fc.constantFrom('', ' ', '\n', '/*#*/', ' // #\n', '\n // #\n', '/* a\n # */');
const leaf = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.boolean(),
  fc.constantFrom('a', 'b', '"/*'),
);
const name = fc.constantFrom('a', 'b', 'c', 'd');
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** A value as text with numbered comments at every possible position. */
function commented(value: unknown, next: () => string): string {
  const rows = Array.isArray(value)
    ? value.map((item) => commented(item, next))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).map(
          ([key, item]) => `${JSON.stringify(key)}${next()}:${next()}${commented(item, next)}`,
        )
      : null;
  if (!rows) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}${rows.map((row) => `${next()}${row}${next()}`).join(',')}${next()}${close}`;
}

const numbersIn = (text: string): string[] => text.match(/#\d+#/g) ?? [];

/** Comments as they come, each with a number. */
function numbered(stream: IterableIterator<string>): () => string {
  let number = 0;
  return () => (stream.next().value as string).replace('#', () => `#${number++}#`);
}

test('any text can be edited to any other value', () => {
  fc.assert(
    fc.property(values, values, fc.infiniteStream(comment), (before, after, stream) => {
      const next = numbered(stream);
      const result = patched(`${next()}${commented(before, next)}${next()}`, after);
      expect(strictly(result)).toEqual(after);
      expect(strictly(stripComments(result))).toEqual(after);
    }),
    { numRuns: 3000 },
  );
});

const members = fc.dictionary(name, values, { minKeys: 2, noNullPrototype: true });
const items = fc.array(values, { minLength: 2, maxLength: 5 });

test('a text that already has the value does not change, and adding a row keeps all comments', () => {
  fc.assert(
    fc.property(members, items, values, fc.infiniteStream(comment), (all, list, more, stream) => {
      const next = numbered(stream);
      for (const [before, after] of [
        [all, { ...all, z: more }],
        [list, [...list, more]],
        [list, [more, ...list]],
      ] as const) {
        const text = `${next()}${commented(before, next)}${next()}`;
        expect(patched(text, before)).toBe(text);
        const result = patched(text, after);
        expect(strictly(result)).toEqual(after);
        expect(numbersIn(result).sort()).toEqual(numbersIn(text).sort());
      }
    }),
    { numRuns: 2000 },
  );
});

test('removing a row keeps the comments of its neighbours', () => {
  fc.assert(
    fc.property(members, fc.nat(3), fc.infiniteStream(comment), (before, at, stream) => {
      const next = numbered(stream);
      const entries = Object.entries(before);
      const removed = entries[at % entries.length]?.[0] ?? '';
      const rows = entries.map(([key, item]) => {
        const row = `${JSON.stringify(key)}: ${commented(item, next)}`;
        return { key, row, text: `${next()}${row}${next()}` };
      });
      const text = `{${next()}\n${rows.map((row) => row.text).join(',')}${next()}}`;
      const { [removed]: _, ...after } = before;
      const result = patched(text, after);
      expect(strictly(result)).toEqual(after);
      const inIt = numbersIn(rows.find(({ key }) => key === removed)?.row ?? '');
      expect(numbersIn(result)).toEqual(numbersIn(text).filter((one) => !inIt.includes(one)));
    }),
    { numRuns: 2000 },
  );
});
