/** Memory in a machine drawing: pending reads, and the page directory entry used last. */

import { address, integer } from '../../base/format';
import type { ViewField } from '../../engine/gen/names';
import { ioPageOf } from '../../model/coherence/coherence-roles';
import { decodeEntry, encodeEntry } from '../coherence/tlb-entry';
import { fitting, glyph } from '../glyph';
import type { Moment } from '../moment';
import { rect, type Shape, words } from '../shape';
import { cycleOf } from './bus-transaction';
import type { Look, MachineLayout, PlacedPart } from './types';

const [PAD, TICKETS, TICKET_HEIGHT, SMALL] = [9, 6, 17, 20.5];

interface Ticket {
  readonly title: string;
  readonly actor: string;
  /** Cycles until its data are ready. */
  readonly left: number;
}

/** The bus with split reads that is wired to this memory. */
export const splitBus = ({ parts }: MachineLayout): PlacedPart | undefined =>
  parts.find(({ part: { type } }) => type.views.some(({ name }) => name === 'transactions'));

/** Reads of a coherent bus that memory has not answered yet. */
export function ticketsOf(layout: MachineLayout, now: Moment): Ticket[] {
  const bus = splitBus(layout);
  if (!bus) return [];
  const table = now.view(bus.index, 'transactions');
  const at = (name: ViewField, row: number) => table?.column(name)?.[row] ?? 0;
  const { type: types = [], phase: phases = [] } = bus.part.type.enums;
  const first = bus.part.type.ports.find(({ name }) => name === 'agent')?.first ?? 0;
  const cycle = cycleOf(bus) ?? 1;
  return Array.from({ length: table?.rows ?? 0 }, (_, row) => row)
    .filter((row) => {
      const [type, phase] = [types[at('type', row)]?.name, phases[at('phase', row)]?.name];
      return type?.startsWith('read') && phase !== 'free' && phase !== 'moving';
    })
    .map((row) => {
      const wire = layout.wires.find(({ ends }) =>
        ends.some(({ part, slot }) => part === bus.index && slot === first + at('master', row)),
      );
      const end = wire?.ends.find(({ part }) => part !== bus.index);
      const master = layout.parts.find(({ index }) => index === end?.part);
      const requester = layout.parts.find(({ index }) => index === master?.host) ?? master;
      return {
        title: requester?.part.title ?? '',
        actor: requester?.actor ?? 'other',
        left: Math.max(0, Math.ceil((at('ready_at', row) - now.timePs) / cycle)),
      };
    });
}

/** Tickets from `from` on, as signs only. */
const smallTickets = (
  tickets: readonly Ticket[],
  from: number,
  places: number,
  x: number,
  y: number,
): Shape[] =>
  Array.from({ length: places }, (_, place) => {
    const at = x + place * (SMALL + 3);
    const ticket = tickets[from + place];
    const box = rect(at, y, SMALL, TICKET_HEIGHT, ticket ? 'inset' : 'slot');
    return ticket ? [box, glyph(ticket.actor, at + SMALL / 2, y + 8.5, 3)] : [box];
  }).flat();

function ticketShapes(tickets: readonly Ticket[], x: number, y: number, width: number): Shape[] {
  const named = tickets.slice(0, 2);
  const rest = TICKETS - named.length;
  const wide = named.length > 0 ? (width - rest * (SMALL + 3)) / named.length - 3 : 0;
  const shapes: Shape[] = [];
  named.forEach(({ title, actor, left }, place) => {
    const at = x + place * (wide + 3);
    shapes.push(rect(at, y, wide, TICKET_HEIGHT, 'inset'), glyph(actor, at + 9, y + 8.5, 3));
    const label = fitting([title, title.split(' ').at(-1) ?? ''], wide - 42, 10.5) ?? '';
    shapes.push(words(at + 16, y + 12.3, label, 't10'));
    shapes.push(words(at + wide - 5, y + 12.3, left > 0 ? integer(left) : '', 't10 i3 end'));
  });
  const left = x + named.length * (wide + 3);
  shapes.push(...smallTickets(tickets, named.length, rest, left, y));
  return shapes;
}

/** From this width on, the flags of an entry have room for their names. */
const FLAGS_WIDTH = 250;

/** The entry looked up last by the adapter, from the TLB row that holds it. */
function entryShapes(
  layout: MachineLayout,
  now: Moment,
  look: Look,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): Shape[] {
  const { tlb } = layout.roles;
  const [view, rows] = tlb ? [now.view(tlb.part, 'now'), now.view(tlb.part, 'tlb')] : [null, null];
  const chain = view?.column('chain')?.[0] ?? 0;
  const at = (field: ViewField) => rows?.column(field)?.[chain] ?? 0;
  if (!tlb || at('valid') === 0) return [];
  const held = { page: at('page'), index: at('index'), attributes: at('attributes') };
  const { high, low } = encodeEntry(held);
  const entry = decodeEntry(high, low);
  const label = `entry ${address(ioPageOf(tlb, chain, at('block')))}`;
  const marked = [look.pointed.chain, look.selected.chain].includes(chain);
  const flag = (is: boolean) => (is ? '1' : '0');
  const [page, index] = [`PPN ${address(entry.page / 4096)}`, `index ${address(entry.index)}`];
  // A narrow box has no room for the flags; the page entry beside the I/O TLB shows them.
  const fields: readonly [text: string, share: number][] =
    width < FLAGS_WIDTH
      ? [
          [page, 0.47],
          [index, 0.42],
          ['V', 0.11],
        ]
      : [
          [page, 0.31],
          [index, 0.27],
          [`PF ${flag(entry.prefetch)}`, 0.12],
          [`lock ${flag(entry.lock)}`, 0.12],
          [`safe ${flag(entry.safe)}`, 0.12],
          ['V', 0.06],
        ];
  const shapes = [
    words(x, y, 'I/O page directory', 't11 i2'),
    rect(
      x + width - label.length * 6.05 - 4,
      y - 10,
      marked ? label.length * 6.05 + 8 : 0,
      14,
      'markf',
    ),
    words(x + width, y, label, marked ? 'm10 end' : 'm10 i3 end'),
  ];
  let left = x;
  for (const [text, share] of fields) {
    shapes.push(rect(left, y + 6, width * share, 17, 'inset'));
    shapes.push(words(left + (width * share) / 2, y + 18, text, 't10 mid'));
    left += width * share;
  }
  return shapes;
}

/** The pending reads and entries of memory, as far as its box has room. */
export function memoryShapes(
  layout: MachineLayout,
  part: PlacedPart,
  now: Moment,
  look: Look,
): Shape[] {
  const { x, y, width, height } = part.box;
  const tickets = ticketsOf(layout, now);
  const inner = width - 2 * PAD;
  const pending = tickets.length === 0 ? 'no read pending' : `${tickets.length} pending`;
  if (width < 200) {
    const places = Math.floor((inner + 3) / 23.5);
    const label = words(x + PAD, y + 34, pending, 't12 i2');
    return [label, ...smallTickets(tickets, 0, Math.min(TICKETS, places), x + PAD, y + 44)];
  }
  const shapes = [
    words(x + width - PAD, y + 19, pending, 't11 i2 end'),
    ...ticketShapes(tickets, x + PAD, y + 26, inner),
  ];
  if (height >= 84)
    shapes.push(...entryShapes(layout, now, look, { x: x + PAD, y: y + 58, width: inner }));
  return shapes;
}
