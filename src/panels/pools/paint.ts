/** Paints the strips on a canvas: the tones as small images, stretched; then cursors, names, numbers, locks. */

import { count, integer, percent } from '../../base/format';
import { SPILL_MS } from '../../draw/pools/pool-words';
import { placeOf, type Strip, type StripsModel } from '../../draw/pools/strips';
import type { TrailNow } from '../../model/pools/pool-trail';
import type { Brush } from '../../widgets/CanvasView';
import { font, hasQueue, LEAST_WORDS, type LocksPicture, paintLocks } from './paintLocks';
import { heldPalette, ownersPalette, type StripImages, trailPalette } from './paintTones';

export interface StripsPicture extends LocksPicture {
  /** What the run has handed out; null without a record. */
  readonly trail: TrailNow | null;
  /** First entry under the lens, and count. */
  readonly lens: { readonly first: number; readonly entries: number } | null;
  /** Entries that the user reserved, and whether the pointer reserves more. */
  readonly reserved: readonly { readonly from: number; readonly to: number }[];
  readonly isReserving: boolean;
  readonly marked: number | null;
  /** Pool whose cursor moved last. */
  readonly active: number | null;
  /** Hovered or selected processor: the pools with its entries are marked. */
  readonly chosen: number | null;
}

/** Share of a strip's height that long-lived entries take. */
const HELD_HEIGHT = 0.42;

export function paintStrips(brush: Brush, picture: StripsPicture, images: StripImages): void {
  const { context, color } = brush;
  const { model } = picture;
  const { left, right, strips, height, columns, tones, trail } = model;
  const full = trail
    ? images.strips.draw(model, trail, trailPalette(brush))
    : images.strips.draw(model, tones, ownersPalette(brush));
  const held = images.held.draw(model, tones, heldPalette(brush));
  context.imageSmoothingEnabled = false;
  const isAlone = model.bit !== null;
  strips.forEach((strip, row) => {
    const width = strip.right - left;
    const across = Math.max(1, Math.round((columns * width) / (right - left)));
    context.globalAlpha = 0.5;
    context.fillStyle = color('--line-1');
    context.fillRect(left, strip.y, width, height);
    context.globalAlpha = 1;
    context.drawImage(full, 0, row, across, 1, left, strip.y, width, height);
    const low = isAlone ? height : Math.max(3, height * HELD_HEIGHT);
    context.drawImage(held, 0, row, across, 1, left, strip.y + (height - low) / 2, width, low);
  });
  paintBits(brush, model);
  paintHeads(brush, picture);
  for (const strip of strips)
    if (strip.head) paintRow(brush, picture, strip);
    else paintLine(brush, picture, strip);
  paintLocks(brush, picture);
  paintSpills(brush, picture);
  paintReserved(brush, picture);
  paintLens(brush, picture);
  const mark = picture.marked === null ? null : placeOf(model, picture.marked);
  if (!mark) return;
  context.fillStyle = color('--mark');
  context.fillRect(mark.x - 1, mark.y - 2, 3, height + 4);
}

/** Frames around the reserved entries, line by line; filled while the pointer reserves. */
function paintReserved(
  { context, color }: Brush,
  { model, reserved, isReserving }: StripsPicture,
): void {
  for (const strip of model.strips)
    for (const range of reserved) {
      const [from, to] = [Math.max(range.from, strip.from), Math.min(range.to, strip.to)];
      if (from >= to) continue;
      const width = strip.right - model.left;
      const at = (entry: number) =>
        model.left + ((entry - strip.from) / (strip.to - strip.from)) * width;
      const box = [at(from), strip.y - 0.5, at(to) - at(from), model.height + 1] as const;
      context.globalAlpha = isReserving ? 0.3 : 0;
      context.fillStyle = color('--accent');
      context.fillRect(...box);
      context.globalAlpha = 1;
      context.strokeStyle = color('--accent');
      context.lineWidth = 1.5;
      context.strokeRect(...box);
    }
}

/** A wrap is seen for so long, in milliseconds of the run. */
const WRAP_MS = 4;

/** What the search has swept since the start of its pool, and the way back of a wrap. */
function paintSweep(brush: Brush, picture: StripsPicture, { y, cursor, right, use }: Strip): void {
  const { context, color } = brush;
  const { model, trail } = picture;
  if (cursor === null || !trail || model.step < 9) return;
  const low = y + model.height + 1.5;
  context.fillStyle = color('--line-4');
  context.fillRect(model.left, low, cursor - model.left, 1);
  const { count, lastMs } = trail.wraps(use.pool.number);
  const age = trail.nowMs - lastMs;
  if (count === 0 || age > WRAP_MS) return;
  context.globalAlpha = 1 - age / WRAP_MS;
  context.strokeStyle = color('--accent');
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(right + 1, y + model.height / 2);
  context.lineTo(right + 5, y + model.height / 2);
  context.lineTo(right + 5, low);
  context.lineTo(model.left, low);
  context.stroke();
  context.globalAlpha = 1;
}

/** From a full pool to the one that its request went on to. */
function paintSpills(brush: Brush, { model, trail, scale }: StripsPicture): void {
  const { context, color } = brush;
  for (const { from, pool } of trail?.spills(SPILL_MS) ?? []) {
    const [start, end] = [from, pool].map((number) =>
      model.strips.find(({ head, use }) => head && use.pool.number === number),
    );
    if (!start || !end) continue;
    const [top, low] = [start.y + model.height / 2, end.y + model.height / 2];
    const x = model.left - 3;
    const bend = 18 * scale + Math.min(26, Math.abs(low - top) * 0.15);
    context.strokeStyle = context.fillStyle = color('--pool-spilled');
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, top);
    context.bezierCurveTo(x - bend, top, x - bend, low, x - 2, low);
    context.stroke();
    context.beginPath();
    context.moveTo(x + 3, low);
    context.lineTo(x - 4, low - 4);
    context.lineTo(x - 4, low + 4);
    context.fill();
  }
}

/** Zoomed in to single entries, gaps separate them. */
function paintBits(brush: Brush, model: StripsModel): void {
  const { context, color } = brush;
  const { strips, left, height, bit } = model;
  if (bit === null) return;
  context.fillStyle = color('--sheet');
  for (const { y, right } of strips)
    for (let x = left + bit; x < right - 1; x += bit) context.fillRect(x - 0.5, y, 1, height);
  paintLost(brush, model, bit);
}

/** Entries at the end of a pool that are never allocated are outlines. */
function paintLost({ context, color }: Brush, model: StripsModel, bit: number): void {
  const { strips, tones, columns, left, height } = model;
  context.lineWidth = 1;
  context.fillStyle = color('--sheet');
  context.strokeStyle = color('--line-3');
  strips.forEach(({ y, from, to, use }, row) => {
    for (let entry = Math.max(from, use.pool.usable); entry < to; entry++) {
      if (tones[row * columns + entry - from] !== 0) continue;
      const x = left + (entry - from) * bit;
      context.fillRect(x, y, bit, height);
      context.strokeRect(x + 1.5, y + 0.5, bit - 3, height - 1);
    }
  });
}

const HEADS = { used: 'in use', free: 'longest free', locks: 'lock taken' } as const;

function paintHeads(brush: Brush, { model, scale }: StripsPicture): void {
  const { context, color } = brush;
  const [first] = model.strips;
  const y = 13 * scale;
  context.font = font(brush, 10.5 * scale);
  context.fillStyle = color('--ink-3');
  context.textAlign = 'left';
  context.fillText(hasQueue(model) ? 'one lock' : 'pool', 6 * scale, y);
  if (model.names !== null && !hasQueue(model)) context.fillText('used by', model.names, y);
  if (first) {
    const { start } = first.use.pool;
    context.fillText(`entry ${integer(first.from - start)}`, model.left, y);
    context.textAlign = 'right';
    context.fillText(integer(first.to - start - 1), model.right, y);
  }
  context.textAlign = 'right';
  for (const { id, x } of model.table) context.fillText(HEADS[id], x, y);
}

/** A longer list of processors does not fit beside the strips. */
const LONGEST = 'CPU 0, 1, 12'.length;

const holdersText = (holders: readonly number[]): string => {
  if (holders.length === 0) return 'nobody';
  const names = `CPU ${holders.join(', ')}`;
  return names.length <= LONGEST ? names : count(holders.length, 'CPU');
};

function paintRow(brush: Brush, picture: StripsPicture, strip: Strip): void {
  const { context, color } = brush;
  const { model, scale, active, chosen } = picture;
  const { use, y, named } = strip;
  if (chosen !== null && use.holders.includes(chosen) && !hasQueue(model)) {
    context.fillStyle = color('--mark');
    context.fillRect(6 * scale, y, model.left - 12 * scale, model.height);
  }
  const idle = use.pool.locks === 0;
  if (named) paintWords(brush, picture, strip, idle);
  if (strip.cursor === null || idle) return;
  paintSweep(brush, picture, strip);
  paintCursor(brush, strip.cursor, y, model.height, use.pool.number === active);
}

/** The name of a pool, its processors, and its numbers. */
function paintWords(
  brush: Brush,
  { model, scale }: StripsPicture,
  { use, y }: Strip,
  idle: boolean,
) {
  const { context, color } = brush;
  const size = Math.min(11.5 * scale, Math.max(model.step, LEAST_WORDS * scale));
  const base = y + model.height / 2 + size * 0.36;
  const ink = color(idle ? '--ink-3' : '--ink-1');
  context.fillStyle = ink;
  context.textAlign = 'right';
  context.font = font(brush, size, idle ? 400 : 600);
  if (!hasQueue(model))
    context.fillText(use.pool.large ? 'large' : String(use.pool.number), 30 * scale, base);
  context.font = font(brush, size);
  const values = {
    used: percent(use.share * 100, 1),
    free: integer(use.longestFree),
    locks: integer(use.pool.locks),
  };
  for (const { id, x } of model.table) context.fillText(values[id], x, base);
  context.textAlign = 'left';
  if (hasQueue(model)) {
    context.textAlign = 'right';
    context.fillText(integer(use.pool.start), model.left - 7 * scale, base);
  } else if (model.names !== null) context.fillText(holdersText(use.holders), model.names, base);
}

/** A continued line of the pool above: its first entry, and the cursor if it is here. */
function paintLine(brush: Brush, { model, scale }: StripsPicture, strip: Strip) {
  const { context, color } = brush;
  const { y, from, cursor, named } = strip;
  const size = Math.min(10.5 * scale, Math.max(model.step, LEAST_WORDS * scale));
  context.fillStyle = color('--ink-3');
  context.font = font(brush, size);
  context.textAlign = 'right';
  const base = y + model.height / 2 + size * 0.36;
  if (named && model.names !== null) context.fillText(integer(from), model.left - 7 * scale, base);
  if (cursor !== null) paintCursor(brush, cursor, y, model.height, true);
}

/** A line with an arrow head in the direction of the next search. */
function paintCursor(
  { context, color }: Brush,
  x: number,
  y: number,
  height: number,
  active: boolean,
) {
  context.fillStyle = color('--ink-1');
  context.fillRect(x - 0.75, y - 2, active ? 2.25 : 1.5, height + 4);
  context.beginPath();
  context.moveTo(x, y - 1.5);
  context.lineTo(x + Math.min(11, height * 0.7), y + height / 2);
  context.lineTo(x, y + height + 1.5);
  context.fill();
}

function paintLens({ context, color }: Brush, { model, lens }: StripsPicture): void {
  const from = lens && placeOf(model, lens.first);
  if (!lens || !from) return;
  const to = placeOf(model, lens.first + lens.entries - 1);
  const end = to && to.y === from.y ? to.x : model.right;
  context.strokeStyle = color('--accent');
  context.lineWidth = 1.5;
  context.strokeRect(from.x - 3, from.y - 2.5, Math.max(6, end - from.x + 6), model.height + 5);
}
