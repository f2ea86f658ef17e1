/**
 * What in the drawing tells about itself: packets on buses, utilisations, rows of the I/O TLB, cached translations, and
 * packets in buffers. Each has its place, what it selects, and itself in words.
 */
import { address, integer, text, time } from '../../base/format';
import type { Rect } from '../../base/geometry';
import type { Selection } from '../../model/session/selection';
import { hidesMisses, tlbRows } from '../coherence/tlb-map';
import type { Moment } from '../moment';
import { tlbRowPlaces } from './adapter';
import { packetOn, utilisationFrom, utilisationOf } from './bus';
import { busyShare, percentText } from './facts';
import { showsTranslations, translationCells } from './iommu';
import { passesPackets, ringCells } from './packets';
import type { Look, MachineLayout, PlacedPart } from './types';

export interface Spot {
  readonly box: Rect;
  readonly selects: Partial<Selection>;
  says(): string;
}

/** How packets are drawn: without movement, and at which scale. */
interface Shown {
  readonly still: boolean;
  readonly look: Look;
}

/** Spots of the same kind in one part, between which arrow keys move. */
export interface SpotGroup {
  readonly key: string;
  readonly title: string;
  /** Has rows or cells; otherwise at most one spot. */
  readonly many: boolean;
  spots(now: Moment, shown: Shown): readonly Spot[];
}

function packetSpots(layout: MachineLayout, bus: PlacedPart, now: Moment, shown: Shown): Spot[] {
  const going = packetOn(layout, bus, now, shown);
  if (!going) return [];
  const { what, box } = going;
  const { by, origin, from, seq } = what.stretch;
  const titleOf = (part: number | null | undefined) =>
    layout.parts.find(({ index }) => index === part)?.part.title;
  const owner = titleOf(origin ?? by);
  const target = titleOf(what.target);
  const at = what.address === null ? '' : ` at ${address(what.address)}`;
  const says = [
    `${what.label}${at}`,
    ...(owner ? [`for ${owner}`] : []),
    ...(target && target !== owner ? [`${what.reading ? 'from' : 'to'} ${target}`] : []),
    `on the bus for ${text(time(now.timePs - from, 3))}`,
  ].join(', ');
  return [{ box, selects: { part: bus.index, event: seq }, says: () => `${says}.` }];
}

function busySpots(layout: MachineLayout, bus: PlacedPart, now: Moment, shown: Shown): Spot[] {
  const share = busyShare(bus.part, bus.index, now);
  const left = utilisationFrom(bus, packetOn(layout, bus, now, shown));
  const drawn = utilisationOf(bus, now, left);
  if (share === null || !drawn) return [];
  const total = text(time(now.timePs, 3));
  return [
    {
      box: drawn.box,
      selects: { part: bus.index, view: 'busy' },
      says: () =>
        `${bus.part.title} was busy for ${text(time(share * now.timePs, 3))} of ${total}, ${percentText(share)}.`,
    },
  ];
}

function tlbSpots(layout: MachineLayout, part: PlacedPart, now: Moment): Spot[] {
  const { tlb } = layout.roles;
  const places = tlbRowPlaces(layout, part, now);
  if (!tlb || places.length === 0) return [];
  const rows = tlbRows(tlb, now);
  const isHidden = hidesMisses(tlb, now);
  const says = (chain: number): string => {
    const row = rows[chain];
    const holds = row?.valid ? `holds block ${integer(row.block)}` : 'holds nothing';
    const counts =
      isHidden || !row || row.lookUps === 0
        ? ''
        : `, missed ${integer(row.misses)} of ${integer(row.lookUps)}`;
    return `Row ${integer(chain)} of the I/O TLB: ${holds}${counts}.`;
  };
  return places.map((box, chain) => ({
    box,
    selects: { part: tlb.part, view: 'tlb', index: chain },
    says: () => says(chain),
  }));
}

const translationSpots = (part: PlacedPart, now: Moment): Spot[] =>
  translationCells(part, now).flatMap(({ one, box }) =>
    one === null
      ? []
      : [
          {
            box,
            selects: { part: part.index, view: 'entry', index: one.entry },
            says: () =>
              `Cached translation of entry ${integer(one.entry)}: page ${integer(one.page)}.`,
          },
        ],
  );

function ringSpots(layout: MachineLayout, part: PlacedPart, now: Moment): Spot[] {
  const passes = layout.parts.find((one) => passesPackets(one.part.type))?.index;
  if (passes === undefined || part.index !== layout.roles.memory?.part) return [];
  return ringCells(layout, part, now).flatMap(({ packet, slot, box }) =>
    packet === 0
      ? []
      : [
          {
            box,
            selects: { part: passes, view: 'packet', index: packet },
            says: () => `Packet ${integer(packet)}, in buffer ${integer(slot)} of the ring.`,
          },
        ],
  );
}

/** The groups of a drawing. One without spots stays, so that its control keeps the focus. */
export function spotGroups(layout: MachineLayout): SpotGroup[] {
  const { memory, tlb } = layout.roles;
  const packets = layout.parts.some(({ part }) => passesPackets(part.type));
  return layout.parts.flatMap((part): SpotGroup[] => {
    const { title, type } = part.part;
    const group = (kind: string, name: string, many: boolean, spots: SpotGroup['spots']) => ({
      key: `${kind} ${part.index}`,
      title: name,
      many,
      spots,
    });
    if (part.rail)
      return [
        group('packet', `Transaction on ${title}`, false, (now, shown) =>
          packetSpots(layout, part, now, shown),
        ),
        group('busy', `Utilisation of ${title}`, false, (now, shown) =>
          busySpots(layout, part, now, shown),
        ),
      ];
    if (part.index === tlb?.part)
      return [group('row', 'Rows of the I/O TLB', true, (now) => tlbSpots(layout, part, now))];
    if (part.index === memory?.part && packets)
      return [group('ring', 'Packets in the ring', true, (now) => ringSpots(layout, part, now))];
    return type.views.some(showsTranslations)
      ? [
          group('entry', `Translations held by ${title}`, true, (now) =>
            translationSpots(part, now),
          ),
        ]
      : [];
  });
}
