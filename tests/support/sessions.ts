/**
 * Compiled sessions written by hand: a second, simpler writer of the format of wasm/core/load.c than that of
 * src/model, which can also write invalid sessions.
 */
import { parseQuantity } from '../../src/base/quantity.mjs';
import { LAYOUT_HASH, PART_TYPES } from '../../src/engine/gen/layout';
import type { PartType } from '../../src/engine/manifest';

type Value = number | string | bigint | boolean;
type Row = Readonly<Record<string, Value>>;

interface TestPart {
  readonly type: string;
  readonly params?: Row;
  readonly tables?: Readonly<Record<string, readonly Row[]>>;
}

export interface TestMachine {
  readonly parts: readonly TestPart[];
  /** Part index and port name at either end; the fourth of a port of several is "name.3". */
  readonly wires?: readonly (readonly [number, string, number, string])[];
  readonly seed?: number;
  readonly traceLog2?: number;
  readonly layoutHash?: number;
  readonly version?: number;
}

/** A saved session of a shipped scenario with nothing changed, as the page writes it. */
export const savedSession = (changes: object = {}) => ({
  busyard_session: 1,
  scenario: { id: 'gt/one-word' },
  edits: {},
  commands: [],
  seed: null,
  variables: {},
  cursor: { events: 0 },
  view: {},
  measured: null,
  layout: '00000000',
  hash: null,
  ...changes,
});

const MAGIC = 0x44525942;

/** A part type by its name. */
export function typeOf(name: string): PartType {
  const type = PART_TYPES.find((candidate) => candidate.name === name);
  if (!type) throw new Error(`There is no part "${name}".`);
  return type;
}

/** A value in base units: quantities by their unit, members of an enum by their name. */
function inBaseUnits(type: PartType, kind: string, value: Value): bigint {
  if (typeof value === 'bigint') return value;
  const members = type.enums[kind];
  if (!members) return parseQuantity(value, kind as 'time');
  const index = members.findIndex(({ name }) => name === value);
  if (index < 0) throw new Error(`"${value}" is not a ${kind} of ${type.name}.`);
  return BigInt(index);
}

function portIndex(part: TestPart | undefined, name: string): number {
  const [plain, index = '0'] = name.split('.');
  const spec = typeOf(part?.type ?? '').ports.find((candidate) => candidate.name === plain);
  if (!spec) throw new Error(`There is no port "${name}".`);
  return spec.first + Number(index);
}

/** Parameters and tables of a part, in manifest order, as 64-bit values (tables with a row count). */
function* valuesOf(part: TestPart): Generator<bigint | number> {
  const type = typeOf(part.type);
  const value = (spec: { name: string; type: string; default: string }, given: Row = {}) =>
    inBaseUnits(type, spec.type, given[spec.name] ?? BigInt(spec.default));
  yield type.id;
  for (const spec of type.params) yield value(spec, part.params);
  for (const { name, fields } of type.tables) {
    const rows = part.tables?.[name] ?? [];
    yield rows.length;
    for (const row of rows) for (const field of fields) yield value(field, row);
  }
}

/** The bytes of a session: numbers are one word, big integers two. */
export function encode(machine: TestMachine): Uint8Array {
  const { parts, wires = [], seed = 1, traceLog2 = 12 } = machine;
  const header = [MAGIC, machine.version ?? 2, machine.layoutHash ?? LAYOUT_HASH, BigInt(seed)];
  const sizes = [traceLog2, parts.length, wires.length];
  const ends = wires.map(([a, portA, b, portB]) => [
    ...[a, portIndex(parts[a], portA)],
    ...[b, portIndex(parts[b], portB)],
  ]);
  const all = [
    ...header,
    ...sizes,
    ...parts.flatMap((part) => [...valuesOf(part)]),
    ...ends.flat(),
  ];
  const words = all.flatMap((value) =>
    typeof value === 'number' ? [value] : [Number(value & 0xffffffffn), Number(value >> 32n)],
  );
  return new Uint8Array(Uint32Array.from(words).buffer);
}
