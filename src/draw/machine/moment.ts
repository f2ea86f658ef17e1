/** A moment of the machine from the frame at the playhead and the run's trace. */
import type { Frame, Position } from '../../engine/api';
import type { PartType, ViewSpec } from '../../engine/manifest';
import { initiatorOf } from '../../model/trace/initiator';
import type { Span } from '../../model/trace/lane';
import type { Trace } from '../../model/trace/trace';
import type { Moment, Rows } from '../moment';
import { isMoving, isPlaces, isScript } from './facts';
import { showsTranslations, walksTable } from './iommu';
import { passesPackets } from './packets';
import type { MachineLayout } from './types';

interface Source {
  readonly parts: readonly { readonly type: PartType }[];
  readonly frame: Frame;
  readonly trace: Trace;
  readonly now: Position;
  readonly masks?: Moment['masks'];
}

/** Views that the drawing reads: present state, threads and programs, block transfers, buffers. */
const isDrawn = (type: PartType, view: ViewSpec): boolean =>
  view.name === 'now' ||
  isScript(view) ||
  isMoving(view) ||
  isPlaces(type, view) ||
  showsTranslations(view) ||
  (WALKED.has(view.name) && walksTable(type)) ||
  (HANDED.has(view.name) && passesPackets(type));

/** Views of the parts that keep data coherent. */
const HELD = new Set(['lines', 'data', 'misses', 'cells', 'tlb', 'line', 'requests']);
/** Views of the buses and devices around them. */
const AROUND = new Set(['transactions', 'agents', 'channels']);
/** Views of parts that pass packets on. */
const HANDED = new Set(['slots', 'messages']);
/** Views of a unit that walks its table. */
const WALKED = new Set(['accesses', 'walkers']);

function isHeld({ roles: { caches, memory, tlb } }: MachineLayout, part: number, name: string) {
  const coherentParts = [...caches, memory, tlb].map((role) => role?.part);
  return (
    (coherentParts.includes(part) && HELD.has(name)) || (caches.length > 0 && AROUND.has(name))
  );
}

export function drawnViews(layout: MachineLayout) {
  return layout.parts.flatMap(({ index, part }) =>
    part.type.views.flatMap((spec, view) =>
      isDrawn(part.type, spec) ||
      isHeld(layout, index, spec.name) ||
      (spec.name === 'queue' && part.type.enums.item)
        ? [{ part: index, view }]
        : [],
    ),
  );
}

export function momentOf({ parts, frame, trace, now, masks }: Source): Moment {
  const { timePs, seq } = now;
  const withOrigin = (span: Span) => ({ ...span, origin: initiatorOf(trace, { parts }, span) });
  return {
    timePs,
    masks,
    whole: trace.first === 1,
    counters: frame.counters,
    view(part, name): Rows | null {
      const spec = parts[part]?.type.views.findIndex((view) => view.name === name) ?? -1;
      const data = frame.views.find((view) => view.part === part && view.view === spec);
      if (!data) return null;
      const fields = parts[part]?.type.views[spec]?.fields ?? [];
      const column = (field: string) => data.columns[fields.findIndex((at) => at.name === field)];
      return { rows: data.rows, column };
    },
    track(part, name) {
      const span = trace.lane(part, name)?.at(timePs, seq);
      return span ? withOrigin(span) : null;
    },
    past: (part, name, from) =>
      (trace.lane(part, name)?.between(from, timePs) ?? [])
        .filter((span) => span.seq <= seq)
        .map(withOrigin),
  };
}
