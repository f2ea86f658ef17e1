/**
 * A PCI or PCI-X bus clock by clock, reconstructed from the trace of its transactions.
 *
 *   start ... end          address, (attributes,) turn-around, decode | wait | data
 *                          from parameters                              rest   bytes
 *
 * The engine has no pauses between the data phases of a burst, so the clocks between overhead and data are the
 * target’s initial wait states.
 */
import type { EnumMember } from '../../engine/manifest';
import type { CompiledMachine } from '../scenario/compiled';
import { portOwner } from '../trace/event-text';
import type { Span } from '../trace/lane';
import type { Trace, TraceRecord } from '../trace/trace';

export interface AnalysedBus {
  readonly part: number;
  readonly title: string;
  /** PCI-X: attributes and a response, split reads. */
  readonly isX: boolean;
  readonly clockPs: number;
  /** Width of the data bus in bytes. */
  readonly width: number;
  /** Decode clocks after the first. */
  readonly decode: number;
}

export type PhaseKind =
  | 'address'
  | 'attributes'
  | 'turn'
  | 'decode'
  | 'wait'
  | 'data'
  | 'retry'
  | 'split'
  | 'abort';

export interface Phase {
  readonly kind: PhaseKind;
  readonly clocks: number;
}

/** How a transaction ended, by the name of its event; `open` if it has not ended. */
const OUTCOMES = ['end', 'disconnected', 'preempted', 'retried', 'split', 'unclaimed'] as const;
export type Outcome = (typeof OUTCOMES)[number] | 'open';

export interface BusTransaction {
  /** Trace record that started it. */
  readonly seq: number;
  readonly from: number;
  readonly to: number;
  /** Part that owns the bus. */
  readonly master: number | null;
  readonly command: EnumMember;
  readonly address: number;
  /** The address with all 64 bits. */
  readonly exactAddress: bigint;
  /** Bytes moved, or requested by a split read. */
  readonly bytes: number;
  readonly outcome: Outcome;
  readonly clocks: number;
  readonly dataClocks: number;
  readonly phases: readonly Phase[];
}

/** The PCI and PCI-X buses of a machine. */
export function busesOf({ parts }: Pick<CompiledMachine, 'parts'>): AnalysedBus[] {
  return parts
    .filter(({ type }) => type.name === 'pci' || type.name === 'pcix')
    .map(({ index, title, type, params }) => {
      const at = (name: string) =>
        Number(params.find(({ spec }) => spec.name === name)?.value ?? 0n);
      const clockPs = 1e12 / at('clock');
      const isX = type.name === 'pcix';
      return { part: index, title, isX, clockPs, width: at('width'), decode: at('decode') };
    });
}

/** The bus's next record: the bus is idle between the end of a transaction and the next start. */
function endOf(trace: Trace, { part }: AnalysedBus, seq: number): TraceRecord | null {
  for (let at = seq + 1; at <= trace.last; at++) {
    const record = trace.record(at);
    if (record?.part === part) return record;
  }
  return null;
}

/** Address, attributes, turn-around and decode: the phases before data. */
function overture(bus: AnalysedBus, reads: boolean): Phase[] {
  if (bus.isX)
    return [
      { kind: 'address', clocks: 1 },
      { kind: 'attributes', clocks: 1 },
      { kind: 'decode', clocks: 1 + bus.decode },
    ];
  return [
    { kind: 'address', clocks: 1 },
    { kind: 'turn', clocks: reads ? 1 : 0 },
    { kind: 'decode', clocks: reads ? Math.max(bus.decode - 1, 0) : bus.decode },
  ];
}

const LAST: Readonly<Partial<Record<Outcome, PhaseKind>>> = {
  retried: 'retry',
  split: 'split',
  unclaimed: 'abort',
};

/**
 * Phases of a transaction without data: the last clock is the target's answer or the master abort, those before it
 * are decode.
 */
function phasesWithout(before: readonly Phase[], clocks: number, last: PhaseKind): Phase[] {
  const address = before.filter(({ kind }) => kind !== 'decode');
  const used = address.reduce((sum, phase) => sum + phase.clocks, 0);
  return [
    ...address,
    { kind: 'decode', clocks: clocks - used - 1 },
    { kind: last, clocks: Math.min(1, clocks - used) },
  ];
}

function phasesOf(bus: AnalysedBus, clocks: number, data: number, reads: boolean, end: Outcome) {
  const before = overture(bus, reads);
  const last = LAST[end];
  const used = before.reduce((sum, phase) => sum + phase.clocks, 0);
  const phases: Phase[] = last
    ? phasesWithout(before, clocks, last)
    : [...before, { kind: 'wait', clocks: clocks - used - data }, { kind: 'data', clocks: data }];
  return phases.filter((phase) => phase.clocks > 0);
}

const hasData = (outcome: Outcome): boolean => LAST[outcome] === undefined && outcome !== 'open';

function transactionOf(
  machine: CompiledMachine,
  trace: Trace,
  bus: AnalysedBus,
  span: Span,
): BusTransaction | null {
  const start = trace.record(span.seq);
  if (!start) return null;
  const end = endOf(trace, bus, span.seq);
  const ending = end ? trace.event(end.seq)?.name : undefined;
  const outcome = OUTCOMES.find((name) => name === ending) ?? 'open';
  const to = end?.timePs ?? span.from;
  const clocks = Math.round((to - span.from) / bus.clockPs);
  const bytes = end && outcome !== 'retried' && outcome !== 'unclaimed' ? end.b : 0;
  const shift = bus.isX ? start.a % bus.width : 0;
  const dataClocks = hasData(outcome) ? Math.ceil((shift + bytes) / bus.width) : 0;
  const reads = span.state.name.startsWith('read');
  const owner = portOwner(machine, bus.part, start.c);
  return {
    seq: span.seq,
    from: span.from,
    to,
    master: owner < 0 ? null : owner,
    command: span.state,
    address: start.a,
    exactAddress: start.exact,
    bytes,
    outcome,
    clocks,
    dataClocks,
    phases: phasesOf(bus, clocks, dataClocks, reads, outcome),
  };
}

const present = <T>(found: T | null): found is T => found !== null;

/** The transaction at a time, or the last one before it, with some before and after it. */
export function transactionsAround(
  machine: CompiledMachine,
  trace: Trace,
  bus: AnalysedBus,
  timePs: number,
  most: { readonly before: number; readonly after: number },
): BusTransaction[] {
  const spans = trace.lane(bus.part, 'bus')?.around(timePs, most.before, most.after) ?? [];
  return spans.map((span) => transactionOf(machine, trace, bus, span)).filter(present);
}

/** All transactions in the trace, in order, generated lazily. */
export function* allTransactions(
  machine: CompiledMachine,
  trace: Trace,
  bus: AnalysedBus,
): Generator<BusTransaction> {
  for (const span of trace.lane(bus.part, 'bus')?.between(0, Number.POSITIVE_INFINITY) ?? []) {
    const found = transactionOf(machine, trace, bus, span);
    if (found) yield found;
  }
}

/** Control signals. All are active low. */
export const SIGNALS = ['FRAME#', 'IRDY#', 'DEVSEL#', 'TRDY#', 'STOP#'] as const;
export type Signal = (typeof SIGNALS)[number];

/** The signals asserted in a clock of a transaction, by the rules of the bus. */
export function asserted(bus: AnalysedBus, of: BusTransaction, clock: number): Signal[] {
  const { clocks, dataClocks, outcome } = of;
  const last = clock === clocks - 1;
  const claimed = clock >= (bus.isX ? 2 : 1) + bus.decode;
  const on: Readonly<Record<Signal, boolean>> = {
    // In the last data phase FRAME# is deasserted and IRDY# asserted.
    'FRAME#': !last || clock === 0,
    'IRDY#': clock >= (bus.isX ? 2 : 1),
    'DEVSEL#': outcome === 'retried' ? last : claimed && hasData(outcome),
    // A split response asserts only TRDY#.
    'TRDY#': outcome === 'split' ? last : dataClocks > 0 && clock >= clocks - dataClocks,
    'STOP#': last && (outcome === 'retried' || outcome === 'disconnected'),
  };
  return SIGNALS.filter((signal) => on[signal]);
}

/** The phase that contains a clock of a transaction, and the clock's index within it. */
export function phaseAt(of: BusTransaction, clock: number): { phase: Phase; index: number } | null {
  let from = 0;
  for (const phase of of.phases) {
    if (clock < from + phase.clocks) return { phase, index: clock - from };
    from += phase.clocks;
  }
  return null;
}

const SHORT: Readonly<Record<string, string>> = {
  read: 'MR',
  write: 'MW',
  write_invalidate: 'MWI',
  read_line: 'MRL',
  read_multiple: 'MRM',
  completion: 'split completion',
  read_block: 'MRB',
  write_block: 'MWB',
};

/** Abbreviation: "MRM". */
export const shortCommand = ({ name, title }: EnumMember): string => SHORT[name] ?? title;
