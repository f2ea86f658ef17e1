/** Parts drawn as boxes: name, present action and contents (buffers, engines). */
import { bytes, integer, text } from '../../base/format';
import type { EnumMember } from '../../engine/manifest';
import { fitting, glyph, signOf } from '../glyph';
import type { Moment } from '../moment';
import { circle, line, rect, type Shape, words } from '../shape';
import { type LineState, stateCell } from '../state-cell';
import { shortened, widthOf } from '../text-width';
import {
  clockText,
  doing,
  type Engine,
  enginesOf,
  lineOf,
  type Places,
  paramOf,
  placesOf,
  type Queue,
  queueOf,
} from './facts';
import { widthToRope } from './rope';
import type { DrawnPart, PlacedPart } from './types';

const PAD = 9;
/** A processor at least so wide has the address that its cache works on at the right of its name. */
export const ADDRESSED = 160;
/** Room for that address. */
export const ADDRESS_ROOM = 76;
/** The name is set in the wider face, which at this size is as wide as the condensed one. */
const TITLE = 14;

/** Width for the first line of a part; some have contents beside the name. */
const headRoom = ({ type }: DrawnPart, width: number): number =>
  type.views.some(({ name }) => name === 'tlb' || name === 'cells')
    ? Math.min(width, 150)
    : width - PAD;

/** Title of the active defect of a part; null without one. */
function defectTitle(part: DrawnPart): string | null {
  const index = part.type.params.findIndex(({ name }) => name === 'fault');
  const fault = Number(part.params[index]?.value ?? 0);
  return (index >= 0 && fault !== 0 && part.type.enums.fault?.[fault]?.title) || null;
}

/** Width of the badge and of the words beside it. */
const BADGE = 14;

const defectLabel = (title: string, room: number): string | undefined =>
  fitting([title, 'broken'], room - BADGE - 2, 11.5);

/** Where the first line of a part ends: after its name, and after the badge of a defect. */
export function headEnd({ part, box: { x, width } }: PlacedPart): number {
  const end = x + 34 + widthOf(part.title, TITLE);
  const title = defectTitle(part);
  if (title === null) return end - 6;
  const label = defectLabel(title, x + headRoom(part, width) - end);
  return end + BADGE + (label ? widthOf(label, 11.5) + 4 : 0);
}

/** The active defect of a part: a struck badge, and its title. */
function defectShapes(part: DrawnPart, x: number, y: number, right: number): Shape[] {
  const title = defectTitle(part);
  if (title === null) return [];
  const label = defectLabel(title, right - x);
  return [
    circle(x + 4, y - 4, 5.5, 'defect'),
    line(x, y, x + 8, y - 8, 'defect'),
    ...(label ? [words(x + BADGE, y, label, 't11 tbad b5')] : []),
  ];
}

/** The clock of a processor, at the right of its name; empty without room. */
function clockLabel(part: DrawnPart, width: number): string {
  const hertz = part.type.actor === 'cpu' ? (paramOf(part, 'clock') ?? 0) : 0;
  const label = clockText(hertz);
  const room = width - 34 - PAD - widthOf(part.title, TITLE);
  return hertz === 0 || widthOf(label, 10.5) > room ? '' : label;
}

/** Room that the clock takes at the right end of the first line. */
export function clockRoom({ part, box: { width } }: PlacedPart): number {
  const label = clockLabel(part, width);
  return label === '' ? 0 : widthOf(label, 10.5) + PAD;
}

function clockShapes(part: DrawnPart, x: number, baseline: number, width: number): Shape[] {
  const label = clockLabel(part, width);
  return label === '' ? [] : [words(x + width - PAD, baseline, label, 't10 i3 end')];
}

/** A box that is narrower is a cell: its name, or the number in it, and no sign. */
const CELL = 50;
const NUMBER = /\d+$/;

/** The sign and name of a part; smaller and closer together in a narrow box. */
function nameShapes(
  title: string,
  actor: string,
  x: number,
  baseline: number,
  width: number,
): Shape[] {
  const whole =
    width < CELL ? fitting([title, NUMBER.exec(title)?.[0] ?? ''], width - 4, 11.5) : '';
  if (whole) return [words(x + width / 2, baseline, whole, 't11 b6 mid')];
  const isTight = widthOf(title, TITLE) > width - 22 - 4;
  return isTight
    ? [
        glyph(actor, x + 9, baseline - 4, 4),
        words(x + 16, baseline, shortened(title, 11.5, width - 16 - 4), 't11 b6'),
      ]
    : [glyph(actor, x + 13, baseline - 4, 4), words(x + 22, baseline, title, 's12')];
}

/** What does not change during a run. */
export function boxShapes({ part, box, actor, host }: PlacedPart, selected: boolean): Shape[] {
  const { x, y, width, height } = box;
  if (host !== null)
    return [rect(x - 2, y - 2, width + 4, height + 4, selected ? 'guest-sel' : 'guest')];
  const baseline = height < 30 ? y + height / 2 + 4.5 : y + 19;
  const outline = part.type.layer === 'os' ? 'part software' : 'part';
  return [
    rect(x, y, width, height, selected ? 'part-sel' : outline),
    ...nameShapes(part.title, actor, x, baseline, width),
    ...clockShapes(part, x, baseline, width),
    ...defectShapes(part, x + 34 + widthOf(part.title, TITLE), baseline, x + headRoom(part, width)),
  ];
}

function queueShapes(queue: Queue, x: number, y: number, width: number, actor: string): Shape[] {
  const pitch = Math.min(15, Math.max(5, (width + 3) / queue.size));
  const fits = Math.min(queue.size, Math.floor((width + 3) / pitch));
  const shapes = Array.from({ length: fits }, (_, place): Shape => {
    const taken = place < queue.waiting;
    return rect(x + place * pitch, y, pitch - 3, 13, taken ? `a-${signOf(actor).hue}` : 'slot');
  });
  return shapes;
}

const FILLS: Readonly<Record<string, string>> = { solid: 'ink2f', light: 'l2f', hatch: 'waitf' };

/** Slots that hold a line are drawn as such; others by the style of their state. */
const LINES: Readonly<Record<string, LineState>> = {
  empty: 'invalid',
  asked: 'flight',
  copy: 'shared',
  owned: 'clean',
  dropped: 'stale',
};
/** Letters of the other states of a slot. */
const LETTERS: Readonly<Record<string, string>> = { here: 'R', behind: 'w' };
/** Words of the states, beside their letters. */
const SLOT_WORDS: Readonly<Record<string, string>> = {
  asked: 'asked',
  copy: 'shared',
  owned: 'private',
  dropped: 'dropped',
  here: 'ready',
  behind: 'waits',
};
const [LETTERED, LETTERED_PITCH] = [15, 18];
/** Room for "~ dropped 16". */
const TOTAL_WIDTH = 88;

function letteredCell({ name, style }: EnumMember, x: number, y: number): Shape[] {
  const line = LINES[name];
  if (line) return stateCell(x, y, LETTERED, LETTERED, line);
  const [fill, on] = [FILLS[style ?? ''] ?? 'slot', style === 'solid' ? 'on' : 'b6'];
  return [
    rect(x + 0.5, y + 0.5, LETTERED - 1, LETTERED - 1, fill),
    rect(x + 0.5, y + 0.5, LETTERED - 1, LETTERED - 1, 'slot'),
    words(x + LETTERED / 2, y + 11, LETTERS[name] ?? '', `m10 mid ${on}`),
  ];
}

/** How many slots are in each state, with its letter: "~ asked 3". */
function slotTotals(states: readonly EnumMember[], x: number, y: number, right: number): Shape[] {
  const totals = new Map<EnumMember, number>();
  for (const state of states) totals.set(state, (totals.get(state) ?? 0) + 1);
  let at = x;
  return [...totals].flatMap(([state, amount]): Shape[] => {
    const name = SLOT_WORDS[state.name];
    if (!name) return [];
    const label = `${name} ${integer(amount)}`;
    const left = at;
    const end = left + 19 + widthOf(label, 10.5);
    if (end > right) return [];
    at = end + 12;
    return [...letteredCell(state, left, y), words(left + 19, y + 11.5, label, 't10 i2')];
  });
}

/** A cell for each slot of a buffer, with its state as fill and letter; their meaning beside them. */
function placesShapes({ states }: Places, x: number, y: number, width: number): Shape[] {
  const isKnown = states.every(({ name }) => name in LINES || name in LETTERS);
  // Without room beside them for the meaning of one letter, cells have none.
  const isLettered = isKnown && width - states.length * LETTERED_PITCH >= TOTAL_WIDTH;
  const pitch = isLettered
    ? LETTERED_PITCH
    : Math.min(15, Math.max(5, (width + 3) / states.length));
  const shown = states.slice(0, Math.floor((width + 3) / pitch));
  if (isLettered)
    return [
      ...shown.flatMap((state, place) => letteredCell(state, x + place * pitch, y)),
      ...slotTotals(states, x + shown.length * pitch + 8, y, x + width),
    ];
  return shown.flatMap(({ style }, place): Shape[] => {
    const cell = [x + place * pitch, y, pitch - 3, 13] as const;
    const fill = FILLS[style ?? ''];
    return fill ? [rect(...cell, fill), rect(...cell, 'slot')] : [rect(...cell, 'slot')];
  });
}

/** "moving data, 256 B of 512 B" */
export function progressText({ state, moved, total }: Engine): string {
  if (total === 0) return state;
  const amount = `${text(bytes(moved))} of ${text(bytes(total))}`;
  return state ? `${state}, ${amount}` : amount;
}

function engineShapes(engine: Engine, x: number, y: number, width: number, hue: string): Shape[] {
  const room = width - widthOf(engine.title, 10.5) - 8;
  const label = fitting([progressText(engine), engine.state], Math.min(room, width * 0.62), 10.5);
  const shapes = [words(x, y + 9, engine.title, 't10 i2')];
  if (label) shapes.push(words(x + width, y + 9, label, 't10 i3 end'));
  shapes.push(rect(x, y + 13, width, 4, 'sunkf'));
  if (engine.total > 0)
    shapes.push(rect(x, y + 13, (width * engine.moved) / engine.total, 4, `a-${hue}`));
  return shapes;
}

/** What changes: the present action, and the contents as far as the box has room. */
export function boxNow(placed: PlacedPart, now: Moment, compact: boolean, foot: number): Shape[] {
  const { part, index, actor } = placed;
  const box = { ...placed.box, height: foot - placed.box.y };
  const { x, y, height } = box;
  const [left, width] = [x + PAD, widthToRope(placed) - 2 * PAD];
  if (height < 30) return [];
  const shapes: Shape[] = [];
  let row = y + 24;
  const label = fitting(doing(part, index, now), width * 0.96, compact ? 12.5 : 11.5);
  if (label !== undefined && label !== '' && row + 14 <= y + height) {
    shapes.push(words(left, row + 10, label, compact ? 't12 i2' : 't11 i2'));
    row += 18;
  }
  const script = lineOf(part, index, now);
  if (script && row + 18 <= y + height) {
    shapes.push(...engineShapes(script, left, row + 4, width, signOf(actor).hue));
    row += 25;
  }
  const queue = queueOf(part, index, now);
  if (queue && row + 15 <= y + height) {
    shapes.push(...queueShapes(queue, left, row, width, 'cpu'));
    row += 20;
  }
  const places = placesOf(part, index, now);
  if (places && row + 15 <= y + height) {
    shapes.push(...placesShapes(places, left, row, width));
    row += 20;
  }
  for (const engine of enginesOf(part, index, now)) {
    if (row + 18 > y + height) break;
    shapes.push(...engineShapes(engine, left, row, width, signOf(actor).hue));
    row += 21;
  }
  return shapes;
}
