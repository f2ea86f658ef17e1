/** The lanes of the open run, from its trace, for one time window. */

import type { CompiledMachine } from '../../model/scenario/compiled';
import { initiatorOf } from '../../model/trace/initiator';
import type { Lane, Span } from '../../model/trace/lane';
import type { Trace } from '../../model/trace/trace';
import { actorOf } from '../glyph';
import { type LaneGroup, laneGroups, sharedUse } from './folded-lanes';
import { arranged, type LaneChoice, NO_CHOICE } from './lane-choice';
import type { TimelineLane } from './timeline';
import type { Window } from './timeline-axis';

/** States that are pure loss, whatever the part's style for them: time spent spinning for a lock. */
const LOSS: ReadonlySet<string> = new Set(['spin']);

const styleOf = ({ name, style }: Span['state']): string => (LOSS.has(name) ? 'blocked' : style);

function spanOf(machine: CompiledMachine, trace: Trace, span: Span): TimelineLane['spans'][0] {
  const { from, to, state, seq } = span;
  const origin = initiatorOf(trace, machine, span);
  const actor = origin === null ? null : actorOf(machine.parts, origin);
  return { from, to, style: styleOf(state), title: state.title, actor, seq };
}

/**
 * The lane of a part with one track has the part's name; with several, each track has its own. Two
 * cards of a kind would share those: there the card is named, and what distinguishes the track on it.
 */
function titleOf(machine: CompiledMachine, trace: Trace, lane: Lane): string {
  const part = machine.parts[lane.part];
  if (!part || part.type.tracks.length < 2) return part?.title ?? lane.title;
  const isShared = trace.lanes.some(
    (other) =>
      other.part !== lane.part &&
      other.title === lane.title &&
      (machine.parts[other.part]?.type.tracks.length ?? 0) > 1,
  );
  if (!isShared) return lane.title;
  const titles = part.type.tracks.map(({ title }) => title.split(' '));
  const isOwn = (word: string) => !titles.every((words) => words.includes(word));
  const own = lane.title.split(' ').filter(isOwn).join(' ');
  return `${part.title}, ${own || lane.title}`;
}

function laneOf(machine: CompiledMachine, trace: Trace, lane: Lane, window: Window): TimelineLane {
  return {
    id: `${lane.part} ${lane.track}`,
    part: lane.part,
    title: titleOf(machine, trace, lane),
    actor: actorOf(machine.parts, lane.part),
    spans: lane.between(window.from, window.to).map((span) => spanOf(machine, trace, span)),
  };
}

interface Choice {
  /** Tracks as "part.track"; empty: all. */
  readonly tracks: readonly string[];
  /** At most this many lanes; the last one counts those of the least busy parts, which are left out. */
  readonly most: number;
  /** The reader's choice. */
  readonly choice?: LaneChoice;
  /** A part that a sentence names: it has a lane even where there is room for few. */
  readonly named?: number | null;
}

/** The name of a lane in scenarios: "part.track". */
export const laneName = (machine: CompiledMachine, { part, track }: Lane): string =>
  `${machine.parts[part]?.name}.${track}`;

/**
 * Processors are adjacent, at the position of the first, including those that a scenario adds to its machine.
 */
function inOrder(machine: CompiledMachine, lanes: readonly Lane[]): readonly Lane[] {
  const isProcessor = ({ part }: Lane) => machine.parts[part]?.type.name === 'processor';
  const first = lanes.findIndex(isProcessor);
  if (first < 0) return lanes;
  const others = lanes.slice(first).filter((lane) => !isProcessor(lane));
  return [...lanes.slice(0, first), ...lanes.filter(isProcessor), ...others];
}

/** A part busy for less than this share of the trace counts as idle. */
const HARDLY = 0.005;

/** A line of the sheet: a lane, or those that are folded into one. */
interface Line {
  readonly lanes: readonly Lane[];
  readonly group: LaneGroup | null;
  readonly isPinned: boolean;
  readonly active: number;
}

/** Folded lanes are one line, at the place of the first. */
function linesOf(
  machine: CompiledMachine,
  all: readonly Lane[],
  { folded, pinned }: LaneChoice,
): readonly Line[] {
  const groups = laneGroups(machine, all).filter(({ type }) => folded.includes(type));
  return all.flatMap((lane): Line[] => {
    const group = groups.find(({ lanes }) => lanes.includes(lane)) ?? null;
    if (group && group.lanes[0] !== lane) return [];
    const lanes = group?.lanes ?? [lane];
    const isPinned = lanes.some((one) => pinned.includes(laneName(machine, one)));
    const active = Math.max(...lanes.map((one) => one.active));
    return [{ lanes, group, isPinned, active }];
  });
}

/**
 * The pinned and the busiest lines, in their original order; that of the named part in place of the quietest, so that
 * the others stay where they are from sentence to sentence.
 */
function busiest(lines: readonly Line[], most: number, named: number | null): readonly Line[] {
  if (lines.length <= most) return lines;
  const ranked = lines.toSorted(
    (a, b) => Number(b.isPinned) - Number(a.isPinned) || b.active - a.active,
  );
  const kept = ranked.slice(0, most);
  const isNamed = (line: Line) => line.lanes.some(({ part }) => part === named);
  const missing = kept.some(isNamed) ? undefined : ranked.find(isNamed);
  if (missing) kept.splice(-1, 1, missing);
  return lines.filter((line) => kept.includes(line));
}

function drawnLine(
  machine: CompiledMachine,
  trace: Trace,
  { lanes, group }: Line,
  window: Window,
): TimelineLane[] {
  const [first] = lanes;
  if (!first) return [];
  if (!group) return [laneOf(machine, trace, first, window)];
  const { part } = first;
  return [
    {
      ...{ id: `folded ${group.type}`, part, title: group.title },
      actor: actorOf(machine.parts, part),
      spans: sharedUse(lanes, window.from, window.to),
    },
  ];
}

/** An empty lane that says how many are left out. */
const quieter = (others: number): TimelineLane => ({
  id: 'quieter',
  part: -1,
  title: `+ ${others} quieter`,
  actor: '',
  spans: [],
});

/** All lanes that the scenario shows, in the order of the reader's choice, hidden ones left out. */
export function chosenLanes(
  machine: CompiledMachine,
  trace: Trace,
  tracks: readonly string[],
  choice: LaneChoice,
): readonly Lane[] {
  const all = inOrder(machine, trace.lanes).filter(
    (lane) => tracks.length === 0 || tracks.includes(laneName(machine, lane)),
  );
  return arranged(all, (lane) => laneName(machine, lane), choice);
}

export function lanesOf(
  machine: CompiledMachine,
  trace: Trace,
  window: Window,
  { tracks, most, choice = NO_CHOICE, named = null }: Choice,
): TimelineLane[] {
  const all = linesOf(machine, chosenLanes(machine, trace, tracks, choice), choice);
  const drawn = (lines: readonly Line[]) =>
    lines.flatMap((line) => drawnLine(machine, trace, line, window));
  const recorded = trace.record(trace.last)?.timePs ?? 0;
  if (all.length <= most) return drawn(all);
  const busy = all.filter(
    ({ active, isPinned, lanes }) =>
      active > HARDLY * recorded || isPinned || lanes.some(({ part }) => part === named),
  );
  const shown = busiest(busy.length > 0 ? busy : all, Math.max(1, most - 1), named);
  return [...drawn(shown), quieter(all.length - shown.length)];
}
