/** The lanes of the opened run, from its record, for one window of time. */

import type { CompiledMachine } from '../../model/scenario/compile';
import { initiatorOf } from '../../model/trace/initiator';
import type { Lane, Span } from '../../model/trace/lane';
import type { Trace } from '../../model/trace/trace';
import { actorOf } from '../glyph';
import type { TimelineLane } from './timeline';
import type { Window } from './timeline-axis';

/** States that are pure loss, whatever a part's own style for them is: time spent spinning for a lock. */
const LOSS: ReadonlySet<string> = new Set(['spin']);

const styleOf = ({ name, style }: Span['state']): string => (LOSS.has(name) ? 'blocked' : style);

function spanOf(machine: CompiledMachine, trace: Trace, span: Span): TimelineLane['spans'][0] {
  const { from, to, state, seq } = span;
  const origin = initiatorOf(trace, machine, span);
  const actor = origin === null ? null : actorOf(machine.parts, origin);
  return { from, to, style: styleOf(state), title: state.title, actor, seq };
}

/** A part with one track gives the lane its name; with several, each track names its own. */
function laneOf(machine: CompiledMachine, trace: Trace, lane: Lane, window: Window): TimelineLane {
  const part = machine.parts[lane.part];
  const alone = (part?.type.tracks.length ?? 0) < 2;
  return {
    id: `${lane.part} ${lane.track}`,
    part: lane.part,
    title: alone ? (part?.title ?? lane.title) : lane.title,
    actor: actorOf(machine.parts, lane.part),
    spans: lane.between(window.from, window.to).map((span) => spanOf(machine, trace, span)),
  };
}

interface Choice {
  /** Tracks as "part.track"; all of them if it is empty. */
  readonly wanted: readonly string[];
  /** So many lanes have room; if there are more, those of parts that do least are left out. */
  readonly most: number;
}

/** Processors stand together, where the first of them does, also those that a scenario adds to its machine. */
function inOrder(machine: CompiledMachine, lanes: readonly Lane[]): readonly Lane[] {
  const isProcessor = ({ part }: Lane) => machine.parts[part]?.type.name === 'processor';
  const first = lanes.findIndex(isProcessor);
  if (first < 0) return lanes;
  const others = lanes.slice(first).filter((lane) => !isProcessor(lane));
  return [...lanes.slice(0, first), ...lanes.filter(isProcessor), ...others];
}

/** A part busy for less than this share of the record is as good as idle. */
const HARDLY = 0.005;
/** How many lanes, for each that has room for its name, fit where they are as low as they can be. */
const CROWDED = 1.7;

/** So many of them that are busy for longest, in their order. */
function busiest(lanes: readonly Lane[], most: number): readonly Lane[] {
  if (lanes.length <= most) return lanes;
  const kept = new Set(lanes.toSorted((a, b) => b.active - a.active).slice(0, most));
  return lanes.filter((lane) => kept.has(lane));
}

export function lanesOf(
  machine: CompiledMachine,
  trace: Trace,
  window: Window,
  { wanted, most }: Choice,
): TimelineLane[] {
  const all = inOrder(machine, trace.lanes).filter(
    (lane) =>
      wanted.length === 0 || wanted.includes(`${machine.parts[lane.part]?.name}.${lane.track}`),
  );
  const recorded = trace.record(trace.last)?.timePs ?? 0;
  const busy = all.filter((lane) => lane.active > HARDLY * recorded);
  const shown =
    all.length > most && busy.length > 0 ? busiest(busy, Math.floor(most * CROWDED)) : all;
  return shown.map((lane) => laneOf(machine, trace, lane, window));
}
