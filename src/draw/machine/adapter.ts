/**
 * The coherent I/O adapter in a machine drawing: its one-line cache, its I/O TLB and its pending requests.
 */

import { address, bytes as bytesOf, integer, text, time } from '../../base/format';
import type { Rect } from '../../base/geometry';
import type { ViewField } from '../../engine/gen/names';
import type { TlbRole } from '../../model/coherence/coherence-roles';
import { hidesMisses, hidesTlb, isContended, type TlbRow, tlbRows } from '../coherence/tlb-map';
import { glyph } from '../glyph';
import type { Moment } from '../moment';
import { line, path, rect, type Shape, words } from '../shape';
import { stateCell } from '../state-cell';
import { widthOf } from '../text-width';
import { isBeingRead } from './being-read';
import type { Look, MachineLayout, PlacedPart } from './types';

const PAD = 9;
/** Pitch of TLB rows across and down, and the size of a cell. */
const [ACROSS, DOWN, CELL_WIDTH, CELL_HEIGHT] = [4.6, 7, 3.4, 5.4];
const TONES = 5;

/** The line that the adapter may own, and its halves. */
function oneLine(part: PlacedPart, now: Moment): Shape[] {
  const { x, y } = part.box;
  const view = now.view(part.index, 'line');
  const [state = 0, at = 0] = [view?.column('state')?.[0], view?.column('addr')?.[0]];
  const name = part.part.type.enums.line?.[state]?.name ?? 'empty';
  const shown = name === 'held' ? 'dirty' : name === 'empty' ? 'invalid' : 'flight';
  const halves = (['half_0', 'half_1'] satisfies ViewField[]).map(
    (half) => view?.column(half)?.[0] ?? 0,
  );
  return [
    words(x + PAD, y + 40, 'one-line cache', 't11 i2'),
    ...stateCell(x + PAD, y + 47, 16, 18, shown),
    ...halves.flatMap((write, half): Shape[] => [
      rect(x + PAD + 20 + half * 41, y + 47.5, 38, 17, name === 'empty' ? 'slot' : 'inset'),
      words(
        x + PAD + 39 + half * 41,
        y + 59.5,
        name === 'empty' || write === 0 ? '' : `write ${integer(write)}`,
        't10 mid',
      ),
    ]),
    words(x + PAD, y + 79, name === 'empty' ? 'empty' : address(at), 't10 i3'),
  ];
}

const columnsIn = (width: number): number => Math.max(1, Math.floor(width / ACROSS));

/** Rows of the grid that the rows of the TLB fill at most. */
const MOST_DOWN = 6;

/** Whether the adapter shows its one-line cache and its requests beside the rows of its TLB. */
const isWide = ({ box: { width, height } }: PlacedPart): boolean => width >= 420 && height >= 80;

/** Upper left corner and width of the TLB rows in the adapter's box; null without room. */
function tlbPlace(part: PlacedPart): { x: number; y: number; width: number } | null {
  const { x, y, width, height } = part.box;
  if (isWide(part)) return { x: x + 134, y: y + 27, width: width - 134 - 172 };
  return height < 60 ? null : { x: x + PAD, y: y + 40, width: width - 2 * PAD };
}

/** The place of each row of the TLB that is drawn. */
export function tlbRowPlaces(
  layout: MachineLayout,
  part: PlacedPart,
  now: Moment,
): readonly Rect[] {
  const { tlb } = layout.roles;
  const place = tlbPlace(part);
  if (!tlb || !place || part.index !== tlb.part || hidesTlb(tlb, now)) return [];
  const columns = columnsIn(place.width);
  const shown = Math.min(now.view(tlb.part, 'tlb')?.rows ?? 0, columns * MOST_DOWN);
  return Array.from({ length: shown }, (_, chain) => ({
    x: place.x + (chain % columns) * ACROSS,
    y: place.y + Math.floor(chain / columns) * DOWN,
    width: ACROSS,
    height: DOWN,
  }));
}

/** All rows of the TLB, one path for each tone, and a red frame around the row with the worst conflict. */
function tlbGrid(
  rows: readonly TlbRow[],
  { x, y, width }: Pick<Rect, 'x' | 'y' | 'width'>,
  { conflictRow, pointed, selected }: Look,
) {
  const columns = columnsIn(width);
  const most = columns * MOST_DOWN;
  const steps = Array.from({ length: TONES }, () => '');
  const at = (chain: number) => [
    x + (chain % columns) * ACROSS,
    y + Math.floor(chain / columns) * DOWN,
  ];
  for (const { chain, tone } of rows.slice(0, most)) {
    const [left = 0, top = 0] = at(chain);
    steps[tone] += `M${left.toFixed(1)} ${top}h${CELL_WIDTH}v${CELL_HEIGHT}h-${CELL_WIDTH}z`;
  }
  const shapes: Shape[] = steps.map((d, tone) => path(d, `tl-${tone}`));
  const over = (chain: number | null, more: number, cls: string): Shape => {
    if (chain === null || chain >= most) return path('', cls);
    const [left = 0, top = 0] = at(chain);
    return rect(left - more, top - more, CELL_WIDTH + 2 * more, CELL_HEIGHT + 2 * more, cls);
  };
  return [
    ...shapes,
    over(conflictRow, 1.3, 'badf'),
    over(pointed.chain, 2.5, 'mini-pointed'),
    over(selected.chain, 2.5, 'mini-selected'),
  ];
}

function tlbShapes(layout: MachineLayout, part: PlacedPart, now: Moment, look: Look): Shape[] {
  const { tlb } = layout.roles;
  const { x, y, width } = part.box;
  const rows = tlb ? tlbRows(tlb, now) : [];
  const grid = tlbPlace(part) ?? { x, y, width };
  const left = grid.x;
  if (tlb && hidesTlb(tlb, now))
    return [
      words(left, y + 19, `I/O TLB, ${integer(rows.length)} rows`, 't11 i2'),
      ...maskShapes(left, grid.y, grid.width, MOST_DOWN * DOWN),
    ];
  const shapes = [
    words(left, y + 19, `I/O TLB, ${integer(rows.length)} rows`, 't11 i2'),
    ...tlbGrid(rows, grid, look),
  ];
  const used = rows.filter(({ lookUps }) => lookUps > 0);
  const chain = look.conflictRow ?? now.view(part.index, 'now')?.column('chain')?.[0] ?? 0;
  const row = rows[chain];
  if (used.length === 0 || !row)
    return [...shapes, words(left, y + 79, 'not looked up yet', 't10 i3')];
  const holds = row.valid ? `holds block ${integer(row.block)}` : 'holds nothing';
  return [
    ...shapes,
    words(
      left,
      y + 79,
      `row ${integer(chain)}`,
      look.conflictRow === null ? 't10 b6' : 't10 b6 tbad',
    ),
    words(
      left + widthOf(`row ${integer(chain)}`, 11) + 6,
      y + 79,
      tlb && hidesMisses(tlb, now)
        ? holds
        : `${holds}, missed ${integer(row.misses)} of ${integer(row.lookUps)}`,
      't10 i2',
    ),
  ];
}

/** A mask over what an open question asks about. */
const maskShapes = (x: number, y: number, width: number, height: number): Shape[] => [
  rect(x, y, width, height, 'cover'),
  words(x + width / 2, y + height / 2 + 4, 'hidden by the question', 't10 i3 mid'),
];

interface Request {
  readonly sign: string;
  readonly what: string;
  readonly address: number;
  /** How long it has been served; null while it waits for those before it. */
  readonly since: string | null;
  readonly marked: boolean;
}

/** Pending requests of devices by place: the first is being served, the others wait; null for a free place. */
function requestsOf(
  layout: MachineLayout,
  part: PlacedPart,
  now: Moment,
  { tlb, look }: { readonly tlb: TlbRole; readonly look: Look },
): readonly (Request | null)[] {
  const requests = now.view(part.index, 'requests');
  const waiting = now.view(part.index, 'now')?.column('waiting')?.[0] ?? 0;
  const state = now.track(part.index, part.part.type.tracks[0]?.name ?? '');
  return Array.from({ length: Math.min(3, requests?.rows ?? 0) }, (_, place): Request | null => {
    const column = (name: ViewField) => requests?.column(name)?.[place] ?? 0;
    if (place >= waiting) return null;
    const device = layout.parts.find(({ index }) => index === tlb.device(column('slot')));
    return {
      sign: device?.actor ?? 'other',
      what: column('bytes') > 0 ? text(bytesOf(column('bytes'))) : 'request',
      address: column('addr'),
      since: place === 0 && state ? text(time(now.timePs - state.from, 3)) : null,
      marked: isBeingRead(look, null, column('addr')),
    };
  });
}

/** The requests one below the other, beside the rows of the TLB. */
function buffer(
  layout: MachineLayout,
  part: PlacedPart,
  now: Moment,
  roles: { readonly tlb: TlbRole; readonly look: Look },
): Shape[] {
  const { x, y, width } = part.box;
  const [left, wide, high] = [x + width - 160, 151, 18];
  const state = now.track(part.index, part.part.type.tracks[0]?.name ?? '');
  const [doing = ''] = (state?.state.title ?? 'idle').split(/[,:]/);
  const shapes: Shape[] = [
    words(left, y + 19, 'requests', 't11 i2'),
    words(left + wide, y + 19, doing, 't11 end'),
  ];
  for (const [place, request] of requestsOf(layout, part, now, roles).entries()) {
    const top = y + 26 + place * (high + 2);
    shapes.push(rect(left, top, wide, high, request ? 'inset' : 'slot'));
    if (!request) continue;
    const { sign, what, address: at, since, marked } = request;
    shapes.push(
      rect(left + 1, top + 1, marked ? wide - 2 : 0, high - 2, 'markf'),
      glyph(sign, left + 11, top + 9, 3.6),
      words(left + 20, top + 12.8, `${what} at ${address(at)}`, 't10'),
      words(left + wide - 5, top + 12.8, since ?? 'waits', `t10 end ${since ? 'i3' : 'tbad'}`),
    );
  }
  return shapes;
}

/** Height of the requests side by side, and the width that one needs. */
const [ROW, REQUEST] = [18, 92];

/** In a narrower box the requests are side by side below the rows of the TLB, if there is room for their words. */
function bufferRow(
  layout: MachineLayout,
  part: PlacedPart,
  now: Moment,
  roles: { readonly tlb: TlbRole; readonly look: Look },
): Shape[] {
  const { x, y, width, height } = part.box;
  const requests = requestsOf(layout, part, now, roles);
  const wide = (width - 2 * PAD + 4) / requests.length - 4;
  const rows = Math.ceil(tlbRows(roles.tlb, now).length / columnsIn(width - 2 * PAD));
  const top = y + height - ROW - 5;
  if (requests.length === 0 || wide < REQUEST || y + 40 + rows * DOWN > top) return [];
  const waiting = requests.filter((one) => one?.since === null).length;
  const shapes: Shape[] = [
    words(x + width - PAD, y + 33, waiting > 0 ? `${waiting} waiting` : '', 't11 end tbad'),
  ];
  for (const [place, request] of requests.entries()) {
    const left = x + PAD + place * (wide + 4);
    shapes.push(rect(left, top, wide, ROW, request ? 'inset' : 'slot'));
    if (!request) continue;
    const { sign, what, address: at, since, marked } = request;
    shapes.push(
      rect(left + 1, top + 1, marked ? wide - 2 : 0, ROW - 2, 'markf'),
      glyph(sign, left + 9, top + 9, 3.6),
      words(left + 16, top + 12.8, `${what} at ${address(at)}`, since ? 't10' : 't10 tbad'),
    );
  }
  return shapes;
}

/** The state of the adapter; in a small box only the TLB rows, and the requests if there is room. */
export function adapterShapes(
  layout: MachineLayout,
  part: PlacedPart,
  now: Moment,
  look: Look,
): Shape[] {
  const { tlb } = layout.roles;
  const { x, y, width, height } = part.box;
  if (!tlb) return [];
  if (!isWide(part)) {
    const grid = tlbPlace(part);
    if (!grid) return [];
    const rows = hidesTlb(tlb, now)
      ? maskShapes(grid.x, grid.y, grid.width, 4 * DOWN)
      : tlbGrid(tlbRows(tlb, now), grid, look);
    return [...rows, ...bufferRow(layout, part, now, { tlb, look })];
  }
  return [
    ...oneLine(part, now),
    line(x + 124, y + 28, x + 124, y + height - 8, 'hair'),
    ...tlbShapes(layout, part, now, look),
    line(x + width - 169, y + 28, x + width - 169, y + height - 8, 'hair'),
    ...buffer(layout, part, now, { tlb, look }),
  ];
}

/** The TLB row with the most conflicts, if there are any. */
export const worstConflict = (
  rowConflicts: readonly { chain: number; returns: number }[],
): number | null => rowConflicts.find(isContended)?.chain ?? null;
