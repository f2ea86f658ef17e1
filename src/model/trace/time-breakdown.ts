/**
 * Splits the time of a transfer, using the lanes of its run, into software, words moved one by one, data moved by a
 * device, and waiting. The device takes precedence, because software that runs in parallel costs nothing; the
 * processor's activity is kept separately as `busy`.
 */

import type { TracedMachine } from './event-text';
import type { Lane, Span } from './lane';
import type { Trace } from './trace';

export type CostKind = 'software' | 'words' | 'copy' | 'device' | 'work' | 'waiting';

interface CostPiece {
  readonly kind: CostKind;
  readonly from: number;
  readonly to: number;
}

export interface Costs {
  readonly from: number;
  readonly to: number;
  /** In order of time, without gaps. */
  readonly pieces: readonly CostPiece[];
  readonly total: Readonly<Record<CostKind, number>>;
  /** When the processor was not idle. */
  readonly busy: readonly { readonly from: number; readonly to: number }[];
  readonly busyTime: number;
}

/** Category of each processor state. States that are not listed are software. */
const MEANING: Readonly<Record<string, CostKind>> = {
  store: 'words',
  stall: 'words',
  load: 'words',
  copy: 'copy',
  fill: 'copy',
  work: 'work',
};

/** The state in which a device's engine moves data. */
const MOVING = 'data';

const isProcessor = (machine: TracedMachine, lane: Lane) =>
  machine.parts[lane.part]?.type.actor === 'cpu';

/** Engines that move the data: those of cards, or of other devices if there is no card. */
function enginesOf(machine: TracedMachine, trace: Trace): Lane[] {
  const actor = (lane: Lane) => machine.parts[lane.part]?.type.actor ?? '';
  const all = trace.lanes.filter(
    (lane) =>
      !['bus', 'cpu'].includes(actor(lane)) && lane.states.some((state) => state.name === MOVING),
  );
  const cards = all.filter((lane) => actor(lane) === 'card');
  return cards.length > 0 ? cards : all;
}

/** Category of a processor state. */
export const costKindOfState = (name: string): CostKind => MEANING[name] ?? 'software';

/** Splits an interval at every state change and classifies each piece. */
function pieces(
  from: number,
  to: number,
  lanes: readonly (readonly Span[])[],
  kindAt: (timePs: number) => CostKind,
): CostPiece[] {
  const cuts = new Set([from, to]);
  for (const spans of lanes)
    for (const span of spans)
      for (const cut of [span.from, span.to]) if (cut > from && cut < to) cuts.add(cut);
  const times = [...cuts].sort((a, b) => a - b);
  const found: CostPiece[] = [];
  for (let i = 1; i < times.length; i++) {
    const [start, end] = [times[i - 1] as number, times[i] as number];
    const kind = kindAt(start);
    const last = found.at(-1);
    if (last?.kind === kind) found[found.length - 1] = { ...last, to: end };
    else found.push({ kind, from: start, to: end });
  }
  return found;
}

/** Looks up spans for increasing times. */
function cursor(spans: readonly Span[]): (timePs: number) => Span | null {
  let i = 0;
  return (timePs) => {
    while (i < spans.length && (spans[i] as Span).to <= timePs) i++;
    const span = spans[i];
    return span && span.from <= timePs ? span : null;
  };
}

/** The costs of an interval, such as one lap of a benchmark. */
export function costsOf(machine: TracedMachine, trace: Trace, from: number, to: number): Costs {
  const cpuLane = trace.lanes.find((lane) => isProcessor(machine, lane));
  const cpuSpans = cpuLane?.between(from, to) ?? [];
  const engineSpans = enginesOf(machine, trace).map((lane) =>
    lane.between(from, to).filter((span) => span.state.name === MOVING),
  );
  const cpu = cursor(cpuSpans);
  const engines = engineSpans.map(cursor);
  const list = pieces(from, to, [cpuSpans, ...engineSpans], (timePs) => {
    const moving = engines.map((engine) => engine(timePs)).some((span) => span !== null);
    const span = cpu(timePs);
    if (moving) return 'device';
    return span ? costKindOfState(span.state.name) : 'waiting';
  });
  const total = { software: 0, words: 0, copy: 0, device: 0, work: 0, waiting: 0 };
  for (const piece of list) total[piece.kind] += piece.to - piece.from;
  const busy = merged(cpuSpans, from, to);
  const busyTime = busy.reduce((sum, span) => sum + span.to - span.from, 0);
  return { from, to, pieces: list, total, busy, busyTime };
}

function merged(spans: readonly Span[], from: number, to: number) {
  const list: { from: number; to: number }[] = [];
  for (const span of spans) {
    const [start, end] = [Math.max(span.from, from), Math.min(span.to, to)];
    const last = list.at(-1);
    if (last && last.to >= start) last.to = Math.max(last.to, end);
    else if (end > start) list.push({ from: start, to: end });
  }
  return list;
}

export interface Lap {
  readonly from: number;
  readonly to: number;
  readonly seq: number;
}

/** The recorded laps: each `lap` event has the duration of the lap that it ends. */
export function lapsOf(trace: Trace): Lap[] {
  const laps: Lap[] = [];
  for (const seq of trace.matching((event) => event.name === 'lap')) {
    const took = trace.fields(seq).find((field) => field.as === 'time');
    const record = trace.record(seq);
    if (took && record) laps.push({ from: record.timePs - took.value, to: record.timePs, seq });
  }
  return laps;
}
