/** Lanes of parts of one type as one line: how many of them are busy. */
import type { CompiledMachine } from '../../model/scenario/compiled';
import type { Lane, Span } from '../../model/trace/lane';
import type { TimelineSpan } from './timeline';

/** Lanes that can be one line. */
export interface LaneGroup {
  /** Name of the type of their parts. */
  readonly type: string;
  readonly title: string;
  readonly lanes: readonly Lane[];
}

const typeOf = (machine: CompiledMachine, { part }: Lane) => machine.parts[part]?.type;

/** The types of parts that have several of some lanes. */
export function laneGroups(machine: CompiledMachine, lanes: readonly Lane[]): LaneGroup[] {
  const groups = new Map<string, Lane[]>();
  for (const lane of lanes) {
    const name = typeOf(machine, lane)?.name ?? '';
    groups.set(name, [...(groups.get(name) ?? []), lane]);
  }
  return [...groups]
    .filter(([, own]) => own.length > 1)
    .map(([type, own]) => {
      const title = own[0] ? (typeOf(machine, own[0])?.title ?? type) : type;
      return { type, title: `${title} × ${own.length}`, lanes: own };
    });
}

/** A state of a part that waits is not use. */
const isUse = ({ state }: Span): boolean => state.style !== 'hatch';

/** Stretches of a time interval in which the same number of lanes is busy; those in which none is are left out. */
export function sharedUse(lanes: readonly Lane[], from: number, to: number): TimelineSpan[] {
  const changes = lanes
    .flatMap((lane) => lane.between(from, to).filter(isUse))
    .flatMap((span) => [
      { at: Math.max(from, span.from), by: 1, seq: span.seq },
      { at: Math.min(to, span.to), by: -1, seq: span.seq },
    ])
    .sort((a, b) => a.at - b.at);
  const spans: TimelineSpan[] = [];
  let busy = 0;
  changes.forEach(({ at, by, seq }, i) => {
    busy += by;
    const end = changes[i + 1]?.at ?? at;
    if (busy === 0 || end === at) return;
    const title = `${busy} of ${lanes.length} busy`;
    const last = spans.at(-1);
    if (last?.to === at && last.title === title) spans[spans.length - 1] = { ...last, to: end };
    else
      spans.push({
        ...{ from: at, to: end, title, seq, actor: null },
        style: busy === lanes.length ? 'solid' : 'light',
      });
  });
  return spans;
}
