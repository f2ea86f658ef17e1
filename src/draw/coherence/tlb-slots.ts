/**
 * The look-up in play, beside the map of the I/O TLB: its row as a slot, the request that waits for the page directory
 * above it, the translation that it evicted below, and the evictions of each device as a heap.
 *
 *       ■ Disk                  LAN ▲          what comes
 *              ┌ ─ ─ ─ ─ ─ ┐
 *             ┃│ block   0 │┃  row 2           what the row holds
 *              ├───────────┤
 *              │ 1 look-up │                   what it held
 *       ▪▪▪▪ 4   evicted   4 ▪▪▪▪              what was lost
 *     chain ─┴──┴──▲──┴──┴──┴──┴──             where buffers lie
 */
import { address, count, integer, text, time } from '../../base/format';
import { clamp } from '../../base/geometry';
import type { LookUp } from '../../model/coherence/coherence-log';
import type { TlbMoment } from '../../model/coherence/tlb-moment';
import { fitting, glyph, sealShapes, signOf } from '../glyph';
import { bad, type Phrase, plain, strong } from '../phrase';
import { path, polyline, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import { type AxisInput, axisShapes, type ChainAxis, type Requester } from './chain-axis';
import type { TlbGrid } from './tlb-shapes';

export interface SlotsInput extends AxisInput {
  readonly moment: TlbMoment;
  /** I/O address of the look-up in play. */
  readonly address: number;
}

export interface SlotsPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Of slots and heaps; the axis has its own. */
  readonly height: number;
  readonly axis: ChainAxis;
}

const [TAG, NAMES] = [18, 14];
/** Widths of "999 evicted" above a heap, and of the distance and "used 99×" beside a slot. */
const [COUNT_WIDTH, USES_WIDTH] = [60, 58];
const BRICK = { least: 3.8, most: 6.6, height: 4, across: 10 } as const;

/** A name with the address beside it; closer names would lie over the slots. */
const NAME_PITCH = 170;

/** Those who have a heap: the ones that lost most translations, in their usual order. */
interface Drawn extends SlotsInput {
  readonly named: readonly Requester[];
}

const mostNamed = ({ width }: SlotsPlace): number => Math.max(2, Math.floor(width / NAME_PITCH));

function withHeaps(input: SlotsInput, place: SlotsPlace): Drawn {
  const { requesters } = input;
  const most = mostNamed(place);
  const kept = new Set(requesters.toSorted((a, b) => b.lost - a.lost).slice(0, most));
  return { ...input, named: requesters.filter((one) => kept.has(one)) };
}

const hueOf = (actor: string): string => signOf(actor).hue;

interface Tag {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly actor: string;
  readonly label: string;
  readonly value: string;
  readonly tone?: string;
  readonly waits?: boolean;
  readonly opacity?: number;
}

/** A translation: whose it is, and its block. */
function tagShapes({
  x,
  y,
  width,
  actor,
  label,
  value,
  tone = 'i2',
  waits,
  opacity,
}: Tag): Shape[] {
  const hue = hueOf(actor);
  const edge = waits ? `o-${hue} tl-waits` : `o-${hue} tl-tag`;
  return [
    rect(x, y, width, TAG, 'raisedf', opacity ?? 1),
    rect(x, y, 4, TAG, `a-${hue}`, opacity ?? 1),
    rect(x, y, width, TAG, edge, opacity ?? 1),
    glyph(actor, x + 13, y + TAG / 2, 3.6),
    words(x + 22, y + 13, label, `t11 ${tone}`),
    words(x + width - 6, y + 13, value, 'm12 end b6'),
  ];
}

const requesterOf = (all: readonly Requester[], device: number | null, block: number) =>
  all.find((one) => one.device === device && (one.block === null || one.block === block)) ?? all[0];

/** Where each name stands, evenly from left to right. */
function namePlaces({ x, width }: SlotsPlace, all: readonly Requester[]): number[] {
  const last = Math.max(1, all.length - 1);
  return all.map((_, index) => x + (index * width) / last);
}

const padded = (block: number): string => integer(block).padStart(2, '0');

const anchorOf = (index: number, amount: number): '' | 'mid' | 'end' =>
  index === 0 ? '' : index === amount - 1 ? 'end' : 'mid';

function nameShapes(place: SlotsPlace, input: Drawn): Shape[] {
  const { named, moment } = input;
  return namePlaces(place, named).flatMap((x, index) => {
    const { title, actor, device, block } = named[index] as Requester;
    const anchor = anchorOf(index, named.length);
    const { lookUp } = moment;
    const isIn = lookUp.device === device && (block === null || block === lookUp.block);
    const name = block === null ? title : `${title} ${padded(block)}`;
    const wide = widthOf(name, 12.5);
    const side = anchor === 'end' ? -1 : 1;
    const start = anchor === 'mid' ? x - wide / 2 - 8 : x;
    const label = isIn ? address(input.address) : '';
    const beyond = start + side * (wide + 22);
    return [
      glyph(actor, start + side * 4, place.y + 6, 4),
      words(start + side * 13, place.y + 10, name, `t12 b6 ${anchor === 'end' ? 'end' : ''}`),
      words(beyond, place.y + 10, anchor === 'mid' ? '' : label, `m10 i2 ${anchor}`),
    ];
  });
}

interface SlotPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** There is room above and below it. */
  readonly alone: boolean;
}

/** Width of a brick: heaps take what slots leave. */
const brickWidth = ({ width }: SlotsPlace): number =>
  clamp((width - 150) / 2 / BRICK.across, BRICK.least, BRICK.most);

/** What heaps and the counts above them take at either side of the slots. */
const sideWidth = (place: SlotsPlace): number =>
  Math.max(brickWidth(place) * BRICK.across + 8, COUNT_WIDTH);

/** Slots stand between the heaps: one with room above and below it, or two that need none. */
function slotPlaces(place: SlotsPlace, amount: number): SlotPlace[] {
  const side = sideWidth(place);
  const [left, inner] = [place.x + side, place.width - 2 * side];
  const free = Math.max(0, place.height - 84);
  if (amount === 1) {
    const width = clamp(inner - 44, 74, 118);
    const x = left + Math.max(0, inner - width - 40) / 2;
    return [{ x, y: place.y + NAMES + TAG + 9 + free * 0.35, width, alone: true }];
  }
  if (inner >= 260) {
    const width = clamp(inner / 2 - 54, 74, 118);
    const y = place.y + NAMES + 24 + free * 0.35;
    return [0, 1].map((slot) => ({ x: left + 6 + (slot * inner) / 2, y, width, alone: false }));
  }
  const width = clamp(inner - USES_WIDTH, 70, 118);
  return [0, 1].map((slot) => ({
    x: left + 4,
    y: place.y + NAMES + 4 + free * 0.2 + slot * (TAG + 18 + free * 0.2),
    width,
    alone: false,
  }));
}

/** Two posts, between which the translation lies. */
function postShapes({ x, y, width }: SlotPlace, chain: number, contended: boolean): Shape[] {
  const cls = contended ? 'tl-hot' : 'thin';
  return [
    rect(x - 3, y - 3, width + 6, TAG + 6, 'sunkf'),
    path(`M${x - 3} ${y - 6}v${TAG + 12}M${x + width + 3} ${y - 6}v${TAG + 12}`, cls),
    words(x + width + 9, y + 13, `row ${integer(chain)}`, `t11 b6${contended ? ' tbad' : ''}`),
  ];
}

const mix = (from: number, to: number, share: number): number => from + (to - from) * share;

/** The block that is looked up, on its way from its device's name to the row. */
function comerShapes(
  place: SlotsPlace,
  slot: SlotPlace,
  lookUp: LookUp,
  { requesters, named, moment }: Drawn,
  y: number,
  waits = true,
): Shape[] {
  const { approach } = moment.progress;
  const comer = requesterOf(requesters, lookUp.device, lookUp.block);
  const name = namePlaces(place, named)[comer ? named.indexOf(comer) : 0] ?? slot.x;
  const heap = brickWidth(place) * BRICK.across + 10;
  const from = clamp(
    name - slot.width / 2,
    place.x + heap,
    place.x + place.width - heap - slot.width,
  );
  return tagShapes({
    x: mix(from, slot.x, approach),
    y,
    width: slot.width,
    actor: comer?.actor ?? 'other',
    label: 'block',
    value: padded(lookUp.block),
    waits,
    opacity: 0.35 + 0.65 * Math.min(1, approach * 3),
  });
}

function missShapes(place: SlotsPlace, slot: SlotPlace, lookUp: LookUp, input: Drawn): Shape[] {
  const { requesters, moment } = input;
  const { approach, read, push, fall } = moment.progress;
  const above = slot.alone ? slot.y - TAG - 7 : slot.y;
  const below = slot.alone ? slot.y + TAG + 7 : slot.y;
  const { evicted } = lookUp;
  const shapes: Shape[] = [];
  if (evicted) {
    const victim = requesterOf(requesters, evicted.device, evicted.block);
    const actor = victim?.actor ?? 'other';
    const out = push > 0.5;
    const times = count(evicted.lookUps, 'look-up');
    const label = out
      ? (fitting([`after ${times}`, times], slot.width - 28, 11.5) ?? times)
      : 'block';
    if (slot.alone ? fall <= 0 : push <= 0)
      shapes.push(
        ...tagShapes({
          x: slot.x,
          y: mix(slot.y, below, push),
          width: slot.width,
          actor,
          label,
          value: out ? '' : padded(evicted.block),
          tone: out ? (evicted.byRival ? 'tbad b6' : 'i2') : 'i2',
        }),
        words(
          slot.x + slot.width + 9,
          below + 13,
          out ? text(time(evicted.agePs, 3)) : '',
          `t11 ${evicted.byRival ? 'tbad' : 'i2'}`,
        ),
      );
  }
  shapes.push(...comerShapes(place, slot, lookUp, input, mix(above, slot.y, push), push <= 0));
  const reads = approach >= 1 && push <= 0;
  const beside = place.x + place.width - slot.x - slot.width - 12;
  shapes.push(
    rect(slot.x, above - 5, reads ? slot.width * read : 0, 3, 'ink3f'),
    words(
      slot.x + slot.width + 9,
      slot.alone ? above + 12 : slot.y - 1,
      reads ? (fitting(['reads the directory', 'reads'], beside, 10.5) ?? '') : '',
      't10 i3',
    ),
  );
  return shapes;
}

/** A row as it rests, or as a hit finds it. */
function heldShapes(
  slot: SlotPlace,
  lookUp: LookUp,
  input: SlotsInput,
  isPlayed: boolean,
): Shape[] {
  const { requesters, moment } = input;
  const actor = requesterOf(requesters, lookUp.device, lookUp.block)?.actor ?? 'other';
  const tag = tagShapes({
    x: slot.x,
    y: slot.y,
    width: slot.width,
    actor,
    label: 'block',
    value: padded(lookUp.block),
  });
  const { approach } = moment.progress;
  const hit = isPlayed && !lookUp.missed;
  const used = Math.min(1, lookUp.uses / 32) * slot.width;
  return [
    ...tag,
    rect(slot.x - 1.5, slot.y - 1.5, slot.width + 3, TAG + 3, 'tl-hit', hit ? approach : 0),
    words(slot.x + slot.width + 9, slot.y + 26, hit ? 'hit' : '', 't11 b6 tgood'),
    rect(slot.x, slot.y + TAG + 6, used, 2.5, `a-${hueOf(actor)}`),
    words(slot.x + slot.width + 9, slot.y + 2, usesText(lookUp), 't10 i2'),
  ];
}

const usesText = ({ uses }: LookUp): string => (uses > 1 ? `used ${integer(uses)}×` : '');

/** Where a heap begins, below the name of who lost the translations. */
function heapLeft(place: SlotsPlace, all: readonly Requester[], index: number): number {
  const wide = brickWidth(place) * BRICK.across;
  const at = namePlaces(place, all)[index] ?? 0;
  const anchor = anchorOf(index, all.length);
  return anchor === 'end' ? at - wide : anchor === 'mid' ? at - wide / 2 : at;
}

/** Evictions as bricks, ten to a row, under their number. */
function heapShapes(place: SlotsPlace, slot: SlotPlace, input: Drawn): Shape[] {
  const { requesters, named, moment } = input;
  const { lookUp, progress } = moment;
  const floor = place.y + place.height - 2;
  const most = Math.max(1, ...named.map(({ lost }) => lost));
  // The leader of the slot passes above the heaps.
  const top = slot.alone ? slot.y + TAG / 2 + 4 : place.y + NAMES + 16;
  const rows = Math.max(1, Math.floor((floor - top) / (BRICK.height + 1)));
  const each = Math.ceil(most / (rows * BRICK.across));
  const width = brickWidth(place);
  const lies = lookUp.evicted?.byRival && progress.fall < 1 ? lookUp.evicted : null;
  const victim = lies && requesterOf(requesters, lies.device, lies.block);
  const amountOf = (one: Requester) => one.lost - (one === victim ? 1 : 0);
  const heaps = named.flatMap((one, index) => {
    const amount = amountOf(one);
    const x = heapLeft(place, named, index);
    const wide = width * BRICK.across;
    return [
      path(`M${x} ${floor + 0.5}h${wide}`, 'wire'),
      path(brickPath(x, floor, Math.floor(amount / each), width), `a-${hueOf(one.actor)}`, 0.8),
    ];
  });
  const shapes = [
    ...heaps,
    ...countShapes(place, input, (one) => `${integer(amountOf(one))} evicted`),
  ];
  if (!victim || !named.includes(victim) || progress.fall <= 0 || !slot.alone) return shapes;
  const left = heapLeft(place, named, named.indexOf(victim));
  const level = Math.floor((victim.lost - 1) / each / BRICK.across) + 1;
  const along = Math.min(1, progress.fall * 1.6);
  return [
    ...shapes,
    rect(
      mix(slot.x, left, along),
      mix(slot.y + TAG + 7, floor - level * (BRICK.height + 1), progress.fall ** 2),
      mix(slot.width, width, along),
      mix(TAG, BRICK.height, along),
      `a-${hueOf(victim.actor)}`,
      0.8,
    ),
  ];
}

/** The number that belongs to each name, below it. */
function countShapes(place: SlotsPlace, { named }: Drawn, textOf: (one: Requester) => string) {
  return named.map((one, index) => {
    const anchor = anchorOf(index, named.length);
    const x = namePlaces(place, named)[index] ?? place.x;
    return words(x, place.y + NAMES + 12, textOf(one), `s12 ${anchor}`);
  });
}

/** Bricks as one path, so that a large heap is one shape. */
function brickPath(x: number, floor: number, bricks: number, width: number): string {
  let d = '';
  for (let brick = 0; brick < bricks; brick++) {
    const left = x + (brick % BRICK.across) * width;
    const top = floor - (Math.floor(brick / BRICK.across) + 1) * (BRICK.height + 1);
    const [right, low] = [left + width - 1, top + BRICK.height];
    d += polyline([left, top, right, top, right, low, left, low]);
  }
  return d;
}

/** From the row on the map to its slot: above the heaps, or below another slot that stands between them. */
function leaderShape(
  grid: TlbGrid,
  chain: number,
  place: SlotsPlace,
  slot: SlotPlace,
  hot: boolean,
  between = false,
) {
  const x = grid.left + ((chain % grid.columns) + 0.5) * grid.pitch;
  const y = grid.top + Math.floor(chain / grid.columns) * grid.pitch - 2;
  const above = grid.top - 6;
  const turn = place.x - 7;
  const middle = slot.y + TAG / 2;
  const detour = between ? `V${place.y + place.height + 2}H${slot.x - 8}` : '';
  const d = `M${x} ${y}V${above}H${turn}${detour}V${middle}H${slot.x - 3}`;
  return path(d, hot ? 'bad-line' : 'brace');
}

/** `stacked`: the map is above, so no leader is drawn. */
export function slotsShapes(
  grid: TlbGrid,
  place: SlotsPlace,
  input: SlotsInput,
  stacked = false,
): Shape[] {
  const { moment } = input;
  const drawn = withHeaps(input, place);
  const { lookUp, contended } = moment;
  const places = slotPlaces(place, moment.slots.length);
  const played = moment.slots.indexOf(lookUp);
  const playedSlot = places[Math.max(0, played)] as SlotPlace;
  const between = places.some(({ x, y }) => y === playedSlot.y && x < playedSlot.x);
  const leader = stacked
    ? []
    : [leaderShape(grid, lookUp.chain, place, playedSlot, contended, between)];
  const slots = moment.slots.flatMap((one, index) => {
    const slot = places[index] as SlotPlace;
    const isPlayed = one === lookUp;
    const posts = postShapes(slot, one.chain, isPlayed && contended);
    const content =
      isPlayed && one.missed
        ? missShapes(place, slot, one, drawn)
        : heldShapes(slot, one, input, isPlayed);
    return [...posts, ...content];
  });
  return [
    ...leader,
    ...nameShapes(place, drawn),
    ...heapShapes(place, playedSlot, drawn),
    ...slots,
    ...axisShapes(place.axis, input),
  ];
}

/** Shares of the arrival of a request: it travels to its row, then takes the place of the one before. */
const TRAVEL = 0.6;
const SEAL = { text: 'hit or miss?', height: 17 } as const;

/**
 * While a question asks what look-ups find: who looks up which block in which row, after whom. Each request takes the
 * place of the one before it, whatever it finds; that is sealed, and so is what each device lost.
 */
export function sealedShapes(grid: TlbGrid, place: SlotsPlace, input: SlotsInput): Shape[] {
  const { arrival, lookUp, previous } = input.moment;
  const approach = Math.min(1, arrival / TRAVEL);
  const step = easedStep((arrival - TRAVEL) / (1 - TRAVEL));
  const progress = { approach, read: 1, push: 1, fall: 1 };
  const moment = { ...input.moment, contended: false, progress };
  const named = input.requesters.slice(0, mostNamed(place));
  const drawn: Drawn = { ...input, moment, named };
  const slot = slotPlaces(place, 1)[0] as SlotPlace;
  const { x, y, width } = slot;
  const isSame = previous?.block === lookUp.block && previous.device === lookUp.device;
  const seal = { x: x + width + 9, y: y + TAG + 8, width: widthOf(SEAL.text, 11.5) + 10 };
  return [
    ...(place.x > grid.left + 40 ? [leaderShape(grid, lookUp.chain, place, slot, false)] : []),
    ...nameShapes(place, drawn),
    ...countShapes(place, drawn, ({ lookUps }) => count(lookUps, 'look-up')),
    ...postShapes(slot, lookUp.chain, false),
    ...(previous ? earlierShapes(slot, previous, drawn, isSame ? 0 : step) : []),
    ...comerShapes(place, slot, lookUp, drawn, mix(y - TAG - 7, y, step)),
    ...(step > 0 ? sealShapes({ ...seal, height: SEAL.height }, SEAL.text) : []),
    ...axisShapes(place.axis, { ...input, moment, movable: [] }),
  ];
}

const easedStep = (share: number): number => 1 - (1 - clamp(share, 0, 1)) ** 3;

/** The request of the same row before the one in play, on its way below it, with the time between them. */
function earlierShapes(slot: SlotPlace, earlier: LookUp, input: Drawn, step: number): Shape[] {
  const { requesters, moment } = input;
  const out = step > 0.5;
  const before = text(time(moment.lookUp.timePs - earlier.timePs, 3));
  const label = fitting([`${before} ago`, before], slot.width - 44, 11.5) ?? '';
  return tagShapes({
    x: slot.x,
    y: mix(slot.y, slot.y + TAG + 7, step),
    width: slot.width,
    actor: requesterOf(requesters, earlier.device, earlier.block)?.actor ?? 'other',
    label: out ? label : 'block',
    value: padded(earlier.block),
    waits: true,
  });
}

/** Who looks up what after whom, without what it finds. */
export function sealedPhrases({ moment, requesters }: SlotsInput): Phrase[] {
  const { lookUp, previous } = moment;
  const title = ({ device, block }: LookUp) =>
    requesterOf(requesters, device, block)?.title ?? 'A device';
  const row = integer(lookUp.chain);
  const asks = strong(`${title(lookUp)} looks up block ${integer(lookUp.block)}`);
  if (!previous) return [asks, plain(` in row ${row}, the first to use it.`)];
  const after = `${title(previous)} did block ${integer(previous.block)}`;
  return [asks, plain(` in row ${row}. Before it, ${after}.`)];
}

/** Heat over the cells of the map, and a ring around the row in play. */
export function heatShapes(grid: TlbGrid, { heat, lookUp, contended }: TlbMoment): Shape[] {
  const size = grid.pitch - 1.4;
  const corner = (chain: number) => ({
    x: grid.left + (chain % grid.columns) * grid.pitch,
    y: grid.top + Math.floor(chain / grid.columns) * grid.pitch,
  });
  const warm = [...heat]
    .filter(([, warmth]) => warmth > 0.02)
    .map(([chain, warmth]) => {
      const { x, y } = corner(chain);
      return rect(x, y, size, size, 'ink2f', 0.15 + 0.85 * warmth);
    });
  const { x, y } = corner(lookUp.chain);
  const ringed = contended ? 'tl-hot' : 'cursor-box';
  return [...warm, rect(x - 2, y - 2, size + 4, size + 4, ringed)];
}

/** What happens in this look-up, in short: who evicts whom stands out, and how young it was is the cost. */
export function lookUpPhrases({ moment, requesters }: SlotsInput): Phrase[] {
  const { lookUp, count: lookUps } = moment;
  const title = (device: number | null, block: number) =>
    requesterOf(requesters, device, block)?.title ?? 'A device';
  const { evicted, chain, block, device, uses } = lookUp;
  const who = title(device, block);
  const missed = `${integer(lookUp.allMisses)} of ${integer(lookUps)} missed.`;
  if (!lookUp.missed)
    return [
      strong(`${who} hits block ${integer(block)}`),
      plain(` in row ${integer(chain)}, look-up ${integer(uses)} of it. ${missed}`),
    ];
  if (!evicted)
    return [
      strong(`${who} loads block ${integer(block)}`),
      plain(` into row ${integer(chain)}, which was empty. ${missed}`),
    ];
  const whose = evicted.byRival ? title(evicted.device, evicted.block) : 'its own';
  const life = count(evicted.lookUps, 'look-up');
  return [
    strong(`${who} block ${integer(block)} evicts ${whose} block ${integer(evicted.block)}`),
    plain(' after '),
    evicted.byRival ? bad(life) : plain(life),
    plain(`, ${text(time(evicted.agePs, 3))}. ${missed}`),
  ];
}
