/**
 * A run as a value change dump (IEEE 1364), for waveform viewers: every lane as a variable of states, a string, which
 * GTKWave and Surfer show; and for each PCI bus its owner, phase and signals, clock by clock.
 */

import type { CompiledMachine } from '../scenario/compile';
import {
  type AnalysedBus,
  allTransactions,
  asserted,
  type BusTransaction,
  busesOf,
  phaseAt,
  SIGNALS,
} from './bus-phases';
import { allSpans } from './export';
import type { Lane } from './lane';
import type { Trace } from './trace';

interface Variable {
  readonly code: string;
  readonly name: string;
  readonly type: 'string' | 'wire';
  readonly bits: number;
  /** Its value before anything happens, as a change of it is written. */
  readonly start: string;
}

interface Change {
  readonly at: number;
  readonly text: string;
}

const FIRST = 33;
const LETTERS = 94;

/** Short identifiers of printable characters, as the format wants them. */
function* codes(): Generator<string, never> {
  for (let index = 1; ; index++) {
    let code = '';
    for (let n = index; n > 0; n = Math.floor((n - 1) / LETTERS))
      code += String.fromCharCode(FIRST + ((n - 1) % LETTERS));
    yield code;
  }
}

/** No white space in names and values. */
const nameOf = (text: string) => text.replace(/[^A-Za-z0-9_]+/g, '_');

const changeOf = ({ type, bits, code }: Variable, value: string): string => {
  if (type === 'string') return `s${value} ${code}\n`;
  return bits === 1 ? `${value}${code}\n` : `b${value} ${code}\n`;
};

function* laneChanges(lane: Lane, variable: Variable, endPs: number): Generator<Change> {
  const spans = allSpans(lane, endPs);
  for (const [i, { from, to, state }] of spans.entries()) {
    yield { at: from, text: changeOf(variable, state.name) };
    if (spans[i + 1]?.from !== to) yield { at: to, text: changeOf(variable, 'idle') };
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

/** What every variable of a bus is in a clock of a transaction. The engine keeps who wrote data, not the data: AD is unknown then. */
function valuesAt(bus: AnalysedBus, of: BusTransaction, clock: number, owner: string) {
  const phase = phaseAt(of, clock)?.phase.kind ?? 'wait';
  const isAddress = phase === 'address';
  const low = asserted(bus, of, clock).map((signal) => [signal.replace('#', '_n'), '0']);
  return {
    ...HIGH,
    ...Object.fromEntries(low),
    owner,
    phase,
    AD: isAddress ? of.address.toString(2) : phase === 'data' ? 'x' : 'z',
    C_BE_n: isAddress ? (COMMAND_BITS[of.command.name] ?? 'x') : phase === 'data' ? '0' : 'z',
  };
}

function busVariables(code: Generator<string, never>): Variable[] {
  const one = (name: string, type: 'string' | 'wire', bits: number, start: string): Variable => ({
    code: code.next().value,
    name,
    type,
    bits,
    start,
  });
  return [
    one('owner', 'string', 1, IDLE.owner),
    one('phase', 'string', 1, IDLE.phase),
    one('AD', 'wire', 64, 'z'),
    one('C_BE_n', 'wire', 4, 'z'),
    ...Object.keys(HIGH).map((name) => one(name, 'wire', 1, '1')),
  ];
}

/** Changes of a bus's variables; what stays the same from clock to clock is not said again. */
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
      if (last.get(variable.name) === value) continue;
      last.set(variable.name, value);
      yield { at: Math.round(at), text: changeOf(variable, value) };
    }
  }
  for (const of of allTransactions(machine, trace, bus)) {
    const owner = nameOf(machine.parts[of.master ?? -1]?.title ?? 'nobody');
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

/** Piece by piece, so that whoever writes it can rest in between. */
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
  for (const [part, { title }] of machine.parts.entries()) {
    const own: Variable[] = [];
    for (const lane of trace.lanes.filter((one) => one.part === part)) {
      const name = nameOf(lane.track);
      own.push({ code: code.next().value, name, type: 'string', bits: 1, start: 'idle' });
      changes.push(laneChanges(lane, own.at(-1) as Variable, endPs));
    }
    const bus = buses.find((one) => one.part === part);
    if (bus) {
      const signals = busVariables(code);
      own.push(...signals);
      changes.push(busChanges(machine, trace, bus, signals));
    }
    declared.push(...own);
    if (own.length === 0) continue;
    yield `$scope module ${nameOf(title)} $end\n`;
    for (const { type, bits, code: id, name } of own)
      yield `$var ${type} ${bits} ${id} ${name} $end\n`;
    yield '$upscope $end\n';
  }
  yield '$enddefinitions $end\n#0\n';
  for (const variable of declared) yield changeOf(variable, variable.start);
  let now = 0;
  for (const { at, text } of merged(changes)) {
    if (at !== now) yield `#${at}\n`;
    now = at;
    yield text;
  }
  if (endPs > now) yield `#${endPs}\n`;
}
