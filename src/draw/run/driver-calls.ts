/** Driver calls as text and bars: their actions, the states of their threads, their results. */
import { address, bytes, count, integer, text, time } from '../../base/format';
import type { Clock } from '../../model/drivers/driver-roles';
import type { DriverCall } from '../../model/drivers/mapping-calls';

/** Thread states that bars distinguish, with the styles of lanes. */
export const KINDS = [
  { kind: 'busy', title: 'executing' },
  { kind: 'waiting', title: 'waiting' },
  { kind: 'ordering', title: 'flush or purge' },
] as const;

type Kind = (typeof KINDS)[number]['kind'];

const kindOf = (style: string | undefined): Kind =>
  style === 'hatch' || style === 'blocked' ? 'waiting' : style === 'light' ? 'ordering' : 'busy';

const span = (ps: number): string => text(time(ps));
const sum = (values: Iterable<number>): number => [...values].reduce((all, one) => all + one, 0);

/** "map", "interrupt" */
export const callName = ({ cpu, row }: DriverCall): string =>
  row === null ? 'interrupt' : (cpu.rows[row]?.operation.title ?? 'call');

/** "0x100000, 8 KiB, tag 0" */
export function callArguments({ cpu, row }: DriverCall): string {
  const fields = row === null ? [] : (cpu.rows[row]?.fields ?? []);
  return fields
    .map(({ name, type, value }) => {
      if (type === 'address') return name === 'from' ? address(value) : `${name} ${address(value)}`;
      if (name === 'bytes') return text(bytes(value));
      if (type === 'bytes') return `${name} ${text(bytes(value))}`;
      return `${name} ${type === 'time' ? span(value) : integer(value)}`;
    })
    .join(', ');
}

/** How long its thread had the processor. */
export const onProcessor = ({ states }: DriverCall): number => sum(states.values());

/** Time between call and return without the processor. */
const away = (call: DriverCall): number =>
  call.to === null ? 0 : Math.max(0, call.to - call.from - onProcessor(call));

/** Time on the processor by kind, in the order of `KINDS`. */
export function byKind({ cpu, states }: DriverCall): number[] {
  const times = new Map<Kind, number>();
  for (const [state, ps] of states) {
    const kind = kindOf(cpu.states[state]?.style);
    times.set(kind, (times.get(kind) ?? 0) + ps);
  }
  return KINDS.map(({ kind }) => times.get(kind) ?? 0);
}

export const transactionsOf = ({ transactions }: DriverCall): number => sum(transactions.values());
export const storesOf = ({ entries, cleared }: DriverCall): number => entries + cleared;

/** "2.31 µs" */
export const tookText = ({ from, to }: DriverCall): string =>
  to === null ? 'under way' : span(to - from);

/** Times by state, the longest first: "I/O services 1.2 µs, waiting for a line 0.4 µs". */
function statesText(call: DriverCall): string {
  const { cpu, states } = call;
  const times = [...states]
    .filter(([, ps]) => ps > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([state, ps]) => `${cpu.states[state]?.title ?? 'something'} ${span(ps)}`);
  const left = away(call);
  return [...times, ...(left > 0 ? [`off the processor ${span(left)}`] : [])].join(', ');
}

function transactionsText({ transactions }: DriverCall): string {
  const total = sum(transactions.values());
  const kinds = [...transactions].map(([title, times]) => `${integer(times)} ${title}`).join(', ');
  return total > 0 ? `${count(total, 'bus transaction')}: ${kinds}` : '';
}

const some = (amount: number, words: string): string => (amount > 0 ? words : '');

/** The results of a call. */
function consequences(call: DriverCall): string[] {
  const { entries, cleared, purges, registers, refused } = call;
  return [
    transactionsText(call),
    some(entries, `${count(entries, 'entry', 'entries')} of the directory written`),
    some(cleared, `${count(cleared, 'entry', 'entries')} cleared`),
    some(registers, `${count(registers, 'store')} to device registers`),
    some(purges, `${count(purges, 'purge')} of the TLB`),
    refused ? 'refused' : '',
  ].filter((words) => words !== '');
}

/** A call in one sentence. */
export function callSentence(call: DriverCall, clock: Clock | null): string {
  const { cpu, row, from, to } = call;
  const what = [callName(call), callArguments(call)].filter((words) => words !== '').join(' ');
  const where = row === null ? cpu.title : `row ${integer(row + 1)} of ${cpu.title}`;
  const cycles =
    clock && to !== null
      ? ` (${integer(((to - from) * clock.hertz) / 1e12)} cycles of ${clock.title})`
      : '';
  const states = statesText(call);
  const took = `${tookText(call)}${cycles}${states ? `: ${states}` : ''}`;
  return `${[`${what}, ${where}, at ${span(from)}: ${took}`, ...consequences(call)].join('; ')}.`;
}

/** Totals of all calls of one operation. */
export interface CallTotal {
  readonly name: string;
  readonly calls: number;
  /** Mean time of those that returned; null if none did. */
  readonly took: number | null;
  readonly kinds: readonly number[];
  readonly transactions: number;
  readonly stores: number;
  readonly purges: number;
}

function totalOf(name: string, calls: readonly DriverCall[]): CallTotal {
  const ended = calls.filter(({ to }) => to !== null);
  const mean = (of: (call: DriverCall) => number) =>
    ended.length === 0 ? 0 : sum(ended.map(of)) / ended.length;
  return {
    name,
    calls: calls.length,
    took: ended.length === 0 ? null : mean(({ from, to }) => (to ?? from) - from),
    kinds: KINDS.map((_, kind) => mean((call) => byKind(call)[kind] ?? 0)),
    transactions: sum(calls.map(transactionsOf)),
    stores: sum(calls.map(storesOf)),
    purges: sum(calls.map(({ purges }) => purges)),
  };
}

/** By operation, in the order of their first calls. */
export function totalsOf(calls: readonly DriverCall[]): CallTotal[] {
  const byName = new Map<string, DriverCall[]>();
  for (const call of calls) {
    const name = callName(call);
    const same = byName.get(name);
    if (same) same.push(call);
    else byName.set(name, [call]);
  }
  return [...byName].map(([name, same]) => totalOf(name, same));
}

/** "12 calls: 4 map, 4 start_dma, 4 unmap." */
export function summaryOf(totals: readonly CallTotal[]): string {
  const calls = sum(totals.map((total) => total.calls));
  if (calls === 0) return 'No driver has called yet.';
  const each = totals.map(({ name, calls: times }) => `${integer(times)} ${name}`).join(', ');
  return `${count(calls, 'call')}: ${each}.`;
}
