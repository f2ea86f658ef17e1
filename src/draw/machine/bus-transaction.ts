/** The transaction on a bus at a moment: its two ends, its beats and its progress. */

import { bytes, text } from '../../base/format';
import { clamp } from '../../base/geometry';
import type { ParamName, ViewField } from '../../engine/gen/names';
import type { Moment, Rows, TimeRange } from '../moment';
import { paramOf } from './facts';
import type { MachineLayout, PlacedPart } from './types';

export interface Transaction {
  readonly stretch: TimeRange;
  readonly target: number | null;
  readonly label: string;
  readonly beats: number;
  readonly done: number;
  /** Elapsed share of its time, 0 to 1. */
  readonly share: number;
  /** Data travel to the requester. */
  readonly reading: boolean;
  /** Its address; null if the bus does not record it. */
  readonly address: number | null;
}

const MOST_BEATS = 9;

/** The part wired to a slot; null if none is. */
function ownerOfSlot(layout: MachineLayout, part: number, slot: number): number | null {
  for (const { ends } of layout.wires) {
    for (const [own, other] of [ends, [ends[1], ends[0]]] as const)
      if (own.part === part && own.slot === slot) return other.part;
  }
  return null;
}

/** Clock of a bus in picoseconds; null if it has none. */
export function cycleOf({ part }: PlacedPart): number | null {
  const clock = part.type.params.find((spec) => spec.type === 'clock');
  const hertz = clock ? paramOf(part, clock.name) : null;
  return hertz ? 1e12 / hertz : null;
}

/** The part with a parameter of this name and value. */
const atAddress = (layout: MachineLayout, name: ParamName, address: number): number | null =>
  layout.parts.find(({ part }) => paramOf(part, name) === address)?.index ?? null;

/** The other end of a transaction of a coherent bus, besides its master. */
function coherentTarget(layout: MachineLayout, bus: PlacedPart, now: Moment, type: string) {
  const view = now.view(bus.index, 'now');
  const address = view?.column('addr')?.[0] ?? 0;
  const { memory, tlb } = layout.roles;
  if (type === 'copy') {
    const row = view?.column('transaction')?.[0] ?? 0;
    const requester = now.view(bus.index, 'transactions')?.column('master')?.[row];
    return requester === undefined ? null : ownerOfSlot(layout, bus.index, requester);
  }
  if (type.startsWith('short'))
    return atAddress(layout, 'interrupt', address) ?? tlb?.part ?? memory?.part ?? null;
  return memory?.part ?? null;
}

/** A bus with numbered transactions and coherency responses. */
const isCoherent = (view: Rows | null): view is Rows =>
  view?.column('cycles') !== undefined && view.column('transaction') !== undefined;

/** Beats of a tenure: by the bus's own count, by its clock, or by the bytes it moves. */
function beatsOf(bus: PlacedPart, view: Rows | null): number {
  const at = (field: ViewField) => view?.column(field)?.[0];
  const [cycles, began, until, size] = [at('cycles'), at('began'), at('until'), at('bytes')];
  if (cycles) return cycles;
  const cycle = cycleOf(bus);
  if (cycle && began !== undefined && until !== undefined && until > began)
    return Math.max(1, Math.round((until - began) / cycle));
  const width = paramOf(bus.part, 'width') ?? 0;
  return width > 0 && size ? Math.max(1, Math.ceil(size / width)) : 1;
}

export function transactionOn(
  layout: MachineLayout,
  bus: PlacedPart,
  now: Moment,
): Transaction | null {
  const track = bus.part.type.tracks[0];
  const stretch = track ? now.track(bus.index, track.name) : null;
  if (!stretch) return null;
  const view = now.view(bus.index, 'now');
  const [slot, size] = [view?.column('target')?.[0], view?.column('bytes')?.[0] ?? 0];
  const beats = Math.min(beatsOf(bus, view), MOST_BEATS);
  const until = Number.isFinite(stretch.to) ? stretch.to : view?.column('until')?.[0];
  const length = (until ?? now.timePs) - stretch.from;
  const share = length > 0 ? clamp((now.timePs - stretch.from) / length, 0, 1) : 1;
  const { name, title } = stretch.state;
  const numbered = isCoherent(view);
  const label = numbered
    ? `${title} #${view.column('transaction')?.[0] ?? 0}`
    : `${title}${size > 0 ? ` ${text(bytes(size))}` : ''}`;
  const target = slot === undefined ? null : ownerOfSlot(layout, bus.index, slot);
  return {
    stretch,
    target: numbered
      ? coherentTarget(layout, bus, now, name)
      : (target ?? (slot === undefined ? adapterOf(layout, bus) : null)),
    label,
    beats,
    done: Math.floor(share * beats),
    share,
    address: view?.column('addr')?.[0] ?? null,
    // On a split bus a read's own cycles carry the address; its data come in a separate tenure.
    reading: numbered || slot === undefined ? /return|data/.test(name) : /read/.test(name),
  };
}

/** An I/O bus without named targets moves everything to and from its adapter. */
const adapterOf = (layout: MachineLayout, bus: PlacedPart): number | null =>
  layout.wires
    .flatMap(({ ends }) => [ends, [ends[1], ends[0]] as const])
    .filter(([own, other]) => own.part === bus.index && other.part === layout.roles.tlb?.part)
    .map(([, other]) => other.part)[0] ?? null;
