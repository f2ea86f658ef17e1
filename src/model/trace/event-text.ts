/** Formats trace records: the manifest's sentence with its fields filled in. */
import { address, bytes, integer, text, time } from '../../base/format';
import type { EventSpec, PartType } from '../../engine/manifest';
import type { Slot } from './rows';

interface TracedEnd {
  readonly part: number;
  readonly port: string;
  readonly slot: number;
}

/** A wire, reduced to its two ends. */
export interface TracedWire {
  readonly ends: readonly [TracedEnd, TracedEnd];
}

/** The fields of a machine that its trace needs. */
export interface TracedMachine {
  readonly parts: readonly {
    /** Its name in the scenario. */
    readonly name?: string;
    readonly title: string;
    readonly type: PartType;
    /** Rows of its tables, in manifest order; they identify a place in a program. */
    readonly tables?: readonly (readonly { readonly values: readonly bigint[] }[])[];
  }[];
  readonly wires: readonly TracedWire[];
}

export interface FieldValue {
  readonly name: string;
  /** Field type: address, bytes, time, count, write, port, flag, enum:<name>. */
  readonly as: string;
  readonly value: number;
  /** All digits, if `value` is not exact. */
  readonly exact: number | bigint;
  readonly text: string;
  /** The part that a port field refers to. */
  readonly part: number | null;
}

/** The part at the other end of a wire; -1 if there is none. `slot` counts over all ports of the part. */
export function portOwner(machine: TracedMachine, part: number, slot: number): number {
  for (const { ends } of machine.wires) {
    const [a, b] = ends;
    if (a.part === part && a.slot === slot) return b.part;
    if (b.part === part && b.slot === slot) return a.part;
  }
  return -1;
}

/** Value of an empty row of a TLB. */
const NO_BLOCK = 0xffffffff;

const HANDLER = 0xffff;

/** The row of a place in a program; null if it names none. */
export function rowOfPlace(place: number): number | null {
  const row = place % 0x10000;
  return place < 0x10000 || row === HANDLER ? null : row;
}

/** A row of a processor's program. The value packs part and row, each plus 1. */
function placeText(machine: TracedMachine, value: number): string {
  const part = machine.parts[Math.floor(value / 0x10000) - 1];
  if (!part) return 'no row of a program';
  const row = value % 0x10000;
  if (row === HANDLER) return `the interrupt handler of ${part.title}`;
  const table = part.type.tables.findIndex(({ name }) => name === 'program');
  const fields = part.type.tables[table]?.fields ?? [];
  const operation = fields.findIndex(({ name }) => name === 'do');
  const code = part.tables?.[table]?.[row - 1]?.values[operation];
  const name = part.type.enums[fields[operation]?.type ?? '']?.[Number(code ?? -1)]?.name;
  return `row ${integer(row)} of ${part.title}${name ? ` (${name})` : ''}`;
}

/** Formats a value of a field or view column by its type. */
function valueText(machine: TracedMachine, part: number, as: string, value: number): string {
  switch (as) {
    case 'address':
      return address(value);
    case 'bytes':
      return text(bytes(value));
    case 'time':
      return text(time(value));
    case 'nanoseconds':
      return text(time(value * 1000));
    case 'flag':
      return value === 0 ? 'no' : 'yes';
    case 'block':
      return value === NO_BLOCK ? 'no block' : `block ${integer(value)}`;
    case 'place':
      return placeText(machine, value);
    case 'port':
      return machine.parts[portOwner(machine, part, value)]?.title ?? `port ${integer(value)}`;
    default:
      return as.startsWith('enum:')
        ? (machine.parts[part]?.type.enums[as.slice(5)]?.[value]?.title ?? integer(value))
        : integer(value);
  }
}

export interface RawRecord {
  readonly part: number;
  readonly a: number;
  /** `a` with all 64 bits, if known. */
  readonly exact?: bigint;
  readonly b: number;
  readonly c: number;
}

/** A value that a double cannot represent exactly, with all its digits. */
function largeText(as: string, value: bigint): string {
  if (as === 'address') return address(value);
  return as === 'bytes' ? text({ value: integer(value), unit: 'B' }) : integer(value);
}

export function fieldsOf(
  machine: TracedMachine,
  event: EventSpec,
  record: RawRecord,
): FieldValue[] {
  return event.fields.map(({ name, slot, as }) => {
    const value = record[slot as 'a' | 'b' | 'c'];
    const owner = as === 'port' ? portOwner(machine, record.part, value) : -1;
    const isLarge = slot === 'a' && record.exact !== undefined && !Number.isSafeInteger(value);
    const exact = isLarge ? (record.exact ?? value) : value;
    const written =
      typeof exact === 'bigint' && as !== 'time'
        ? largeText(as, exact)
        : valueText(machine, record.part, as, value);
    return { name, as, value, exact, text: written, part: owner < 0 ? null : owner };
  });
}

/** A field, `{pages}`, or a choice between singular and plural, `{pages:entry|entries}`. */
const SLOT = /\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g;

/** The sentence of any such event, without the values that differ between events: "CPU stores … at …" */
export const sentenceOfAny = ({ text: sentence }: EventSpec, part: string): string =>
  sentence
    .replaceAll('{part}', part)
    .replace(SLOT, (_, __, ___, many?: string) => many ?? '…')
    .replace(/\.$/, '');

/** An operation of a program has its article in a sentence. */
function phraseOf(machine: TracedMachine, part: number, { as, value, text: written }: FieldValue) {
  const members = as.startsWith('enum:') ? machine.parts[part]?.type.enums[as.slice(5)] : undefined;
  return members?.[value]?.says ?? written;
}

/** The text of an event with its values. */
function wordsOf(machine: TracedMachine, event: EventSpec, record: RawRecord): string {
  const fields = fieldsOf(machine, event, record);
  return event.text.replace(SLOT, (whole, name: string, one?: string, other?: string) => {
    if (name === 'part') return machine.parts[record.part]?.title ?? whole;
    const field = fields.find((known) => known.name === name);
    if (one !== undefined) return (field?.value === 1 ? one : other) ?? whole;
    return (field && phraseOf(machine, record.part, field)) ?? whole;
  });
}

/** Names of a part and of an event. */
export function whoseOf(machine: TracedMachine, event: EventSpec, part: number): string {
  const { title = '', type } = machine.parts[part] ?? {};
  return `${title}, ${type?.title}: ${event.name.replaceAll('_', ' ')}`;
}

/** "CPU stores 4 B at 0x80000000." */
export function sentenceOf(machine: TracedMachine, event: EventSpec, record: RawRecord): string {
  const sentence = wordsOf(machine, event, record);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** A sentence without its values: the texts around them, and how each value is written. */
export interface Template {
  /** One more than there are values. */
  readonly around: readonly string[];
  readonly values: readonly { readonly slot: Slot; textOf(record: RawRecord): string }[];
}

/** The sentence of all such events of a part. */
export function templateOf(machine: TracedMachine, event: EventSpec, part: number): Template {
  const around: string[] = [''];
  const values: Template['values'][number][] = [];
  const write = (words: string) => {
    around[around.length - 1] += words;
  };
  let end = 0;
  for (const match of event.text.matchAll(SLOT)) {
    const [whole, name] = match;
    const field = event.fields.find((known) => known.name === name);
    write(event.text.slice(end, match.index));
    end = match.index + whole.length;
    if (!field) {
      write(name === 'part' ? (machine.parts[part]?.title ?? whole) : whole);
      continue;
    }
    const own = { ...event, fields: [field], text: whole };
    values.push({
      slot: field.slot as Slot,
      textOf: (record) => wordsOf(machine, own, record),
    });
    around.push('');
  }
  write(event.text.slice(end));
  return { around, values };
}
