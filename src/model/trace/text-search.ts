/**
 * Tests whether a record's text has some words: its sentence, and the names of its part and event. What surrounds the
 * values is the same for all records of a part and kind; the text of a value is written once for each value.
 */
import type { EventSpec } from '../../engine/manifest';
import { sentenceOf, type TracedMachine, templateOf, whoseOf } from './event-text';
import { plain } from './query-values';
import type { ClassTest, Rows, RowTest, Slot } from './rows';

/** Stands for a value; no word has it. */
const VALUE = '\u0000';
/** Values whose text is remembered, each at a place of its own. */
const PLACES = 1 << 14;
const placeOf = (value: number): number => (value ^ (value / PLACES)) & (PLACES - 1);

const recordAt = (rows: Rows, seq: number) => ({
  part: rows.partOf(seq),
  a: rows.valueOf(seq, 'a'),
  exact: rows.exactOf(seq),
  b: rows.valueOf(seq, 'b'),
  c: rows.valueOf(seq, 'c'),
});

/** Test of one value's text between its neighbours. */
function valueTest(
  slot: Slot,
  textAt: (rows: Rows, seq: number) => string,
  wanted: readonly string[],
): RowTest {
  const values = new Float64Array(PLACES).fill(Number.NaN);
  const found = new Uint8Array(PLACES);
  return (rows, seq) => {
    const value = rows.valueOf(seq, slot);
    const place = placeOf(value);
    if (values[place] === value) return found[place] === 1;
    const text = textAt(rows, seq);
    const isFound = wanted.some((one) => text.includes(one));
    // Beyond these, two values may be the same number.
    if (Number.isSafeInteger(value)) {
      values[place] = value;
      found[place] = isFound ? 1 : 0;
    }
    return isFound;
  };
}

/** Test for any of some texts, in the spelling of `plain`. */
export function textTest(machine: TracedMachine, wanted: readonly string[]): ClassTest {
  const events = new Map<number, EventSpec>(
    machine.parts.flatMap(({ type }) => type.events.map((event) => [event.kind, event] as const)),
  );
  return (part, kind) => {
    const event = events.get(kind);
    if (!event) return false;
    const names = whoseOf(machine, event, part);
    const { around, values } = templateOf(machine, event, part);
    const same = plain(`${around.join(VALUE)} ${names}`);
    if (wanted.some((one) => same.includes(one))) return true;
    if (values.length === 0) return false;
    const between = around.slice(1, -1).map(plain);
    // Only a text that holds all that is between two values can reach over both.
    if (between.some((words) => wanted.some((one) => one.includes(words))))
      return (rows, seq) => {
        const text = plain(`${sentenceOf(machine, event, recordAt(rows, seq))} ${names}`);
        return wanted.some((one) => text.includes(one));
      };
    const tests = values.map(({ slot, textOf }, i) => {
      const last = i === values.length - 1 ? ` ${names}` : '';
      const textAt = (rows: Rows, seq: number) =>
        plain(`${around[i]}${textOf(recordAt(rows, seq))}${around[i + 1]}${last}`);
      return valueTest(slot, textAt, wanted);
    });
    return (rows, seq) => tests.some((test) => test(rows, seq));
  };
}
