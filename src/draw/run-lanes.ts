/** The lanes of the opened run, from its record, for one window of time. */

import type { CompiledMachine } from '../model/compile';
import type { Lane, Span } from '../model/lane';
import { originOf } from '../model/origin';
import type { Trace } from '../model/trace';
import { actorOf } from './glyph';
import type { TimelineLane } from './timeline';
import type { Window } from './timeline-axis';

function spanOf(machine: CompiledMachine, trace: Trace, span: Span): TimelineLane['spans'][0] {
  const { from, to, state, seq } = span;
  const origin = originOf(trace, machine, span);
  const actor = origin === null ? null : actorOf(machine.parts, origin);
  return { from, to, style: state.style, title: state.title, actor, seq };
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

/** `wanted` names tracks as "part.track"; all of them if it is empty. */
export function lanesOf(
  machine: CompiledMachine,
  trace: Trace,
  window: Window,
  wanted: readonly string[],
): TimelineLane[] {
  const isWanted = (lane: Lane) =>
    wanted.length === 0 || wanted.includes(`${machine.parts[lane.part]?.name}.${lane.track}`);
  return trace.lanes.filter(isWanted).map((lane) => laneOf(machine, trace, lane, window));
}
