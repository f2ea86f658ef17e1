/** The bus analyser in words. */
import { address, bytes, count, fixed, percent, text } from '../../base/format';
import {
  type AnalysedBus,
  asserted,
  type BusTransaction,
  type Outcome,
  type Phase,
  type PhaseKind,
  phaseAt,
} from '../../model/coherence/bus-phases';
import type { AnalyserModel, ClockColumn } from './bus-analyser';

const PHASE_NAMES: Readonly<Record<PhaseKind | 'idle', string>> = {
  address: 'address',
  attributes: 'attributes',
  turn: 'turn-around',
  decode: 'decode',
  wait: 'wait',
  data: 'data',
  retry: 'retry',
  split: 'split response',
  abort: 'master abort',
  idle: 'idle',
};

const ENDS: Readonly<Record<Outcome, string>> = {
  end: 'all data was transferred',
  disconnected: 'the target ends the burst (disconnect)',
  preempted: 'it yields to another master',
  retried: 'the target asks for a retry',
  split: 'the target will answer later (split response)',
  unclaimed: 'no target claims the address (master abort)',
  open: 'its end is not recorded',
};

/** "16 of 22 clocks carry data: 73 %, 388 MB/s" */
export function efficiencyText({ clocks, dataClocks, bytes: moved, from, to }: BusTransaction) {
  if (dataClocks === 0) return 'no clock carries data';
  const rate = (moved / (to - from)) * 1e6;
  return `${dataClocks} of ${clocks} clocks carry data: ${percent((100 * dataClocks) / clocks)}, ${fixed(rate, 0)} MB/s`;
}

/** "clocks 6 to 21 data" */
function phaseText({ kind, clocks }: Phase, from: number): string {
  const name = PHASE_NAMES[kind];
  return clocks === 1 ? `clock ${from} ${name}` : `clocks ${from} to ${from + clocks - 1} ${name}`;
}

/** A transaction as a sentence, phase by phase. */
export function transactionText(of: BusTransaction, master: string): string {
  let clock = 0;
  const phases = of.phases.map((phase) => {
    const sentence = phaseText(phase, clock);
    clock += phase.clocks;
    return sentence;
  });
  const size = of.bytes > 0 ? ` of ${text(bytes(of.bytes))}` : '';
  const named = `${master}, ${of.command.title}${size} at ${address(of.address)}`;
  return `${named}: ${phases.join(', ')}; ${ENDS[of.outcome]}. ${of.dataClocks > 0 ? `${efficiencyText(of)}.` : ''}`.trim();
}

/** The events of a clock: "Clock 21, data phase 16 of 16; low: IRDY#, DEVSEL#, TRDY#, STOP#". */
export function columnText(model: AnalyserModel, column: ClockColumn, owner: string): string {
  if (column.transaction === null)
    return column.clocks > 1
      ? `The bus is idle for ${count(column.clocks, 'clock')}.`
      : 'The bus is idle.';
  const of = model.transactions[column.transaction];
  if (!of) return '';
  return clockText(model.bus, of, column, owner);
}

function clockText(
  bus: AnalysedBus,
  of: BusTransaction,
  { clock, clocks, kind }: ClockColumn,
  owner: string,
): string {
  const found = phaseAt(of, clock);
  const which = clocks > 1 ? `Clocks ${clock} to ${clock + clocks - 1}` : `Clock ${clock}`;
  const part =
    kind === 'data' && found && clocks === 1 ? ` ${found.index + 1} of ${found.phase.clocks}` : '';
  const low = asserted(bus, of, clock);
  const lines = low.length > 0 ? `; low: ${low.join(', ')}` : '';
  const end =
    clock + clocks === of.clocks && of.outcome !== 'end' ? ` Here ${ENDS[of.outcome]}.` : '';
  return `${which}, ${PHASE_NAMES[kind]}${part}; ${owner} owns the bus${lines}.${end}`;
}

/** The meaning of the phases' letters. */
export const legendText = ({ isX }: AnalysedBus): string =>
  isX
    ? 'A address, B attributes, D decode, S split response, R retry; hatched: the target waits'
    : 'A address, T turn-around, D decode, R retry; hatched: the target waits';
