/** Tests trace records against a query. The language is that of `event-query.ts`. */

import { hint, quote } from '../../base/suggest';
import type { EventSpec } from '../../engine/manifest';
import { Descent } from './descent';
import { type Condition, type EventQuery, parseEventQuery, QueryError } from './event-query';
import { portOwner, rowOfPlace, type TracedMachine } from './event-text';
import { fromOne, type NumberTest, nameTest, numberTest, plain, valueTest } from './query-values';
import {
  allOf,
  anyOf,
  type ClassTest,
  inRanges,
  noneOf,
  type RowTest,
  type Slot,
  testOf,
} from './rows';
import { type Term, termsInQuery } from './terms';
import { textTest } from './text-search';

/** Counters of all parts, one after another. */
type Counters = ArrayLike<number>;

export interface EventSearch {
  /** Conditions on counters. The run has to be asked when each becomes true. */
  readonly counters: readonly ((counters: Counters) => boolean)[];
  /** Whether it names events by conditions, not by words alone. */
  readonly hasConditions: boolean;
  /** Whether it asks for causes: if the trace drops records, every record must be tested, in order. */
  readonly hasCauses: boolean;
  /**
   * The test by part and kind, from the record of the event that makes each condition on counters true, or null if none
   * does.
   */
  testWith(moments: readonly (number | null)[]): ClassTest;
}

/** Names that do not depend on the machine, with their meaning. */
export const QUERY_NAMES: ReadonlyMap<string, string> = new Map([
  ['part', 'the part where it happens'],
  ['kind', 'the kind of event, such as miss'],
  ['address', 'an address, or a range, that the event touches'],
  ['value', 'any value of the event'],
  ['state', 'a state that the event names or begins'],
  ['row', 'the row of the program, or of a table'],
  ['begins', 'a row of a program that begins'],
  ['task', 'the thread'],
  ['cause', 'has this event among its causes: a number, or a query in brackets'],
  ['at', 'the time of the event, such as 10us-20us'],
  ['event', 'the number of the event'],
]);

/** Events with which a row of a program begins. */
const BEGINNINGS: ReadonlySet<string> = new Set(['row', 'begin', 'call']);

type Part = TracedMachine['parts'][number];
type Field = EventSpec['fields'][number];

const slotOf = ({ slot }: Field): Slot => slot as Slot;

/** Sentences and panels count the rows of a program from 1. */
const runsProgram = ({ type }: Part): boolean =>
  type.tables.some(({ loops }) => loops !== undefined);

const SIZED = 'bytes';

/** Names of a part: that in the scenario, its title, and those of its type. */
const namesOf = ({ name, title, type }: Part): string[] => [
  ...(name ? [name] : []),
  title,
  type.name,
  type.title,
];

class Compiler {
  readonly counters: ((counters: Counters) => boolean)[] = [];
  readonly descents: Descent[] = [];

  constructor(
    private readonly machine: TracedMachine,
    private readonly terms: readonly Term[],
    private readonly moments: readonly (number | null)[],
  ) {}

  compile(query: EventQuery): ClassTest {
    switch (query.kind) {
      case 'all':
        return allOf(query.of.map((one) => this.compile(one)));
      case 'any':
        return anyOf(query.of.map((one) => this.compile(one)));
      case 'not':
        return noneOf(this.compile(query.of));
      case 'caused': {
        const descent = new Descent(testOf(this.compile(query.by)));
        this.descents.push(descent);
        return () => descent.test;
      }
      case 'phrase':
        return textTest(this.machine, [plain(query.text)]);
      case 'words':
        return this.words(plain(query.text));
      case 'condition':
        return this.condition(query);
    }
  }

  /** Tests for the terms in a text and for its remaining words. */
  private words(text: string): ClassTest {
    const mentioned = termsInQuery(text, this.terms);
    const rest = mentioned.reduceRight(
      (left, { from, to }) => left.slice(0, from) + left.slice(to),
      text,
    );
    const tests = [
      ...mentioned.map(({ term, from, to }) =>
        textTest(this.machine, [text.slice(from, to), ...term.forms.map(plain)]),
      ),
      ...rest
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => textTest(this.machine, [word])),
    ];
    return allOf(tests);
  }

  private condition(condition: Condition): ClassTest {
    const { name } = condition;
    switch (name) {
      case 'part':
        return this.part(condition);
      case 'kind':
        return this.kind(condition);
      case 'state':
        return this.state(condition);
      case 'address':
        return this.address(condition);
      case 'value':
        return this.value(condition);
      case 'at': {
        const test = numberTest(condition, 'time');
        return () => (rows, seq) => test(rows.timeOf(seq));
      }
      case 'event': {
        const test = numberTest(condition, 'count');
        return () => (_, seq) => test(seq);
      }
      case 'begins':
        return this.beginning(condition);
      case 'task':
        return this.field({ ...condition, name: 'thread' });
      default:
        return name.includes('.') ? this.counter(condition) : this.field(condition);
    }
  }

  private part(condition: Condition): ClassTest {
    const test = nameTest(condition);
    const found = new Set(
      this.machine.parts.flatMap((part, index) => (test(...namesOf(part)) ? [index] : [])),
    );
    if (found.size === 0)
      this.unknown('No part is called', condition, this.machine.parts.flatMap(namesOf));
    return (part) => found.has(part);
  }

  private kind(condition: Condition): ClassTest {
    const test = nameTest(condition);
    const kinds = this.kindsWhere(({ name }, part) => test(name, `${part.type.name}.${name}`));
    if (kinds.size === 0)
      this.unknown(
        'No kind of event is called',
        condition,
        new Set(this.events().map(([{ name }]) => name)),
      );
    return (_, kind) => kinds.has(kind);
  }

  /** A state of a lane that the event begins, or one that it names. */
  private state(condition: Condition): ClassTest {
    const test = nameTest(condition);
    const names = new Set<string>();
    const values = this.fieldsWhere((field, part) => {
      const members = membersOf(part, field);
      for (const member of members) names.add(member.name);
      const wanted = new Set(
        members.flatMap(({ name, title }, value) => (test(name, title) ? [value] : [])),
      );
      return wanted.size > 0 ? (value) => wanted.has(value) : null;
    });
    const begun = this.kindsWhere(({ lane }, { type }) => {
      const states = type.enums[type.tracks.find(({ name }) => name === lane?.track)?.states ?? ''];
      const state = states?.find(({ name }) => name === lane?.set);
      if (state) names.add(state.name);
      return state !== undefined && test(state.name, state.title);
    });
    if (!values && begun.size === 0) this.unknown('No state is called', condition, names);
    return (part, kind) => begun.has(kind) || (values?.(part, kind) ?? false);
  }

  /** An address that the event names, or a stretch of bytes from there that touches the range. */
  private address(condition: Condition): ClassTest {
    const test = numberTest(condition, 'address');
    const isRange = /^[:=]$/.test(condition.operator);
    const [low = '', high = low] = condition.value.split(/\.\.|-/);
    const [from, to] = isRange ? [Number(low), Number(high)] : [0, 0];
    const kinds = new Map(
      this.events().map(([event]) => [
        event.kind,
        {
          addresses: event.fields.filter(({ as }) => as === 'address').map(slotOf),
          size: event.fields.find(({ name, as }) => name === SIZED && as === 'bytes')?.slot as
            | Slot
            | undefined,
        },
      ]),
    );
    return (_, kind) => {
      const { addresses = [], size } = kinds.get(kind) ?? {};
      const [first] = addresses;
      if (first === undefined) return false;
      if (isRange && !size && addresses.length === 1) return inRanges([{ slot: first, from, to }]);
      return (rows, seq) => {
        const length = size ? Math.max(1, rows.valueOf(seq, size)) : 1;
        for (const slot of addresses) {
          const first = rows.valueOf(seq, slot);
          if (isRange ? first <= to && first + length > from : test(first)) return true;
        }
        return false;
      };
    };
  }

  private beginning(condition: Condition): ClassTest {
    const kinds = this.kindsWhere(({ name }) => BEGINNINGS.has(name));
    const test = fromOne(numberTest(condition, 'count'));
    const isRow = this.fieldsWhere(({ name }) => (name === 'row' ? test : null));
    return (part, kind) => kinds.has(kind) && (isRow?.(part, kind) ?? false);
  }

  private value(condition: Condition): ClassTest {
    const testOf = valueTest(condition);
    return this.fieldsWhere(({ as }) => testOf(as)) ?? (() => false);
  }

  /** A field by its name: a number, a member of an enum, a part, or yes and no. */
  private field(condition: Condition): ClassTest {
    const { name, value } = condition;
    let failure: unknown = null;
    const names = new Set<string>();
    let isKnown = false;
    const found = this.fieldsWhere((field, part, index) => {
      if (name === 'row' && field.as === 'place') {
        isKnown = true;
        const test = numberTest(condition, 'count');
        return (place) => test(rowOfPlace(place) ?? Number.NaN);
      }
      if (field.name !== name) return null;
      isKnown = true;
      if (name === 'row' && runsProgram(part)) return fromOne(numberTest(condition, 'count'));
      try {
        return this.valueOfField(field, part, index, condition, names);
      } catch (error) {
        failure ??= error;
        return null;
      }
    });
    if (found) return found;
    if (failure) throw failure;
    if (isKnown) this.unknown(`${name} is never`, condition, names);
    const known = [...QUERY_NAMES.keys(), ...this.fieldNames()];
    const what = `An event has no ${quote(name)}`;
    throw new QueryError(
      `${what}${hint(name, known)} A text with ${condition.operator} in it stands in quotation marks: "${name}${condition.operator}${value}".`,
      condition,
    );
  }

  private valueOfField(
    field: Field,
    part: Part,
    index: number,
    condition: Condition,
    names: Set<string>,
  ): NumberTest | null {
    const isName = !/^\d/.test(condition.value);
    if (field.as === 'flag') {
      const wanted = FLAGS.get(condition.value.toLowerCase());
      if (wanted === undefined)
        throw new QueryError(
          `${condition.name} is yes or no, not ${quote(condition.value)}.`,
          condition,
        );
      return (value) => (value !== 0) === wanted;
    }
    if (field.as === 'port' && isName) {
      const test = nameTest(condition);
      return (slot) => {
        const owner = this.machine.parts[portOwner(this.machine, index, slot)];
        return owner !== undefined && test(...namesOf(owner));
      };
    }
    const members = membersOf(part, field);
    if (members.length === 0 || !isName) return numberTest(condition, field.as);
    const test = nameTest(condition);
    for (const member of members) names.add(member.name);
    const wanted = new Set(
      members.flatMap((member, value) => (test(member.name, member.title) ? [value] : [])),
    );
    return wanted.size > 0 ? (value) => wanted.has(value) : null;
  }

  /** The event after which the condition holds to the end of the run. */
  private counter(condition: Condition): ClassTest {
    const { name } = condition;
    const [of = '', counter = ''] = name.split('.');
    const { parts } = this.machine;
    const part = parts.findIndex((one) => one.name === of);
    if (part < 0)
      throw new QueryError(
        `No part is called ${quote(of)}${hint(
          of,
          parts.map((one) => one.name ?? ''),
        )}`,
        condition,
      );
    const counters = parts[part]?.type.counters ?? [];
    const own = counters.findIndex((one) => one.name === counter);
    if (own < 0)
      throw new QueryError(
        `${quote(of)} has no counter ${quote(counter)}${hint(
          counter,
          counters.map((one) => one.name),
        )}`,
        condition,
      );
    const unit = counters[own]?.unit;
    const test = numberTest(condition, unit === 'ps' ? 'time' : unit === 'B' ? 'bytes' : 'count');
    const at = parts.slice(0, part).reduce((sum, { type }) => sum + type.counters.length, own);
    const moment = this.moments[this.counters.length] ?? null;
    this.counters.push((all) => test(all[at] ?? 0));
    return () => (_, seq) => seq === moment;
  }

  private unknown(what: string, condition: Condition, known: Iterable<string>): never {
    const { value } = condition;
    throw new QueryError(`${what} ${quote(value)}${hint(value, new Set(known))}`, condition);
  }

  private events(): [EventSpec, Part, number][] {
    return this.machine.parts.flatMap((part, index) =>
      part.type.events.map((event): [EventSpec, Part, number] => [event, part, index]),
    );
  }

  fieldNames(): Set<string> {
    return new Set(this.events().flatMap(([{ fields }]) => fields.map(({ name }) => name)));
  }

  private kindsWhere(test: (event: EventSpec, part: Part) => boolean): Set<number> {
    return new Set(
      this.events().flatMap(([event, part]) => (test(event, part) ? [event.kind] : [])),
    );
  }

  /** A test that any field for which there is one passes; null if there is none for any. */
  private fieldsWhere(
    testOf: (field: Field, part: Part, index: number) => NumberTest | null,
  ): ClassTest | null {
    const tests = new Map<number, { slot: Slot; test: NumberTest }[]>();
    for (const [event, part, index] of this.events()) {
      const key = event.kind * this.machine.parts.length + index;
      const own = event.fields.flatMap((field) => {
        const test = testOf(field, part, index);
        return test ? [{ slot: slotOf(field), test }] : [];
      });
      if (own.length > 0) tests.set(key, own);
    }
    if (tests.size === 0) return null;
    const { length } = this.machine.parts;
    return (part, kind) => {
      const own = tests.get(kind * length + part);
      if (!own) return false;
      const ranges = own.flatMap(({ slot, test: { from, to } }) =>
        from === undefined || to === undefined ? [] : [{ slot, from, to }],
      );
      if (ranges.length === own.length) return inRanges(ranges);
      return (rows, seq) => {
        for (const { slot, test } of own) if (test(rows.valueOf(seq, slot))) return true;
        return false;
      };
    };
  }
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['true', true],
  ['1', true],
  ['no', false],
  ['false', false],
  ['0', false],
]);

const membersOf = ({ type }: Part, { as }: Field) =>
  as.startsWith('enum:') ? (type.enums[as.slice(5)] ?? []) : [];

function hasConditions(query: EventQuery): boolean {
  if (query.kind === 'all' || query.kind === 'any') return query.of.some(hasConditions);
  return query.kind === 'not' ? hasConditions(query.of) : !/^(words|phrase)$/.test(query.kind);
}

/**
 * The search for a query; null if it is empty.
 * @throws {QueryError} if it cannot be read, or names what the machine does not have
 */
export function eventSearch(
  words: string,
  machine: TracedMachine,
  terms: readonly Term[] = [],
): EventSearch | null {
  const query = parseEventQuery(words);
  if (!query) return null;
  const checked = new Compiler(machine, terms, []);
  checked.compile(query);
  return {
    counters: checked.counters,
    hasConditions: hasConditions(query),
    hasCauses: checked.descents.length > 0,
    testWith(moments) {
      const compiler = new Compiler(machine, terms, moments);
      const test = compiler.compile(query);
      const { descents } = compiler;
      if (descents.length === 0) return test;
      const each = testOf(test);
      const inOrder: RowTest = (rows, seq) => {
        for (const descent of descents) descent.isOf(rows, seq);
        return each(rows, seq);
      };
      return () => inOrder;
    },
  };
}
