/** Recorded runs of the lab as lanes on one time axis, each from the start of its last transfer. */
import { count, integer, text, time } from '../../base/format';
import type { LabPlan } from '../../model/lab/plan';
import type { LabRecord } from '../../model/lab/state';
import type { Lane, Span } from '../../model/trace/lane';
import { seriesStyle } from '../lab/series-looks';
import type { LaneGroupInput, LaneNote, LaneSpan, SpanStyle } from './lanes';

const STYLES: readonly SpanStyle[] = [
  'solid',
  'hatch',
  'blocked',
  'light',
  'outline',
  'dashed',
  'line',
];
const styleOf = (style: string): SpanStyle => STYLES.find((one) => one === style) ?? 'solid';

/** Parts whose lanes are shown. */
const LANE_ACTORS = ['cpu', 'card', 'bus'];

/** From this many successive spans on, they share one label. */
const MANY = 6;

const words = (title: string, ps: number): string => `${title}, ${text(time(ps, 3))}`;

/** A long sequence of the same few states, too many to be told apart. */
function repeats(group: readonly Span[]): boolean {
  const states = new Set(group.map((span) => span.state.name));
  return group.length >= MANY && group.length >= 3 * states.size;
}

/** Spans that follow one another closely, such as the stores of one copy. */
function series(spans: readonly Span[]): Span[][] {
  const groups: Span[][] = [];
  for (const span of spans) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && span.from - last.to <= last.to - last.from) group.push(span);
    else groups.push([span]);
  }
  return groups;
}

/** The most common state of a long sequence of short spans, and its count. */
function noteOf(group: readonly Span[]): LaneNote | null {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last || !repeats(group)) return null;
  const times = new Map<string, { time: number; count: number }>();
  for (const span of group) {
    const before = times.get(span.state.title) ?? { time: 0, count: 0 };
    times.set(span.state.title, {
      time: before.time + span.to - span.from,
      count: before.count + 1,
    });
  }
  const [main] = [...times].sort((a, b) => b[1].time - a[1].time);
  if (!main) return null;
  const [title, { count: often }] = main;
  return {
    fromPs: first.from,
    toPs: last.to,
    text: `${title}, ${count(often, 'time')}`,
    quiet: false,
  };
}

/** Where the processor has nothing to do for this transfer. */
function freeOf(spans: readonly Span[], from: number, to: number): LaneNote[] {
  const notes: LaneNote[] = [];
  let at = from;
  for (const span of [...spans, { from: to, to }]) {
    if (span.from > at)
      notes.push({
        fromPs: at,
        toPs: span.from,
        text: words('free for other work', span.from - at),
        quiet: true,
      });
    at = Math.max(at, span.to);
  }
  return notes;
}

function laneOf(record: LabRecord, lane: Lane) {
  const { machine, from, recordedTo: to } = record;
  const actor = machine.parts[lane.part]?.type.actor ?? '';
  const cut = lane
    .between(from, to)
    .map((span) => ({ ...span, from: Math.max(span.from, from), to: Math.min(span.to, to) }))
    .filter((span) => span.to > span.from);
  const groups = series(cut);
  const named = new Set(groups.filter(repeats).flat());
  const spans = cut.map(
    (span): LaneSpan => ({
      fromPs: span.from - from,
      toPs: span.to - from,
      style: styleOf(span.state.style),
      tone: actor === 'cpu' ? 'ink' : 'hue',
      text: named.has(span) ? '' : span.state.title,
    }),
  );
  const moved = (note: LaneNote): LaneNote => ({
    ...note,
    fromPs: note.fromPs - from,
    toPs: note.toPs - from,
  });
  const notes = [
    ...groups.flatMap((group) => noteOf(group) ?? []),
    ...(actor === 'cpu' ? freeOf(cut, from, to) : []),
  ].map(moved);
  return { id: `${lane.part}.${lane.track}`, title: lane.title, spans, notes };
}

/** The lanes of one run: its processor, card and bus, if active. */
export function laneGroup(plan: LabPlan, record: LabRecord): LaneGroupInput | null {
  const series = plan.series[record.place.series];
  if (!series) return null;
  const { machine, trace, from, to } = record;
  const actorOf = (lane: Lane) => machine.parts[lane.part]?.type.actor ?? '';
  const lanes = trace.lanes
    .filter((lane) => LANE_ACTORS.includes(actorOf(lane)))
    .toSorted((a, b) => LANE_ACTORS.indexOf(actorOf(a)) - LANE_ACTORS.indexOf(actorOf(b)))
    .map((lane) => ({ actor: actorOf(lane), ...laneOf(record, lane) }))
    .filter((lane) => lane.spans.length > 0);
  const complete = record.recordedTo === to;
  const onBus = lanes.filter((lane) => lane.actor === 'bus').flatMap((lane) => lane.spans).length;
  return {
    id: `${record.place.series} ${record.place.size}`,
    title: series.title,
    note: complete ? `${integer(onBus)} on the bus` : 'the start of it',
    hue: seriesStyle(plan, series).hue,
    endPs: to - from,
    recordedPs: record.recordedTo - from,
    lanes,
  };
}
