/**
 * Register maps -> C and TypeScript. A device's registers, their values, and the format of translation
 * table entries are declared once in wasm/registers, for the device, its driver and the page.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../lib.mjs';

const upper = (text) => text.toUpperCase();

function fail(where, sentence) {
  throw new UserError(`${where}: ${sentence}`);
}

/** Bits of an entry, counted from the left of a 32-bit word, as shift and width in the 64-bit entry. */
const pieceOf = ([word, from, to]) => ({
  shift: (word === 0 ? 32 : 0) + 31 - to,
  width: to - from + 1,
});

function checkEntry({ fields }, where) {
  const taken = new Set();
  for (const { name, bits } of fields)
    for (const [word, from, to] of bits) {
      if (![0, 1].includes(word) || from > to || to > 31) fail(where, `${name} lies nowhere.`);
      for (let bit = from; bit <= to; bit++) {
        if (taken.has(32 * word + bit)) fail(where, `${name} lies where another field is.`);
        taken.add(32 * word + bit);
      }
    }
}

export function readRegisters(root) {
  const folder = join(root, 'wasm/registers');
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const where = `wasm/registers/${file}`;
      const raw = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      if (`${raw.registers}.json` !== file) fail(where, `the map calls itself "${raw.registers}".`);
      if (raw.entry) checkEntry(raw.entry, where);
      return raw;
    });
}

/** A field of an entry: functions to read it and to compose it. A single bit has its own name. */
function cField(entry, { name, bits }) {
  const pieces = bits.map(pieceOf);
  const call = `${entry}_${name}`;
  const [first] = pieces;
  if (pieces.length === 1 && first.width === 1)
    return [`#define ${upper(call)} 0x${(1n << BigInt(first.shift)).toString(16)}u`];
  let below = pieces.reduce((sum, { width }) => sum + width, 0);
  const parts = pieces.map((piece) => {
    below -= piece.width;
    return { ...piece, below, mask: `0x${((1n << BigInt(piece.width)) - 1n).toString(16)}ull` };
  });
  const read = parts.map(({ shift, mask, below: at }) => `(entry >> ${shift} & ${mask}) << ${at}`);
  const made = parts.map(({ shift, mask, below: at }) => `(value >> ${at} & ${mask}) << ${shift}`);
  return [
    `static inline uint64_t ${call}(uint64_t entry) { return ${read.join(' | ')}; }`,
    `static inline uint64_t ${entry}_with_${name}(uint64_t value) { return ${made.join(' | ')}; }`,
  ];
}

function cMap({ registers, title, map, numbers = [], entry }) {
  const name = upper(registers);
  return [
    `/* ${title}. */`,
    ...map.map(
      (row) => `#define ${name}_REG_${upper(row.name)} ${Number(row.at)}u /* ${row.doc} */`,
    ),
    ...numbers.map(
      (row) => `#define ${name}_${upper(row.name)} ${Number(row.is)}u /* ${row.doc} */`,
    ),
    ...(entry ? entry.fields.flatMap((field) => cField(entry.name, field)) : []),
    '',
  ];
}

export function registersHeader(maps) {
  return [
    '/* Made from wasm/registers by scripts/generate.mjs. */',
    '#ifndef SIM_GEN_REGISTERS_H',
    '#define SIM_GEN_REGISTERS_H',
    '',
    '#include <stdint.h>',
    '',
    ...maps.flatMap(cMap),
    '#endif',
    '',
  ].join('\n');
}

/** Formats of entries, for drawings. */
export function registersTs(maps) {
  const entries = maps.filter(({ entry }) => entry).map(({ entry }) => [entry.name, entry.fields]);
  return [
    '/* Made from wasm/registers by scripts/generate.mjs. */',
    '',
    '/** A field of an entry: its bits, counted from the left in a word of 32, the most significant first. */',
    'export interface EntryBits {',
    '  readonly name: string;',
    '  readonly title: string;',
    '  readonly short: string;',
    '  readonly bits: readonly (readonly [word: 0 | 1, from: number, to: number])[];',
    '}',
    '',
    ...entries.map(
      ([name, fields]) =>
        `export const ${upper(name)}: readonly EntryBits[] = ${JSON.stringify(fields, null, 1)};`,
    ),
    '',
  ].join('\n');
}
