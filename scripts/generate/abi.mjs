/**
 * wasm/abi.json -> C and TypeScript: the numbers and struct layouts shared by the engine and its hosts.
 * Offsets are in words of 32 bits; a number of 64 bits is two of them, low word first.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../lib.mjs';

const upper = (text) => text.toUpperCase();
const camel = (text) => text.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

function fail(where, sentence) {
  throw new UserError(`wasm/abi.json: ${where}: ${sentence}`);
}

const BYTES = { u8: 1, u16: 2, u32: 4, u64: 8, halves: 8 };

/** The length of a field: a number, or a product of constants and numbers. */
const countOf = (count, constants) =>
  String(count ?? 1)
    .split(' * ')
    .reduce((product, term) => product * (constants[term] ?? Number(term)), 1);

/** A struct with the byte offset of each field. */
function placed({ fields, ...struct }, before, constants) {
  let at = 0;
  const places = fields.map(({ type = 'u32', ...field }) => {
    const inner = before.find(({ name }) => name === type);
    const one = inner?.bytes ?? BYTES[type];
    if (!one) fail(struct.name, `the field ${field.name} has the type "${type}", which is none.`);
    if (at % (inner ? 4 : type === 'halves' ? 4 : one))
      fail(struct.name, `the field ${field.name} begins at byte ${at}, where C would put a gap.`);
    const place = { ...field, type, inner, at, one };
    at += one * countOf(field.count, constants);
    return place;
  });
  return { ...struct, fields: places, bytes: at };
}

/** Reads and checks the declarations. */
export function readAbi(root) {
  const { constants, enums, structs } = JSON.parse(
    readFileSync(join(root, 'wasm/abi.json'), 'utf8'),
  );
  const all = [];
  for (const struct of structs) all.push(placed(struct, all, constants));
  return { constants, enums, structs: all };
}

const comment = (doc) =>
  doc ? [`/* ${doc[0].toUpperCase()}${doc.slice(1).replace(/\.$/, '')}. */`] : [];

const cEnum = ({ name, prefix, doc, bits, members }) => [
  ...comment(doc),
  `enum ${name} {`,
  ...members.map(
    (member, i) =>
      `  ${prefix}${member.c ?? upper(member.name)} = ${bits ? `1 << ${i}` : i},${member.doc ? ` /* ${member.doc} */` : ''}`,
  ),
  '};',
  '',
];

function cField({ name, type, inner, count, doc }) {
  const size = count ? `[${count}]` : '';
  const one = inner ? `struct ${type}` : `uint${8 * (BYTES[type] ?? 0)}_t`;
  const comment = doc ? ` /* ${doc} */` : '';
  if (type === 'halves') return `  uint32_t ${name}_lo, ${name}_hi;${comment}`;
  return `  ${one} ${name}${size};${comment}`;
}

const cStruct = ({ name, doc, fields, bytes }) => [
  ...comment(doc),
  `struct ${name} {`,
  ...fields.map(cField),
  '};',
  ...fields.map(
    (field) =>
      `_Static_assert(offsetof(struct ${name}, ${field.name}${field.type === 'halves' ? '_lo' : ''}) == ${field.at}, "layout");`,
  ),
  `_Static_assert(sizeof(struct ${name}) == ${bytes}, "no padding");`,
  '',
];

export const abiHeader = ({ constants, enums, structs }) =>
  [
    '/* Made from wasm/abi.json by scripts/generate.mjs. */',
    '#ifndef SIM_GEN_ABI_H',
    '#define SIM_GEN_ABI_H',
    '',
    '#include <stddef.h>',
    '#include <stdint.h>',
    '',
    ...Object.entries(constants).map(([name, value]) => `#define ${name} ${value}u`),
    '',
    ...enums.flatMap(cEnum),
    ...structs.flatMap(cStruct),
    '#endif',
    '',
  ].join('\n');

const quoted = (text) => JSON.stringify(text);

/** Members in numeric order, or numbers by name; with the invariant, if the enum has one. */
const tsEnum = ({ name, doc, as, members }) => [
  ...(doc ? [`/** ${doc} */`] : []),
  ...(as === 'numbers' ? tsNumbers(name, members) : tsNames(name, members)),
  '',
];

const tsNumbers = (name, members) => [
  `export const ${upper(name)} = {`,
  ...members.map((member, i) => `  ${camel(member.name)}: ${i},`),
  '} as const;',
];

const tsNames = (name, members) => [
  `export const ${upper(name)} = [`,
  ...members.map((member) =>
    member.holds
      ? `  { name: ${quoted(member.name)}, holds: ${quoted(member.holds)} },`
      : `  ${quoted(member.name)},`,
  ),
  '] as const;',
];

/** A whole word by its offset; a part of one by its offset, shift and mask. */
function tsField({ name, at, one, inner }) {
  const word = Math.floor(at / 4);
  if (inner || one >= 4) return `  ${camel(name)}: ${word},`;
  return `  ${camel(name)}: { word: ${word}, shift: ${8 * (at % 4)}, mask: ${2 ** (8 * one) - 1} },`;
}

const tsStruct = ({ name, doc, fields, bytes }) => [
  `/** Words of struct ${name}.${doc ? ` ${doc}` : ''} */`,
  `export const ${upper(name)} = {`,
  `  size: ${bytes / 4},`,
  ...fields.map(tsField),
  '} as const;',
  '',
];

export const abiTs = ({ constants, enums, structs }) =>
  [
    '/* Made from wasm/abi.json by scripts/generate.mjs. */',
    '',
    ...Object.entries(constants).map(([name, value]) => `export const ${name} = ${value};`),
    '',
    ...enums.flatMap(tsEnum),
    ...structs.flatMap(tsStruct),
  ].join('\n');
