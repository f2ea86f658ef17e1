/** Gauges on the upper edges of parts: sealed while a question about them is open, then with the guess on the same scale. */
import { fitting, sealShapes } from '../glyph';
import { line, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import { nameEnd } from './bus';
import { ADDRESS_ROOM, ADDRESSED, clockRoom, headEnd } from './parts';
import { firstResponse } from './responses';
import type { PlacedPart } from './types';

const HEIGHT = 18;
const PAD = 11;
const TEXT = 11;
/** Distance from the left edge of the part: at its right a bus agent's response stands above it. */
const ASIDE = 10;

/** Room for that response. */
const RESPONSE = 44;

/** Size of a part's title. */
const TITLE = 12;

/** How far it reaches into the part, above its title. */
const INSIDE = 4;

interface GaugePlace {
  readonly x: number;
  readonly y: number;
  readonly room: number;
  /** Beside the title, not on the upper edge. */
  readonly isBeside: boolean;
}

/** Room at the right of a processor's name for the address that its cache works on. */
const addressRoom = ({ index, box }: PlacedPart, parts: readonly PlacedPart[]): number =>
  box.width >= ADDRESSED && parts.some(({ host }) => host === index) ? ADDRESS_ROOM : 0;

/**
 * On the upper edge of the part. Where it would lie over the title of the part or over another part, it stands beside
 * the title.
 */
function placeOf(placed: PlacedPart, parts: readonly PlacedPart[]): GaugePlace {
  const { box, index } = placed;
  const y = Math.max(1, box.y - HEIGHT + INSIDE);
  const baseline = box.height < 30 ? box.y + box.height / 2 + 4.5 : box.y + 19;
  const lies = parts.some(
    ({ index: other, host, box: { x, y: top, width, height } }) =>
      other !== index &&
      host === null &&
      x < box.x + box.width &&
      x + width > box.x &&
      top < y &&
      top + height > y + INSIDE,
  );
  if (!lies && y + HEIGHT <= baseline - TITLE) {
    const left = box.x + ASIDE;
    const end = Math.min(box.x + box.width - ASIDE - RESPONSE, firstResponse(placed, parts));
    return { x: left, y, room: end - left, isBeside: false };
  }
  const x = placed.rail ? nameEnd(placed) : headEnd(placed);
  return {
    x,
    y: Math.max(1, baseline - 4.5 - HEIGHT / 2),
    room: box.x + box.width - x - 2 - clockRoom(placed),
    isBeside: true,
  };
}

/** A sealed gauge on the upper edge of a part, with the first wording that fits; nothing if none does. */
export function sealedGauge(
  placed: PlacedPart,
  parts: readonly PlacedPart[],
  wordings: readonly string[],
): Shape[] {
  const { x, y, room } = placeOf(placed, parts);
  const text = fitting(wordings, room - 2 * PAD, TEXT) ?? '?';
  const width = widthOf(text, TEXT) + 2 * PAD;
  if (width > room) return [];
  return sealShapes({ x, y, width, height: HEIGHT }, text);
}

/** What was guessed of a count, and what it was. */
export interface Guessed {
  readonly actual: number;
  /** Lowest and highest count of the guess; without an upper limit infinite. Null without a guess. */
  readonly guess: readonly [low: number, high: number] | null;
  /** Numbers of causes at the corner of the part. */
  readonly reasons?: number;
}

/** Distance between the numbers of causes at the corner of a part, and from the last one to the gauge. */
export const REASON_PITCH = 17;
const AFTER_REASON = 11;

/** Narrowest bar on which a guess can be compared. */
const LEAST_BAR = 60;

/** The count as a bar, and below it the range of the guess on the same scale. */
export function openGauge(
  placed: PlacedPart,
  parts: readonly PlacedPart[],
  wordings: readonly string[],
  { actual, guess, reasons = 0 }: Guessed,
): Shape[] {
  const place = placeOf(placed, parts);
  const numbered = reasons > 0 ? placed.box.x + (reasons - 1) * REASON_PITCH + AFTER_REASON : 0;
  const beside = Math.max(0, numbered - place.x);
  const { x, y } = { ...place, x: place.x + beside };
  const room = place.room - beside - (place.isBeside ? addressRoom(placed, parts) : 0);
  const text = fitting(wordings, room - 2 * PAD, TEXT) ?? '';
  const width = Math.max(widthOf(text, TEXT) + 2 * PAD, Math.min(LEAST_BAR, room));
  if (width > room) return [];
  const limits = (guess ?? []).filter((limit) => Number.isFinite(limit));
  const most = Math.max(actual, ...limits) * 1.15 || 1;
  const at = (count: number): number => x + Math.min(1, count / most) * width;
  const [low, high] = guess ?? [0, 0];
  const mark = low === high ? [line(at(low), y + 12, at(low), y + HEIGHT, 'gauge-guess')] : [];
  const range = rect(at(low), y + HEIGHT - 4, at(high) - at(low), 3, 'gauge-guess');
  return [
    rect(x, y, width, HEIGHT, 'gauge'),
    words(x + width / 2, y + 10, text, 't10 b6 mid'),
    rect(x, y + 12, at(actual) - x, 2.5, 'gauge-count'),
    ...(guess === null ? [] : low === high ? mark : [range]),
  ];
}
