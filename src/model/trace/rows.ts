/** Trace records as a test of them sees them. */

/** A column with a field of an event. */
export type Slot = 'a' | 'b' | 'c';

/** Records by sequence number, column by column. */
export interface Rows {
  has(seq: number): boolean;
  partOf(seq: number): number;
  kindOf(seq: number): number;
  timeOf(seq: number): number;
  /** Sequence number of the record that caused it; 0 for none. */
  causeOf(seq: number): number;
  /** The value of a field, exact up to 53 bits. */
  valueOf(seq: number, slot: Slot): number;
  /** The first field with all 64 bits. */
  exactOf(seq: number): bigint;
}

/** A field's values between two numbers, both included. */
export interface FieldRange {
  readonly slot: Slot;
  readonly from: number;
  readonly to: number;
}

export interface RowTest {
  (rows: Rows, seq: number): boolean;
  /** Ranges of which any is enough, if the test comes to that: packed records are then tested without a call. */
  readonly ranges?: readonly FieldRange[];
}

export const inRanges = (ranges: readonly FieldRange[]): RowTest => {
  const test = (rows: Rows, seq: number) =>
    ranges.some(({ slot, from, to }) => {
      const value = rows.valueOf(seq, slot);
      return value >= from && value <= to;
    });
  return Object.assign(test, { ranges });
};

/** What a query says of all records of one part and kind: all pass, none does, or each has to be tested. */
export type ClassTest = (part: number, kind: number) => boolean | RowTest;

/** The test of any record, from that of its part and kind. */
export function testOf(ofClass: ClassTest): RowTest {
  const known: (boolean | RowTest)[][] = [];
  return (rows, seq) => {
    const part = rows.partOf(seq);
    const kind = rows.kindOf(seq);
    let ofPart = known[part];
    if (!ofPart) known[part] = ofPart = [];
    let own = ofPart[kind];
    if (own === undefined) ofPart[kind] = own = ofClass(part, kind);
    return typeof own === 'boolean' ? own : own(rows, seq);
  };
}

/** All of some tests hold. Each is asked of a record only if its part and kind do not decide. */
export const allOf =
  (tests: readonly ClassTest[]): ClassTest =>
  (part, kind) => {
    const left: RowTest[] = [];
    for (const test of tests) {
      const own = test(part, kind);
      if (own === false) return false;
      if (own !== true) left.push(own);
    }
    const [first] = left;
    if (left.length < 2) return first ?? true;
    return (rows, seq) => left.every((test) => test(rows, seq));
  };

export const noneOf =
  (of: ClassTest): ClassTest =>
  (part, kind) => {
    const own = of(part, kind);
    return typeof own === 'boolean' ? !own : (rows, seq) => !own(rows, seq);
  };

export const anyOf = (tests: readonly ClassTest[]): ClassTest => noneOf(allOf(tests.map(noneOf)));
