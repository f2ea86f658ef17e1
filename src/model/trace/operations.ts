/**
 * Operations whose time can be explained: transfers, calls and tasks. Each ends with a record; it began with an earlier
 * record of the same operation, or its length is a field of the last one.
 */
import type { EventField, EventWord } from '../../engine/gen/names';
import type { TracedMachine } from './event-text';
import { fieldIn, type Trace } from './trace';

export interface Operation {
  /** Record that ends it. */
  readonly end: number;
  readonly part: number;
  /** In picoseconds. */
  readonly from: number;
  readonly to: number;
}

interface Rule {
  readonly end: EventWord;
  /** The event that begins it, in the same part unless `by` names the type of another. */
  readonly begin?: EventWord;
  readonly by?: string;
  /** Fields that are equal at both ends. */
  readonly same?: readonly EventField[];
  /** The field of the last record with the length. */
  readonly length?: EventField;
}

/** The operations of each type of part. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  processor: [
    { end: 'done', begin: 'begin', same: ['op', 'row'] },
    { end: 'return', begin: 'call', same: ['op', 'row'] },
    { end: 'lap', length: 'time' },
  ],
  dma_device: [{ end: 'finished', begin: 'started', same: ['channel'] }],
  bus_master: [{ end: 'done', begin: 'start' }],
  gt: [{ end: 'complete', begin: 'command', same: ['engine'] }],
  gt_driver: [{ end: 'return', begin: 'call', same: ['thread'] }],
  tcpip: [
    { end: 'finished', begin: 'received', by: 'ethernet', same: ['packet'] },
    { end: 'transmitted', begin: 'composed', same: ['packet'] },
  ],
  kernel: [
    { end: 'release', length: 'time' },
    { end: 'missed', length: 'time' },
  ],
  nfs: [{ end: 'answer', length: 'time' }],
  iommu: [{ end: 'walked', length: 'time' }],
  peer: [{ end: 'complete', length: 'time' }],
};

/** The events that begin a row of a program: it is the same row whatever it does. */
const ROW = { type: 'processor', events: ['row', 'begin', 'call'], same: ['row'] } as const;

/** Fields that tell an operation that an event begins from others of its kind; null if it begins none. */
export function beginsOperation(type: string, event: EventWord): readonly EventField[] | null {
  if (type === ROW.type) return ROW.events.some((name) => name === event) ? ROW.same : null;
  for (const [owner, rules] of Object.entries(RULES))
    for (const { begin, by = owner, same = [] } of rules)
      if (begin === event && by === type) return same;
  return null;
}

const ruleOf = (machine: TracedMachine, trace: Trace, seq: number): Rule | undefined =>
  RULES[machine.parts[trace.partOf(seq)]?.type.name ?? '']?.find(
    ({ end }) => end === trace.event(seq)?.name,
  );

/** Whether a record ends an operation. */
export const endsOperation = (machine: TracedMachine, trace: Trace, seq: number): boolean =>
  ruleOf(machine, trace, seq) !== undefined;

/** Records looked at for the beginning: some milliseconds. */
export const LOOK_BACK = 1 << 17;

/** The record that begins the operation that ends with a record; null if it is not kept. */
function beginningOf(
  machine: TracedMachine,
  trace: Trace,
  seq: number,
  { begin, by, same = [] }: Rule,
): number | null {
  const [end, ended] = [trace.record(seq), trace.event(seq)];
  if (!end || !ended || !begin) return null;
  const values = same.map((name) => fieldIn(ended, end, name));
  for (let at = seq - 1; at >= Math.max(trace.first, seq - LOOK_BACK); at--) {
    const event = trace.event(at);
    if (event?.name !== begin) continue;
    const record = trace.record(at);
    const isOwn = by
      ? machine.parts[record?.part ?? -1]?.type.name === by
      : record?.part === end.part;
    if (record && isOwn && same.every((name, i) => fieldIn(event, record, name) === values[i]))
      return at;
  }
  return null;
}

/** The operation that ends with a record; null if it ends none, or its beginning is not kept. */
export function operationEnding(
  machine: TracedMachine,
  trace: Trace,
  seq: number,
): Operation | null {
  const rule = ruleOf(machine, trace, seq);
  const [record, event] = [trace.record(seq), trace.event(seq)];
  if (!rule || !record || !event) return null;
  const { part, timePs: to } = record;
  if (rule.length) {
    const length = fieldIn(event, record, rule.length) ?? 0;
    const from = to - length;
    return from < trace.timeOf(trace.first) && trace.first > 1
      ? null
      : { end: seq, part, from: Math.max(0, from), to };
  }
  const begin = beginningOf(machine, trace, seq, rule);
  return begin === null ? null : { end: seq, part, from: trace.timeOf(begin), to };
}

/** The nearest record from `seq` on, in steps of `by`, that ends an operation of some length. */
export function nearestOperation(
  machine: TracedMachine,
  trace: Trace,
  seq: number,
  by: 1 | -1,
  last: number,
): Operation | null {
  for (let at = seq; trace.has(at) && at <= last; at += by) {
    const found = endsOperation(machine, trace, at) ? operationEnding(machine, trace, at) : null;
    if (found && found.to > found.from) return found;
  }
  return null;
}
