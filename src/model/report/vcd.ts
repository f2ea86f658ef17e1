/**
 * Exports a run as a value change dump (IEEE 1364) for waveform viewers. Every lane is a string variable with its
 * state, which GTKWave and Surfer show; each PCI bus has its owner, phase and signals, clock by clock. Logic
 * analysers such as sigrok read only 1-bit wires, so each string is accompanied by one such wire per value, and
 * C/BE# by one per bit. A wire is 1 while its value holds; all are 0 when idle. There are no vectors: libsigrok 0.5
 * stops reading at a vector of several bits.
 */

import {
  type AnalysedBus,
  allTransactions,
  asserted,
  type BusTransaction,
  busesOf,
  type PhaseKind,
  phaseAt,
  SIGNALS,
} from '../coherence/bus-phases';
import type { CompiledMachine } from '../scenario/compiled';
import type { Lane } from '../trace/lane';
import type { Trace } from '../trace/trace';
import { allSpans } from './export';

interface Variable {
  readonly code: string;
  readonly name: string;
  readonly type: 'string' | 'wire';
  /** Initial value, in the format of a value change. */
  readonly start: string;
  /** Equivalent 1-bit wires, each with the values for which it is 1. */
  readonly wires: readonly Wire[];
}

interface Wire {
  readonly code: string;
  readonly name: string;
  readonly isSet: (value: string) => boolean;
}

interface Change {
  readonly at: number;
  readonly text: string;
}

/**
 * Printable characters with which neither a value change nor a time nor a keyword begins. A reader that does not know
 * strings, as libsigrok 0.5, skips `sidle` and reads the identifier after it as a change: `b` would begin a vector.
 */
const LETTERS = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).filter(
  (letter) => !/[01xzbrs#$]/i.test(letter),
);

/** Short identifiers. */
function* codes(): Generator<string, never> {
  for (let index = 1; ; index++) {
    let code = '';
    for (let n = index; n > 0; n = Math.floor((n - 1) / LETTERS.length))
      code += LETTERS[(n - 1) % LETTERS.length];
    yield code;
  }
}

/** Names and values must not contain white space. */
const nameOf = (text: string) => text.replace(/[^A-Za-z0-9_]+/g, '_');

const ownChange = ({ type, code }: Variable, value: string): string =>
  type === 'string' ? `s${value} ${code}\n` : `${value}${code}\n`;

/** The change of a variable and of its wires that change with it; of all wires if it had no value before. */
function changeOf(variable: Variable, value: string, before: string | null): string {
  const wires = variable.wires
    .filter(({ isSet }) => before === null || isSet(before) !== isSet(value))
    .map(({ code, isSet }) => `${isSet(value) ? 1 : 0}${code}\n`);
  return ownChange(variable, value) + wires.join('');
}

/** One wire for each value of a variable other than idle. */
const wiresOf = (
  code: Generator<string, never>,
  variable: string,
  values: Iterable<string>,
): Wire[] =>
  [...new Set(values)].map((value) => ({
    code: code.next().value,
    name: `${variable}_${nameOf(value)}`,
    isSet: (now) => now === value,
  }));

function laneVariable(code: Generator<string, never>, lane: Lane): Variable {
  const name = nameOf(lane.track);
  const states = lane.states.filter(({ style }) => style !== 'none').map((state) => state.name);
  const own = { code: code.next().value, name, type: 'string', start: 'idle' } as const;
  return { ...own, wires: wiresOf(code, name, states) };
}

function* laneChanges(lane: Lane, variable: Variable, endPs: number): Generator<Change> {
  const spans = allSpans(lane, endPs);
  let last = variable.start;
  const change = (at: number, value: string): Change => {
    const text = changeOf(variable, value, last);
    last = value;
    return { at, text };
  };
  for (const [i, { from, to, state }] of spans.entries()) {
    yield change(from, state.name);
    if (spans[i + 1]?.from !== to) yield change(to, 'idle');
  }
}

/** Commands as C/BE# carries them with the address. */
const COMMAND_BITS: Readonly<Record<string, string>> = {
  read: '0110',
  write: '0111',
  write_invalidate: '1111',
  read_line: '1110',
  read_multiple: '1100',
  read_block: '1110',
  write_block: '1111',
  completion: '1100',
};

const IDLE = { owner: 'none', phase: 'idle', AD: 'z', C_BE_n: 'z' } as const;
const HIGH = Object.fromEntries(SIGNALS.map((signal) => [signal.replace('#', '_n'), '1']));

/**
 * What every variable of a bus is in a clock of a transaction. The engine keeps who wrote data, not the data: AD is
 * unknown then.
 */
function valuesAt(bus: AnalysedBus, of: BusTransaction, clock: number, owner: string) {
  const phase = phaseAt(of, clock)?.phase.kind ?? 'wait';
  const isAddress = phase === 'address';
  const low = asserted(bus, of, clock).map((signal) => [signal.replace('#', '_n'), '0']);
  return {
    ...HIGH,
    ...Object.fromEntries(low),
    owner,
    phase,
    AD: isAddress ? `0x${of.exactAddress.toString(16)}` : phase === 'data' ? 'x' : 'z',
    C_BE_n: isAddress ? (COMMAND_BITS[of.command.name] ?? 'x') : phase === 'data' ? '0000' : 'z',
  };
}

const PHASES: readonly PhaseKind[] = [
  'address',
  'attributes',
  'turn',
  'decode',
  'wait',
  'data',
  'retry',
  'split',
  'abort',
];

const ownerOf = (machine: CompiledMachine, { master }: BusTransaction): string =>
  nameOf(machine.parts[master ?? -1]?.title ?? 'nobody');

function busVariables(
  code: Generator<string, never>,
  machine: CompiledMachine,
  trace: Trace,
  bus: AnalysedBus,
): Variable[] {
  const one = (name: string, type: 'string' | 'wire', start: string): Variable => ({
    code: code.next().value,
    name,
    type,
    start,
    wires: [],
  });
  const owners = new Set<string>();
  for (const of of allTransactions(machine, trace, bus)) owners.add(ownerOf(machine, of));
  const enables = [0, 1, 2, 3].map((bit) => ({
    code: code.next().value,
    name: `C_BE_n${bit}`,
    isSet: (value: string) => value === 'z' || value.at(3 - bit) === '1',
  }));
  return [
    { ...one('owner', 'string', IDLE.owner), wires: wiresOf(code, 'owner', owners) },
    { ...one('phase', 'string', IDLE.phase), wires: wiresOf(code, 'phase', PHASES) },
    one('AD', 'string', IDLE.AD),
    { ...one('C_BE_n', 'string', IDLE.C_BE_n), wires: enables },
    ...Object.keys(HIGH).map((name) => one(name, 'wire', '1')),
  ];
}

/** Changes of a bus's variables; unchanged values are not repeated. */
function* busChanges(
  machine: CompiledMachine,
  trace: Trace,
  bus: AnalysedBus,
  variables: readonly Variable[],
): Generator<Change> {
  const last = new Map(variables.map(({ name, start }) => [name, start]));
  function* set(at: number, values: Readonly<Record<string, string>>): Generator<Change> {
    for (const variable of variables) {
      const value = values[variable.name] ?? variable.start;
      const before = last.get(variable.name) ?? variable.start;
      if (before === value) continue;
      last.set(variable.name, value);
      yield { at: Math.round(at), text: changeOf(variable, value, before) };
    }
  }
  for (const of of allTransactions(machine, trace, bus)) {
    const owner = ownerOf(machine, of);
    for (let clock = 0; clock < of.clocks; clock++)
      yield* set(of.from + clock * bus.clockPs, valuesAt(bus, of, clock, owner));
    yield* set(of.to, { ...HIGH, ...IDLE });
  }
}

/** Several lists of changes, each in order of time, as one; at the same time the earlier list comes first. */
function* merged(lists: readonly Generator<Change>[]): Generator<Change> {
  const heads = lists.map((list) => ({ list, next: list.next() }));
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads)
      if (!head.next.done && (!first || head.next.value.at < first.next.value.at)) first = head;
    if (!first) return;
    yield first.next.value;
    first.next = first.list.next();
  }
}

/** Names of parts' scopes: parts of the same title differ in their numbers. */
function scopesOf({ parts }: CompiledMachine): readonly string[] {
  const titles = parts.map(({ title }) => nameOf(title));
  return titles.map((title, i) =>
    titles.indexOf(title) === titles.lastIndexOf(title) ? title : `${title}_${i}`,
  );
}

/** Piece by piece, so that the writer can pause in between. */
export function* traceVcd(
  machine: CompiledMachine,
  trace: Trace,
  endPs: number,
): Generator<string> {
  const code = codes();
  const buses = busesOf(machine);
  const declared: Variable[] = [];
  const changes: Generator<Change>[] = [];
  yield '$timescale 1 ps $end\n';
  for (const [part, scope] of scopesOf(machine).entries()) {
    const own: Variable[] = [];
    for (const lane of trace.lanes.filter((one) => one.part === part)) {
      const variable = laneVariable(code, lane);
      own.push(variable);
      changes.push(laneChanges(lane, variable, endPs));
    }
    const bus = buses.find((one) => one.part === part);
    if (bus) {
      const signals = busVariables(code, machine, trace, bus);
      own.push(...signals);
      changes.push(busChanges(machine, trace, bus, signals));
    }
    declared.push(...own);
    if (own.length === 0) continue;
    yield `$scope module ${scope} $end\n`;
    for (const { type, code: id, name, wires } of own) {
      yield `$var ${type} 1 ${id} ${name} $end\n`;
      for (const wire of wires) yield `$var wire 1 ${wire.code} ${wire.name} $end\n`;
    }
    yield '$upscope $end\n';
  }
  yield '$enddefinitions $end\n#0\n';
  for (const variable of declared) yield changeOf(variable, variable.start, null);
  let now = 0;
  for (const { at, text } of merged(changes)) {
    if (at !== now) yield `#${at}\n`;
    now = at;
    yield text;
  }
  if (endPs > now) yield `#${endPs}\n`;
}
